"""The demo's sources: fictional sites on this machine, which one click removes for good.

The tag alone does not make a source one of them: operators may use the same tag.
"""

from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources.sources import forget
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import sources

TAG = "demo"
HOST = "127.0.0.1"


async def registered(db: Connection) -> list[Source]:
    """Those that are watched."""
    return [source for source in await sources.all_with_tag(db, TAG) if urls.parse(source.url).hostname == HOST]


async def remove(db: Connection, *, stamp: Stamp) -> None:
    """Removes them, and all that was found through them."""
    for source in await registered(db):
        await forget(db, source, stamp=stamp)
