"""SQL about upkeep: when each maintenance job was last done, by any process."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import upkeep


class Upkeep(StrEnum):
    """Upkeep kinds."""

    #: the scheduler looked for due jobs
    LOOK = "look"
    #: rows past their retention time were deleted
    SWEEP = "sweep"
    #: the database was restored from a backup
    RESTORE = "restore"
    #: the tallies were compared with a fresh count
    TALLIES = "tallies"
    #: the scheduling policies were compared on our own history
    COMPARISON = "comparison"


class UpkeepResult(NamedTuple):
    """When upkeep was last done, and its figures."""

    at: datetime
    figures: Mapping[str, Any]


async def note(db: Connection, what: Upkeep, *, now: datetime, figures: Mapping[str, Any] | None = None) -> None:
    """Notes that upkeep was done, replacing the last note."""
    said = {"at": now, "figures": dict(figures or {})}
    statement = insert(db, upkeep).values(name=what, **said)
    await db.execute(statement.on_conflict_do_update(index_elements=["name"], set_=said))


async def last(db: Connection, what: Upkeep) -> UpkeepResult | None:
    """When upkeep was last done; None if never."""
    row = (await db.execute(sa.select(upkeep.c.at, upkeep.c.figures).where(upkeep.c.name == what))).one_or_none()
    return UpkeepResult._make(row) if row is not None else None
