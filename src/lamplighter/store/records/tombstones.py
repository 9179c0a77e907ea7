"""SQL about tombstones: records that an operator removed and that are not stored again."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine import queries
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import tombstones


class Tombstone(NamedTuple):
    """The tombstone of a removed record."""

    canonical_hash: str
    reason: str
    title: str
    page_id: int | None
    created_at: datetime


_AMONG = sa.select(*(tombstones.c[name] for name in Tombstone._fields)).where(
    Among(tombstones.c.canonical_hash, "hashes")
)


async def add(db: Connection, stone: Tombstone) -> None:
    """Keeps a record from being stored again."""
    await db.execute(insert(db, tombstones).on_conflict_do_nothing(), [stone._asdict()])


async def among(db: Connection, hashes: Iterable[str]) -> dict[str, Tombstone]:
    """Those of the canonical hashes that have a tombstone."""
    found: dict[str, Tombstone] = {}
    for some in queries.chunks(sorted(hashes)):
        found |= {row.canonical_hash: Tombstone._make(row) for row in await db.execute(_AMONG, {"hashes": some})}
    return found


async def lift(db: Connection, canonical_hash: str) -> None:
    """Lets a record be stored again."""
    await db.execute(sa.delete(tombstones).where(tombstones.c.canonical_hash == canonical_hash))
