"""SQL about what sources inherit from their tags."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.lists import Among
from lamplighter.store.tables import source_tags, tags


class TagOrder(NamedTuple):
    """What a tag says of the schedule of sources that carry it; None where it says nothing."""

    tag: str
    policy: str | None
    interval_seconds: int | None
    min_interval_seconds: int | None
    max_interval_seconds: int | None
    #: as stored
    windows: Any
    max_pages: int | None


_OF_ALL = sa.select(source_tags.c.source_id, *(tags.c[name] for name in TagOrder._fields)).join(
    tags, tags.c.tag == source_tags.c.tag
)
_OF_SOME = _OF_ALL.where(Among(source_tags.c.source_id, "sources"))


async def many(db: Connection, source_ids: Iterable[int]) -> dict[int, list[TagOrder]]:
    """What the tags of these sources say, in the order of the tags' names; sources without such tags are left out."""
    return _by_source(await db.execute(_OF_SOME, {"sources": sorted(set(source_ids))}))


async def of_all(db: Connection) -> dict[int, list[TagOrder]]:
    """The same of every source."""
    return _by_source(await db.execute(_OF_ALL))


def _by_source(rows: Iterable[Any]) -> dict[int, list[TagOrder]]:
    by_source: dict[int, list[TagOrder]] = {}
    for row in rows:
        by_source.setdefault(row.source_id, []).append(TagOrder._make(row[1:]))
    # Sorted here, since databases differ in how they sort names.
    return {source_id: sorted(orders, key=lambda order: order.tag) for source_id, orders in by_source.items()}
