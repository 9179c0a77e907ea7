"""SQL about tombstones: records that an operator removed, and that are not to be kept again."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.lists import Among
from lamplighter.store.tables import tombstones
from lamplighter.store.upsert import insert

_MANY = 500


class Tombstone(NamedTuple):
    """What is left of a record that was removed."""

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
    wanted = sorted(hashes)
    found: dict[str, Tombstone] = {}
    for start in range(0, len(wanted), _MANY):
        rows = await db.execute(_AMONG, {"hashes": wanted[start : start + _MANY]})
        found |= {row.canonical_hash: Tombstone._make(row) for row in rows}
    return found


async def lift(db: Connection, canonical_hash: str) -> None:
    """Lets a record be stored again."""
    await db.execute(sa.delete(tombstones).where(tombstones.c.canonical_hash == canonical_hash))
