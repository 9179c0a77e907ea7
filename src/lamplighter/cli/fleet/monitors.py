"""The HTTP server of a worker for monitors: /metrics and /health, with the same access rules as `serve`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lamplighter.app import Service
from lamplighter.app.web_view import view_of
from lamplighter.cli.fleet.serve import check_access, listen
from lamplighter.web.server import FOR_MONITORS, WebServer, make_app


@asynccontextmanager
async def answering_monitors(service: Service, *, port: int) -> AsyncIterator[None]:
    """Serves /metrics and /health on this port within the context."""
    settings = service.settings
    check_access(settings)
    with listen(settings, port, option="LAMPLIGHTER_METRICS_PORT") as listening:
        server = WebServer(make_app(view_of(service), FOR_MONITORS), grace_seconds=settings.grace_seconds)
        async with asyncio.TaskGroup() as group:
            group.create_task(server.serve(sockets=[listening]))
            try:
                yield
            finally:
                server.should_exit = True
