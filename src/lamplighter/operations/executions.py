"""Runs as history: of a job, of a source, or one by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlJob, CrawlRun, Outcome
from lamplighter.store import crawl_jobs, job_lists, run_lists, sources
from lamplighter.store.database import Connection
from lamplighter.store.run_lists import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """A run in the eyes of those who count tries."""

    run: CrawlRun
    #: the job's public id
    job: str
    #: which quick try it was after a failure; 0 when it was none
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPage:
    """A part of the history, the latest first, and how long the whole is."""

    executions: list[Execution]
    total: int


async def of_job(db: Connection, public_id: str, *, limit: int, offset: int) -> ExecutionPage:
    """The runs of a job."""
    detail = await job_lists.get(db, public_id)
    if detail is None:
        raise NotFound(f"there is no crawl job {public_id}; GET /api/v1/jobs lists them", code="job_not_found")
    return await _page(db, detail.job, limit=limit, offset=offset)


async def of_source(db: Connection, source_id: str, *, limit: int, offset: int) -> ExecutionPage:
    """The runs of a source, whether or not its job is still shown."""
    source = await sources.by_public_id(db, source_id)
    if source is None:
        raise NotFound(f"there is no source {source_id}; GET /api/v1/sources lists them", code="source_not_found")
    job = await crawl_jobs.of_source(db, source.id)
    return await _page(db, job, limit=limit, offset=offset) if job else ExecutionPage(executions=[], total=0)


async def one(db: Connection, public_id: str) -> Execution:
    """The run with this id."""
    run = await run_lists.by_public_id(db, public_id)
    job = await crawl_jobs.get(db, run.job_id) if run is not None else None
    if run is None or job is None:
        raise NotFound(f"there is no execution {public_id}", code="execution_not_found")
    return (await _executions(db, job, [run]))[0]


async def statistics(db: Connection, job: CrawlJob) -> Summary:
    """What the kept runs of a job come to."""
    return await run_lists.summary(db, job_id=job.id)


async def _page(db: Connection, job: CrawlJob, *, limit: int, offset: int) -> ExecutionPage:
    runs = await run_lists.of_job(db, job.id, limit=limit, offset=offset)
    return ExecutionPage(executions=await _executions(db, job, runs), total=await run_lists.count_of_job(db, job.id))


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
    while failed <= max_retries and outcomes.get(number - 1 - failed) == Outcome.FAIL:
        failed += 1
    return failed if failed <= max_retries else 0
