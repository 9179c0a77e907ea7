"""Host name check, body size limit and security headers of the web server."""

import asyncio
import re
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable, MutableMapping
from hashlib import sha256
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from lamplighter.web.access.host_names import is_own_name
from lamplighter.web.problems import answer

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Linked sites get no referrer, while our own forms still send their origin.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
#: pages that show an archived page in a frame: those of ours that may be framed are such frames only
WITH_FRAME = {"Content-Security-Policy": f"{HEADERS['Content-Security-Policy']}; frame-src 'self'"}
#: a site's content must not run on our origin: browsers save it and do not render it
ONLY_TO_SAVE = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def for_frame(script: str) -> dict[str, str]:
    """The headers of an archived page in a frame: it has an origin of its own, and only this script of ours runs.

    The styles and the pictures written in the page show; nothing is loaded, sent or opened.
    """
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return {
        "Content-Security-Policy": (
            f"sandbox allow-scripts; default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
            "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
        ),
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


MOST_BODY_BYTES = 16 * 1024 * 1024
_TOO_LARGE = f"the request body is larger than {MOST_BODY_BYTES} bytes; send it in parts"
#: a body must be whole after so long, or longer while it comes at least so fast
BODY_SECONDS = 60.0
LEAST_BYTES_PER_SECOND = 16 * 1024
_TOO_SLOW = f"the request body came more slowly than {LEAST_BYTES_PER_SECOND} bytes a second; send it again"
_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")


class SecurityHeaders:
    """Middleware that refuses foreign host names and large bodies, and adds security headers to every response.

    A response that sets one of these headers itself keeps its stricter value.
    """

    def __init__(self, app: App, *, only_loopback_names: bool, look: Callable[[Scope], None]) -> None:
        self._app = app
        self._look = look
        self._only_loopback_names = only_loopback_names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        if scope["type"] != "http":
            return None

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        self._look(scope)
        refusal = self._refusal(scope)
        if refusal is not None:
            return await refusal(scope, receive, send_with_headers)
        return await self._app(scope, _capped(receive), send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        names = headers.getlist("host")
        if len(names) != 1 or not _HOST.fullmatch(names[0]):
            return PlainTextResponse("A request needs exactly one Host header with a name.\n", status_code=400)
        if self._only_loopback_names and not is_own_name(names[0]):
            text = (
                f"There is no site {names[0]!r} here; use http://127.0.0.1 with the service's port. To serve others, "
                "set LAMPLIGHTER_AUTH_JWT_SECRET (docs/deploy.md).\n"
            )
            return PlainTextResponse(text, status_code=400)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return answer(scope, 400, "Content-Length is not a number")
        if len(length) > len(str(MOST_BODY_BYTES)) or int(length) > MOST_BODY_BYTES:
            return answer(scope, 413, _TOO_LARGE)
        return None


def _capped(receive: Receive) -> Receive:
    """The request body, cut with an error at the limit or when it comes too slowly."""
    read, is_whole, began = 0, False, time.monotonic()

    async def receive_some() -> MutableMapping[str, Any]:
        nonlocal read, is_whole
        if is_whole:
            return await receive()  # the end of the connection, which may be far off
        left = BODY_SECONDS + read / LEAST_BYTES_PER_SECOND - (time.monotonic() - began)
        try:
            async with asyncio.timeout(left):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, _TOO_SLOW) from None
        read += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if read > MOST_BODY_BYTES:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return receive_some
