"""The history of runs: a list to look through, and one of them with all that is known of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlJob, CrawlRun
from lamplighter.operations import executions
from lamplighter.rules import reasons
from lamplighter.store import activity, crawl_jobs, crawl_runs, run_history, sources
from lamplighter.store.activity import OpenPages
from lamplighter.store.database import Connection
from lamplighter.store.run_history import Wanted
from lamplighter.store.sources import SourceRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run, and whose it is."""

    run: CrawlRun
    source_id: str
    source_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """A part of the history, the latest first, and how long it is as far as it was counted."""

    runs: list[ListedRun]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetail:
    """A run with what surrounds it."""

    run: CrawlRun
    job: CrawlJob
    source: SourceRow
    #: which quick try it was after a failure; 0 when it was none
    attempt: int
    #: what it has still to do; nothing when it has ended
    left: OpenPages
    #: when the job runs next, and why then, in words; None when no run is planned
    next_run_at: datetime | None
    why_then: str | None

    @property
    def is_listed(self) -> bool:
        """Whether its job is one that lists show and programs can ask for."""
        return self.job.deleted_at is None and self.source.deleted_at is None and not self.source.is_implicit


async def listed(db: Connection, wanted: Wanted, *, limit: int, offset: int) -> RunPage:
    """The runs wanted."""
    rows, total = await run_history.listed(db, wanted, limit=limit, offset=offset)
    found = [
        ListedRun(run=crawl_runs.run_of(row), source_id=row.source_public_id, source_name=row.source_name)
        for row in rows
    ]
    return RunPage(runs=found, total=total)


async def one(db: Connection, public_id: str) -> RunDetail:
    """The run with this id."""
    execution = await executions.one(db, public_id)
    run = execution.run
    job, source = await crawl_jobs.get(db, run.job_id), await sources.get(db, run.source_id)
    if job is None or source is None:
        raise NotFound(f"there is no run {public_id}", code="execution_not_found")
    left = await activity.open_pages(db, [run.id])
    return RunDetail(
        run=run,
        job=job,
        source=source,
        attempt=execution.attempt,
        left=left.get(run.id, OpenPages()),
        next_run_at=job.next_run_at,
        why_then=reasons.sentence(job.next_run_reason) if job.next_run_at is not None else None,
    )


async def pages_of(db: Connection, run: CrawlRun, *, limit: int, offset: int) -> tuple[list[Any], int]:
    """Its pages, the newest first, but for those that a later run has taken on; counted up to MOST_COUNTED + 1."""
    rows, total = await run_history.pages_of(db, run.id, limit=limit, offset=offset)
    return list(rows), total
