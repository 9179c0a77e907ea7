"""Carries over into a restored database what no restore undoes, and applies it as when it was made.

A takedown pauses its sources again, the record of a tombstone goes again, and what was purged since the backup is
purged again. The archive is not touched: it was not restored, so what was discarded there is gone already.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from lamplighter import telemetry
from lamplighter.model.access import Stamp
from lamplighter.operations.hosts import purge, takedowns
from lamplighter.store.backup import restore_carryover
from lamplighter.store.backup.restore_carryover import CarriedOver, RestoreCarryover
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import records
from lamplighter.store.schema.tables import tombstones

log = telemetry.logger("backups")


async def known_to(db: Database) -> RestoreCarryover | None:
    """What the database that is to be replaced knows; None when it cannot be read, which may be why it is replaced."""
    try:
        async with db.read() as reading:
            return await restore_carryover.read(reading)
    except (SQLAlchemyError, sqlite3.Error, OSError, ValueError, TypeError) as error:
        log.warning("restore.unreadable", error=type(error).__name__)
        return None


async def carry_over(
    db: Database, known: RestoreCarryover, *, brought: CarriedOver, stamp: Stamp
) -> tuple[CarriedOver, Sequence[str]]:
    """Adds what the restored database lacks besides what was `brought`; returns all of it, and what was purged."""

    async def work(writing: Connection) -> tuple[CarriedOver, list[str]]:
        purged = (await restore_carryover.read(writing)).purged
        everything = brought.and_also(await restore_carryover.add(writing, known))
        await _apply(writing, known, everything, stamp=stamp)
        # An entry that was taken off the list since may be stored again.
        return everything, [
            entry for entry, at in known.purged.items() if entry in known.takedowns and purged.get(entry) != at
        ]

    everything, to_purge = await db.write(work)
    for entry in to_purge:
        await purge.purge(db, None, entry, actor=stamp.actor, clock=_Moment(at=stamp.now))
    return everything, to_purge


async def _apply(db: Connection, known: RestoreCarryover, brought: CarriedOver, *, stamp: Stamp) -> None:
    for entry in sorted(brought.takedowns):
        await takedowns.add(db, entry, reason=known.takedowns[entry]["reason"], stamp=stamp)
    for canonical_hash in sorted(brought.tombstones):
        record = await records.get(db, canonical_hash)
        if record is None:
            continue
        mine = tombstones.c.canonical_hash == canonical_hash
        await db.execute(sa.update(tombstones).where(mine).values(page_id=record.page_id))
        await records.delete(db, record.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """The clock of a restore."""

    at: datetime

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return 0.0
