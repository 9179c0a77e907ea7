"""The demo's sources: fictional sites on this machine, which one click removes for good.

The label alone does not make a source one of them: anybody may call a source of their own so.
"""

from datetime import datetime

from lamplighter.operations.sources import forget
from lamplighter.rules import urls
from lamplighter.store import sources
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow

TAG = "demo"
HOST = "127.0.0.1"


async def registered(db: Connection) -> list[SourceRow]:
    """Those that are watched."""
    return [source for source in await sources.all_with_tag(db, TAG) if urls.parse(source.url).hostname == HOST]


async def remove(db: Connection, *, actor: str, now: datetime) -> None:
    """Removes them, and all that was found through them."""
    for source in await registered(db):
        await forget(db, source, actor=actor, now=now)
