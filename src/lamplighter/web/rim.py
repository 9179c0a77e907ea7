"""The rim of the web server: who may ask at all, and what every answer tells the browser to refuse."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

from lamplighter.web.names import is_own_name

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Sites that are linked do not learn of us, while our own forms still say where they come from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Rim:
    """Refuses requests under foreign names, and adds the headers to every answer."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles one request."""
        if scope["type"] != "http":
            return None

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        name = Headers(scope=scope).get("host", "")
        if is_own_name(name):
            return await self._app(scope, receive, send_with_headers)
        text = f"There is no site {name!r} here; use http://127.0.0.1 with the service's port.\n"
        return await PlainTextResponse(text, status_code=400)(scope, receive, send_with_headers)


def is_own_form(headers: Headers) -> bool:
    """Whether a browser sent this from one of our own pages; who does not say where it comes from is refused."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return headers.get("origin") == f"http://{headers.get('host')}"
