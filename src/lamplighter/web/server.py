"""The web application and its server."""

import asyncio
import gc
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import State

from lamplighter import __version__
from lamplighter.web import problems
from lamplighter.web.api.streams import Streams
from lamplighter.web.connections import TimedConnection
from lamplighter.web.monitoring import monitors
from lamplighter.web.security_headers import Receive, Scope, Send
from lamplighter.web.service_view import ServiceView

if TYPE_CHECKING:
    from fastapi import FastAPI

    from lamplighter.web.routes import Routes


def assembled(parts: "Sequence[Routes] | None" = None) -> "FastAPI":
    """The app with these routes, or with all."""
    # Loading them takes as long as loading all the rest of the service.
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError

    from lamplighter.web.api.invalid_input import invalid
    from lamplighter.web.dashboard.page_request import NotConfirmed, ask

    app = FastAPI(title="Lamplighter", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    problems.install(app)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(NotConfirmed, ask)
    for part in _all_routes() if parts is None else parts:
        app.include_router(part.router)
    return app


def _all_routes() -> "Sequence[Routes]":
    from lamplighter.web.all_routes import PARTS

    return PARTS


def make_app(view: ServiceView, parts: "Sequence[Routes] | None" = None, *, state: State | None = None) -> "FastAPI":
    """The app of a service, with access control and security headers; it may share its state with another app."""
    app = assembled(parts)
    app.state = state or monitors.state_of(view)
    monitors.protect(
        app, [route for part in (_all_routes() if parts is None else parts) for route in part.router.routes]
    )
    return app


class AppOnDemand:
    """The app of a service that answers monitors at once, and is loaded whole with the first other request."""

    def __init__(self, view: ServiceView) -> None:
        self._view = view
        self._app: Starlette = monitors.monitors_of(view)
        self.state = self._app.state
        self._loading = asyncio.Lock()
        self._is_whole = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if not self._is_whole and not monitors.is_for_monitors(scope):
            async with self._loading:
                if not self._is_whole:
                    # In a thread, so that crawling goes on meanwhile.
                    self._app = await asyncio.to_thread(make_app, self._view, state=self.state)
                    self._is_whole = True
                    gc.freeze()  # like all loaded code: see `cli/terminal/loop.py`
        await self._app(scope, receive, send)


class WebServer(uvicorn.Server):
    """A uvicorn server in the service's own event loop; the service handles signals."""

    def __init__(self, app: Starlette | AppOnDemand, *, grace_seconds: float) -> None:
        self._streams: Streams = app.state.streams
        super().__init__(
            uvicorn.Config(
                app,
                http=TimedConnection,
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=max(1, round(grace_seconds)),
            )
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends the event streams first, since the server waits for open responses."""
        self._streams.stop()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Installs no signal handlers."""
        yield
