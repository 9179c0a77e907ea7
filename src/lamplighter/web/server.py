"""The web application and its server."""

from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from lamplighter.web import health, pages
from lamplighter.web.rim import Rim
from lamplighter.web.view import ServiceView

__all__ = ["ServiceView", "WebServer", "make_app"]


def make_app(view: ServiceView) -> FastAPI:
    """Everything that can be asked for; what is not listed here does not exist."""
    app = FastAPI(title="Lamplighter", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.view = view
    app.get("/health")(health.health)
    app.get("/")(pages.status_page)
    app.get("/bot")(pages.bot_page)
    app.get("/static/lamplighter.css")(pages.style_sheet)
    app.post("/demo/remove")(pages.remove_demo)
    app.add_middleware(Rim)
    return app


class WebServer(uvicorn.Server):
    """A server inside the service's own loop; signals are the service's affair."""

    def __init__(self, app: FastAPI, *, grace_seconds: float) -> None:
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

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals alone."""
        yield
