"""SQL about what the installation did last for its own upkeep, whichever process did it."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import upkeep
from lamplighter.store.upsert import insert


class Upkeep(StrEnum):
    """What is noted."""

    #: the scheduler looked for due jobs
    LOOK = "look"
    #: something was forgotten because it was kept long enough
    SWEEP = "sweep"
    #: the database was brought back from a backup
    RESTORE = "restore"
    #: the tallies were compared with a fresh count
    TALLIES = "tallies"


class Done(NamedTuple):
    """When something was done last, and what came of it."""

    at: datetime
    figures: Mapping[str, Any]


async def note(db: Connection, what: Upkeep, *, now: datetime, figures: Mapping[str, Any] | None = None) -> None:
    """Notes that something was done, in place of the time before."""
    said = {"at": now, "figures": dict(figures or {})}
    statement = insert(db, upkeep).values(name=what, **said)
    await db.execute(statement.on_conflict_do_update(index_elements=["name"], set_=said))


async def last(db: Connection, what: Upkeep) -> Done | None:
    """When something was done last; None when it never was."""
    row = (await db.execute(sa.select(upkeep.c.at, upkeep.c.figures).where(upkeep.c.name == what))).one_or_none()
    return Done._make(row) if row is not None else None
