"""Answers monitors on behalf of a worker: /metrics and /health, to the same people as `serve` does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lamplighter.app import Service
from lamplighter.cli.serve import check_access, listen, view_of
from lamplighter.web.server import FOR_MONITORS, WebServer, make_app


@asynccontextmanager
async def answering_monitors(service: Service, *, port: int) -> AsyncIterator[None]:
    """Meanwhile, they are answered on this port of the address that `serve` would have."""
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
