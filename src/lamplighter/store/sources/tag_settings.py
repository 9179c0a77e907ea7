"""Queries for settings inherited from tags."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from lamplighter.model.source import TagOptions
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import source_tags, tags
from lamplighter.store.sources.tags import COLUMNS, settings_of

_OF_ALL = sa.select(source_tags.c.source_id, tags.c.tag, *COLUMNS).join(tags, tags.c.tag == source_tags.c.tag)
_OF_SOME = _OF_ALL.where(Among(source_tags.c.source_id, "sources"))


async def many(db: Connection, source_ids: Iterable[int]) -> dict[int, list[TagOptions]]:
    """Source -> settings of its tags, sorted by tag; sources without such tags are omitted."""
    return _by_source(await db.execute(_OF_SOME, {"sources": sorted(set(source_ids))}))


async def of_all(db: Connection) -> dict[int, list[TagOptions]]:
    """The same for all sources."""
    return _by_source(await db.execute(_OF_ALL))


def _by_source(rows: Iterable[Any]) -> dict[int, list[TagOptions]]:
    by_source: dict[int, list[TagOptions]] = {}
    for row in rows:
        by_source.setdefault(row.source_id, []).append(settings_of(row[1:]))
    # Sorted here, because databases sort names differently.
    return {source_id: sorted(orders, key=lambda order: order.tag) for source_id, orders in by_source.items()}
