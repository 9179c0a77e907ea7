"""Queries for tallies: the numbers of sources and jobs, without counting rows (see `tally_ddl`)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.crawl import JobFacts, JobState, PauseReason
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.jobs import job_conditions
from lamplighter.store.runs.run_tallies import step_of
from lamplighter.store.schema import tally_ddl
from lamplighter.store.schema.tables import crawl_jobs, job_tallies, source_tallies
from lamplighter.store.schema.tables import sources as all_sources
from lamplighter.store.schema.tally_ddl import TallyDefinition

_KEYS = tuple(job_tallies.c[name] for name in tally_ddl.JOB_FACTS)
#: the same of a job's own row
_FACTS: tuple[sa.ColumnElement[Any], ...] = tuple(
    sa.literal_column(fact.format("crawl_jobs")) for fact in tally_ddl.JOB_FACTS.values()
)
_JOBS = sa.select(*_KEYS, sa.func.sum(job_tallies.c.jobs)).group_by(*_KEYS)
_SOURCES = sa.select(sa.func.sum(source_tallies.c.sources)).where(~source_tallies.c.is_implicit)


async def jobs(db: Connection) -> dict[JobFacts, int]:
    """Facts -> number of jobs."""
    rows: Iterable[Sequence[Any]] = await db.execute(_JOBS)
    return {_facts(row): int(row[-1]) for row in rows if row[-1]}


def _facts(row: Sequence[Any]) -> JobFacts:
    return JobFacts(**dict(zip(tally_ddl.JOB_FACTS, row, strict=False)))


#: of a source that is disabled from the start and has no job
_NO_JOB = JobFacts(
    state=JobState.PAUSED,
    pause_reason=PauseReason.SOURCE_DISABLED,
    is_shown=True,
    is_deleted=True,
    has_failed=False,
    is_retrying=False,
    is_held=False,
    last_outcome="",
)
_DISABLED_WITHOUT_JOB = sa.select(sa.func.count()).where(
    ~all_sources.c.enabled,
    all_sources.c.deleted_at.is_(None),
    ~all_sources.c.is_implicit,
    all_sources.c.id.not_in(sa.select(crawl_jobs.c.source_id)),
)


async def jobs_now(db: Connection, *, sources: int, now: datetime) -> dict[JobFacts, int]:
    """The same, those that wait for their host now apart, and disabled ones of the `sources` that have no job."""
    counts = await _jobs_by_wait(db, now=now)
    if sources > sum(number for known, number in counts.items() if known.is_shown):
        disabled = int(await db.scalar(_DISABLED_WITHOUT_JOB) or 0)
        counts[_NO_JOB] = counts.get(_NO_JOB, 0) + disabled
    return counts


async def _jobs_by_wait(db: Connection, *, now: datetime) -> dict[JobFacts, int]:
    any_shut = sa.exists(job_conditions.shut_hosts(now)).label("any_shut")
    rows: Sequence[Sequence[Any]] = (await db.execute(_JOBS.add_columns(any_shut))).all()
    counts = Counter({_facts(row): int(row[-2]) for row in rows})
    if not rows or not rows[0][-1]:
        return {known: number for known, number in counts.items() if number}
    for part in job_conditions.waits(now):
        query = sa.select(*_FACTS, sa.func.count()).select_from(crawl_jobs).where(part).group_by(*_FACTS)
        rows = (await db.execute(query)).all()
        for row in rows:
            known = _facts(row)
            counts[known] -= row[-1]
            counts[known._replace(waits=True)] += row[-1]
    return {known: number for known, number in counts.items() if number > 0}


async def sources(db: Connection, *, deleted: bool | None = False, enabled: bool | None = None) -> int:
    """How many sources there are, without implicit ones; None does not filter."""
    wanted = {"is_deleted": deleted, "enabled": enabled}
    which = [source_tallies.c[name].is_(value) for name, value in wanted.items() if value is not None]
    return int(await db.scalar(_SOURCES.where(*which)) or 0)


async def fold(db: Connection) -> None:
    """Folds the parts of all tallies into part 0; does nothing on SQLite."""
    for tally in () if db.dialect.name == "sqlite" else tally_ddl.POSTGRESQL_TALLIES:
        await db.execute(sa.text(tally_ddl.fold(tally)))


async def are_right(db: Connection, *, since: datetime) -> bool:
    """Whether all tallies equal a fresh count; for runs, of those that began since then."""
    first = {"first": step_of(since)}
    for query in (tally_ddl.MISTAKEN, *(tally.comparison() for tally in _tallies(db))):
        if (await db.execute(sa.text(f"{query} LIMIT 1"), first)).first() is not None:
            return False
    return True


async def repair(db: Connection, *, since: datetime) -> int:
    """Corrects all tallies by a fresh count; returns how many were wrong."""
    first = {"first": step_of(since)}
    await db.execute(sa.text(tally_ddl.CORRECTED))
    ending = tally_ddl.added if db.dialect.name == "sqlite" else lambda _: ""
    repairs = (tally.repair(ending(tally)) for tally in _tallies(db))
    return sum([rows_written(await db.execute(sa.text(statement), first)) for statement in repairs])


def _tallies(db: Connection) -> tuple[TallyDefinition, ...]:
    return tally_ddl.SQLITE_TALLIES if db.dialect.name == "sqlite" else tally_ddl.POSTGRESQL_TALLIES
