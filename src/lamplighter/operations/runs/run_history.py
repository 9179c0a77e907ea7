"""The history of runs: of all sources, of a job, of a source, and one run in detail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlJob, CrawlRun, RunOutcome
from lamplighter.model.source import Source
from lamplighter.operations.list_part import ListPart
from lamplighter.rules.schedule import reasons
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs, job_lists
from lamplighter.store.runs import activity, crawl_runs, run_history, run_lists
from lamplighter.store.runs.activity import OpenPages
from lamplighter.store.runs.run_history import RunFilter
from lamplighter.store.sources import sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """A run in the eyes of those who count tries."""

    run: CrawlRun
    #: the job's public id
    job: str
    #: which quick try it was after a failure; 0 when it was none
    attempt: int


async def kept_job(db: Connection, public_id: str) -> CrawlJob:
    """The job with this id, deleted or not: its runs and their logs are kept."""
    detail = await job_lists.kept(db, public_id)
    if detail is None:
        raise NotFound(f"there is no crawl job {public_id}; GET /api/v1/jobs lists them", code="job_not_found")
    return detail.job


async def of_job(db: Connection, public_id: str, *, limit: int, offset: int) -> ListPart[Execution]:
    """The runs of a job, the latest first."""
    return await _page(db, await kept_job(db, public_id), limit=limit, offset=offset)


async def of_source(db: Connection, source_id: str, *, limit: int, offset: int) -> ListPart[Execution]:
    """The runs of a source, whether or not its job is still shown."""
    source = await sources.by_public_id(db, source_id)
    if source is None:
        raise NotFound(f"there is no source {source_id}; GET /api/v1/sources lists them", code="source_not_found")
    job = await crawl_jobs.of_source(db, source.id)
    return await _page(db, job, limit=limit, offset=offset) if job else ListPart(rows=[], total=0)


async def execution(db: Connection, public_id: str) -> Execution:
    """The run with this id."""
    run = await run_lists.by_public_id(db, public_id)
    job = await crawl_jobs.get(db, run.job_id) if run is not None else None
    if run is None or job is None:
        raise NotFound(f"there is no execution {public_id}", code="execution_not_found")
    return (await _executions(db, job, [run]))[0]


async def _page(db: Connection, job: CrawlJob, *, limit: int, offset: int) -> ListPart[Execution]:
    runs = await run_lists.of_job(db, job.id, limit=limit, offset=offset)
    return ListPart(rows=await _executions(db, job, runs), total=await run_lists.count_of_job(db, job.id))


async def _executions(db: Connection, job: CrawlJob, runs: Sequence[CrawlRun]) -> list[Execution]:
    numbers = [run.number for run in runs] or [0]
    earliest = min(numbers) - job.max_retries - 1
    outcomes = await run_lists.outcomes(db, job.id, first=earliest, last=max(numbers))
    return [
        Execution(run=run, job=job.public_id, attempt=attempt(run.number, outcomes, max_retries=job.max_retries))
        for run in runs
    ]


def attempt(number: int, outcomes: Mapping[int, str | None], *, max_retries: int) -> int:
    """Which quick try a run was: so many failed in a row just before it; after more than there are tries, none."""
    failed = 0
    while failed <= max_retries and outcomes.get(number - 1 - failed) == RunOutcome.FAIL:
        failed += 1
    return failed if failed <= max_retries else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run, and whose it is."""

    run: CrawlRun
    source_id: str
    source_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetail:
    """A run with what surrounds it."""

    run: CrawlRun
    job: CrawlJob
    source: Source
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


async def listed(db: Connection, wanted: RunFilter, *, limit: int, offset: int) -> ListPart[ListedRun]:
    """The runs wanted, the latest first; the total is as far as they were counted."""
    rows, total = await run_history.listed(db, wanted, limit=limit, offset=offset)
    found = [
        ListedRun(run=crawl_runs.run_of(row), source_id=row.source_public_id, source_name=row.source_name)
        for row in rows
    ]
    return ListPart(rows=found, total=total)


async def one(db: Connection, public_id: str) -> RunDetail:
    """The run with this id."""
    found = await execution(db, public_id)
    run = found.run
    job, source = await crawl_jobs.get(db, run.job_id), await sources.get(db, run.source_id)
    if job is None or source is None:
        raise NotFound(f"there is no run {public_id}", code="execution_not_found")
    left = await activity.open_pages(db, [run.id])
    return RunDetail(
        run=run,
        job=job,
        source=source,
        attempt=found.attempt,
        left=left.get(run.id, OpenPages()),
        next_run_at=job.next_run_at,
        why_then=reasons.sentence(job.next_run_reason) if job.next_run_at is not None else None,
    )


async def pages_of(db: Connection, run: CrawlRun, *, limit: int, offset: int) -> tuple[list[Any], int]:
    """Its pages, the newest first, but for those that a later run has taken on; counted up to MOST_COUNTED + 1."""
    rows, total = await run_history.pages_of(db, run.id, limit=limit, offset=offset)
    return list(rows), total
