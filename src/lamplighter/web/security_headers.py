"""Host name check, body size limit and security headers of the web server."""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from lamplighter.web.host_names import is_own_name
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
#: a site's content must not run on our origin: browsers save it and do not render it
ONLY_TO_SAVE = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
MOST_BODY_BYTES = 16 * 1024 * 1024
_TOO_LARGE = f"the request body is larger than {MOST_BODY_BYTES} bytes; send it in parts"
_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")


class SecurityHeaders:
    """Middleware that refuses foreign host names and large bodies, and adds security headers to every response.

    A response that sets one of these headers itself keeps its stricter value.
    """

    def __init__(self, app: App, *, only_loopback_names: bool) -> None:
        self._app = app
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
            text = f"There is no site {names[0]!r} here; use http://127.0.0.1 with the service's port.\n"
            return PlainTextResponse(text, status_code=400)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return answer(scope, 400, "Content-Length is not a number")
        if len(length) > len(str(MOST_BODY_BYTES)) or int(length) > MOST_BODY_BYTES:
            return answer(scope, 413, _TOO_LARGE)
        return None


def _capped(receive: Receive) -> Receive:
    """The request body, cut with an error at the limit: not every client sends Content-Length."""
    read = 0

    async def receive_some() -> MutableMapping[str, Any]:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MOST_BODY_BYTES:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return receive_some
