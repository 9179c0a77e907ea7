"""The web application and its server."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from lamplighter import __version__
from lamplighter.web import health, login, metrics_page, public
from lamplighter.web.access.desk import Desk
from lamplighter.web.access.guard import Guard
from lamplighter.web.api import problems
from lamplighter.web.api.event_stream import Streams
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.table import API
from lamplighter.web.dashboard.table import DASHBOARD
from lamplighter.web.rim import Rim
from lamplighter.web.view import ServiceView

__all__ = ["ServiceView", "WebServer", "make_app"]


#: smaller answers are sent as they are
_PACKED_FROM_BYTES = 1000
#: everything that is served
PARTS = (*DASHBOARD, public.ROUTES, login.ROUTES, health.ROUTES, metrics_page.ROUTES, *API)
#: what is served of a process that is there for no visitor
FOR_MONITORS = (health.ROUTES, metrics_page.ROUTES)


def assembled(parts: Sequence[Routes] = PARTS) -> FastAPI:
    """Everything that can be asked for; what is not listed here does not exist."""
    app = FastAPI(title="Lamplighter", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    problems.install(app)
    for part in parts:
        app.include_router(part.router)
    return app


def make_app(view: ServiceView, parts: Sequence[Routes] = PARTS) -> FastAPI:
    """The application of a service, with its guard and its rim."""
    app = assembled(parts)
    app.state.view = view
    app.state.streams = Streams()
    app.state.desk = desk = Desk(view)
    app.add_middleware(GZipMiddleware, minimum_size=_PACKED_FROM_BYTES, compresslevel=5)
    app.add_middleware(Guard, routes=[route for part in parts for route in part.router.routes], desk=desk)
    app.add_middleware(Rim, only_loopback_names=view.settings.is_dev)
    return app


class WebServer(uvicorn.Server):
    """A server inside the service's own loop; signals are the service's affair."""

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
        """Ends the streams first: they would not end by themselves, and the server waits for open answers."""
        self._streams.stop()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals alone."""
        yield
