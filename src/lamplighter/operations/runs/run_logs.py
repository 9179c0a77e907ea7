"""Run logs: list, read, follow."""

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.crawl import CrawlJob, CrawlRun
from lamplighter.operations.runs.run_history import kept_job
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import crawl_runs, run_lists, run_log
from lamplighter.store.runs.run_log import ALL, LogExtent, LogFilter, RunLogLine

#: lines that a late reader gets first
REPLAYED = 200
#: lines read at a time
CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRun:
    """A run, and how much it wrote."""

    run: CrawlRun
    #: None when it wrote nothing, or nothing of it is kept
    extent: LogExtent | None


class Cursor(NamedTuple):
    """Which run is being read, and up to which line; None while the job has had no run."""

    job_id: int
    run: CrawlRun | None
    after: int


class LogTail(NamedTuple):
    """What was written since the last look."""

    cursor: Cursor
    lines: list[RunLogLine]
    #: the run has ended, and all its lines were sent
    is_over: bool


async def overview(db: Connection, job_id: str, *, limit: int, offset: int) -> tuple[list[LoggedRun], int]:
    """The runs of a job, the latest first, with how much each wrote; and how many there are."""
    job = await kept_job(db, job_id)
    runs = await run_lists.of_job(db, job.id, limit=limit, offset=offset)
    extents = await run_log.extents(db, [run.id for run in runs])
    found = [LoggedRun(run=run, extent=extents.get(run.id)) for run in runs]
    return found, await run_lists.count_of_job(db, job.id)


async def find_run(db: Connection, job_id: str, execution: str | None) -> CrawlRun:
    """A run of this job, by its id or its number; the latest when neither is given."""
    run = await _run(db, await kept_job(db, job_id), execution)
    if run is None:
        raise NotFound("this crawl job has not run yet", code="execution_not_found")
    return run


async def lines(
    db: Connection, run: CrawlRun, *, after: int, which: LogFilter = ALL, search: str | None = None, limit: int
) -> tuple[list[RunLogLine], int]:
    """The lines of a run that follow the one with this id; the total is of those before `search` narrows them."""
    found = await run_log.of_run(db, run.id, after=after, which=which, search=search, limit=limit)
    return found, await run_log.count(db, run.id, which)


async def begin(db: Connection, job_id: str, *, execution: str | None, last_line: int | None) -> Cursor:
    """Where a reader begins: after the last line it had, else with the latest lines of the run."""
    job = await kept_job(db, job_id)
    if last_line is not None:
        run_id = await run_log.run_of_line(db, last_line)
        run = await crawl_runs.get(db, run_id) if run_id is not None else None
        if run is not None and run.job_id == job.id:
            return Cursor(job.id, run, last_line)
    run = await _run(db, job, execution)
    if run is None:
        return Cursor(job.id, None, 0)
    latest = await run_log.latest(db, run.id, limit=REPLAYED + 1)
    return Cursor(job.id, run, latest[0].id if len(latest) > REPLAYED else 0)


async def read_on(db: Connection, cursor: Cursor, *, follow: bool) -> LogTail:
    """The next lines; who follows is led from a run that is over to the next."""
    # The run before its lines: what was not over when we looked may have written more since.
    run = await crawl_runs.get(db, cursor.run.id) if cursor.run is not None else None
    if run is None:
        first = await run_lists.next_of_job(db, cursor.job_id, after=cursor.run.number if cursor.run else 0)
        return LogTail(cursor._replace(run=first or cursor.run), [], is_over=first is None)
    found = await run_log.of_run(db, run.id, after=cursor.after, limit=CHUNK)
    after = found[-1].id if found else cursor.after
    is_over = run.finished_at is not None and len(found) < CHUNK
    if is_over and follow and not found:
        later = await run_lists.next_of_job(db, cursor.job_id, after=run.number)
        if later is not None:
            return LogTail(Cursor(cursor.job_id, later, after), [], is_over=False)
    return LogTail(Cursor(cursor.job_id, run, after), found, is_over)


async def _run(db: Connection, job: CrawlJob, execution: str | None) -> CrawlRun | None:
    if execution is None:
        return next(iter(await run_lists.of_job(db, job.id, limit=1)), None)
    if execution.isascii() and execution.isdigit() and len(execution) < 10:
        run = await run_lists.by_number(db, job.id, int(execution))
    else:
        run = await run_lists.by_public_id(db, _uuid(execution))
    if run is None or run.job_id != job.id:
        raise NotFound(f"this crawl job has no execution {execution}", code="execution_not_found")
    return run


def _uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        message = f"execution {text[:80]!r} is neither an id nor a number; GET …/logs lists them"
        raise BadInput(message, field="execution") from None
