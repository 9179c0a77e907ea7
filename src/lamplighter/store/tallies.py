"""SQL about tallies: how many sources and jobs there are, without counting them (how they are kept: `tally_ddl`)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.store import tally_ddl
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.run_tallies import step_of
from lamplighter.store.tables import job_tallies, source_tallies
from lamplighter.store.tally_ddl import Tally


class Standing(NamedTuple):
    """How a job stands, as far as jobs are counted by it."""

    state: str
    #: empty when there is none
    pause_reason: str
    #: neither it nor its source is deleted, and that is crawled from its URL
    is_listed: bool
    has_failed: bool
    is_retrying: bool
    #: its latest run was not as it should be
    ended_badly: bool


_KEYS = tuple(job_tallies.c[name] for name in Standing._fields)
_JOBS = sa.select(*_KEYS, sa.func.sum(job_tallies.c.jobs)).group_by(*_KEYS)
_SOURCES = sa.select(sa.func.sum(source_tallies.c.sources)).where(~source_tallies.c.is_implicit)


async def jobs(db: Connection) -> dict[Standing, int]:
    """How many jobs stand how."""
    rows: Iterable[Sequence[Any]] = await db.execute(_JOBS)
    return {Standing._make(row[:-1]): int(row[-1]) for row in rows if row[-1]}


def listed_by_state(standings: Mapping[Standing, int]) -> dict[str, int]:
    """State -> number of jobs that are in lists."""
    found = Counter[str]()
    for standing, number in standings.items():
        if standing.is_listed:
            found[standing.state] += number
    return found


async def sources(db: Connection, *, deleted: bool | None = False, enabled: bool | None = None) -> int:
    """How many sources there are, but for those that hold only submitted pages; None leaves a question open."""
    asked = {"is_deleted": deleted, "enabled": enabled}
    which = [source_tallies.c[name].is_(value) for name, value in asked.items() if value is not None]
    return int(await db.scalar(_SOURCES.where(*which)) or 0)


async def fold(db: Connection) -> None:
    """Gathers what was counted since the last time; on SQLite nothing is left to gather."""
    for tally in () if db.dialect.name == "sqlite" else tally_ddl.POSTGRESQL_TALLIES:
        await db.execute(sa.text(tally_ddl.fold(tally)))


async def are_right(db: Connection, *, since: datetime) -> bool:
    """Whether all tallies say what a fresh count does; of runs, those that began since then are counted."""
    first = {"first": step_of(since)}
    for query in (tally_ddl.MISTAKEN, *(tally.comparison() for tally in _tallies(db))):
        if (await db.execute(sa.text(f"{query} LIMIT 1"), first)).first() is not None:
            return False
    return True


async def repair(db: Connection, *, since: datetime) -> int:
    """Makes them right, however they came to be wrong; returns how many were."""
    first = {"first": step_of(since)}
    await db.execute(sa.text(tally_ddl.CORRECTED))
    ending = tally_ddl.added if db.dialect.name == "sqlite" else lambda _: ""
    repairs = (tally.repair(ending(tally)) for tally in _tallies(db))
    return sum([rows_written(await db.execute(sa.text(statement), first)) for statement in repairs])


def _tallies(db: Connection) -> tuple[Tally, ...]:
    return tally_ddl.SQLITE_TALLIES if db.dialect.name == "sqlite" else tally_ddl.POSTGRESQL_TALLIES
