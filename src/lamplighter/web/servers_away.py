"""Which servers do not answer this process: as last checked, and as their clients have found since."""

import asyncio

from lamplighter.model.fleet import Server
from lamplighter.web.service_view import ServiceView

_PATIENCE_SECONDS = 1


async def servers_away(view: ServiceView) -> list[Server]:
    """The servers of the settings that do not answer."""
    parts = view.connections
    search = view.search.server
    found = {
        Server.REDIS: "away" in parts.mirror().values() or await _is_stream_away(view),
        Server.RABBITMQ: view.settings.queue_url is not None and parts.queue.trouble is not None,
        Server.ARCHIVE: view.storage.room()["archive"]["state"] == "away",
        Server.SEARCH: search is not None and search.trouble is not None,
    }
    return [server for server in Server if found[server] or server in parts.away()]


async def _is_stream_away(view: ServiceView) -> bool:
    if view.settings.events_url is None:
        return False
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return (await view.connections.events.figures()).circuit == "open"
    except TimeoutError:
        return False
