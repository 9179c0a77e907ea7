"""The web application and its server."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from lamplighter import __version__
from lamplighter.web import health, login, metrics_page, problems, public
from lamplighter.web.access.auth_state import AuthState
from lamplighter.web.access.route_guard import RouteGuard
from lamplighter.web.api.event_stream import Streams
from lamplighter.web.api.table import API
from lamplighter.web.dashboard.page_request import NotConfirmed, ask
from lamplighter.web.dashboard.table import DASHBOARD
from lamplighter.web.routes import Routes
from lamplighter.web.security_headers import SecurityHeaders
from lamplighter.web.view import ServiceView

__all__ = ["ServiceView", "WebServer", "make_app"]


#: smaller responses are not compressed
_PACKED_FROM_BYTES = 1000
#: all routes
PARTS = (*DASHBOARD, public.ROUTES, login.ROUTES, health.ROUTES, metrics_page.ROUTES, *API)
#: the routes of a process without dashboard and API
FOR_MONITORS = (health.ROUTES, metrics_page.ROUTES)


def assembled(parts: Sequence[Routes] = PARTS) -> FastAPI:
    """The app with all routes."""
    app = FastAPI(title="Lamplighter", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    problems.install(app)
    app.add_exception_handler(NotConfirmed, ask)
    for part in parts:
        app.include_router(part.router)
    return app


def make_app(view: ServiceView, parts: Sequence[Routes] = PARTS) -> FastAPI:
    """The app of a service, with access control and security headers."""
    app = assembled(parts)
    app.state.view = view
    app.state.streams = Streams()
    app.state.auth = auth = AuthState(view)
    app.add_middleware(GZipMiddleware, minimum_size=_PACKED_FROM_BYTES, compresslevel=5)
    app.add_middleware(RouteGuard, routes=[route for part in parts for route in part.router.routes], auth=auth)
    app.add_middleware(SecurityHeaders, only_loopback_names=view.settings.is_dev)
    return app


class WebServer(uvicorn.Server):
    """A uvicorn server in the service's own event loop; the service handles signals."""

    def __init__(self, app: FastAPI, *, grace_seconds: float) -> None:
        self._streams: Streams = app.state.streams
        super().__init__(
            uvicorn.Config(
                app,
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
