"""One action for many crawl jobs, each in its own transaction, so that a refusal does not stop the others."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.access import Stamp
from lamplighter.operations.jobs import job_health, job_overrides, jobs
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import job_lists
from lamplighter.store.jobs.job_lists import JobFilter

#: named one by one, and found by a filter
MOST_NAMED = 1000
MOST_MATCHING = 5000
#: done at the same time, so that they share commits
_TOGETHER = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class JobActionContext:
    """What actions need beside the job."""

    source_defaults: SourceDefaults
    run_deadline: timedelta
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class JobActionResult:
    """The result for one job."""

    id: str
    #: None when it was done
    error: str | None = None
    code: str | None = None


def _actions(means: JobActionContext) -> Mapping[str, Callable[..., Awaitable[object]]]:
    """What can be done for many jobs: each takes a job, who asks, and the time."""
    return {
        "pause": jobs.pause,
        "stop": jobs.stop,
        "resume": jobs.resume,
        "cancel": jobs.cancel,
        "retry": jobs.retry,
        "force-run": partial(jobs.force_run, deadline=means.run_deadline, source_defaults=means.source_defaults),
        "delete": jobs.delete,
        "auto": partial(job_overrides.back_to_automatic, source_defaults=means.source_defaults),
    }


async def matching(db: Connection, which: JobFilter) -> list[str]:
    """The jobs that a filter finds, if they are not too many for one request."""
    found = await job_lists.ids(db, which, limit=MOST_MATCHING + 1)
    if len(found) > MOST_MATCHING:
        total = await job_health.count(db, which)
        raise BadInput(f"the filter matches {total} jobs; the maximum is {MOST_MATCHING}, so narrow it", field="filter")
    return found


async def act(
    db: Database, action: str, ids: Sequence[str], *, actor: str, means: JobActionContext
) -> list[JobActionResult]:
    """Runs the action for each of these jobs and returns the results in their order."""
    done: list[JobActionResult] = []
    for start in range(0, len(ids), _TOGETHER):
        together = (_one(db, action, job_id, actor=actor, means=means) for job_id in ids[start : start + _TOGETHER])
        done += await asyncio.gather(*together)
    return done


async def _one(db: Database, action: str, job_id: str, *, actor: str, means: JobActionContext) -> JobActionResult:
    stamp = Stamp(actor, means.clock.now())

    async def work(connection: Connection) -> None:
        job = await jobs.get(connection, job_id)
        await _actions(means)[action](connection, job, stamp=stamp)

    try:
        await db.write(work)
    except LamplighterError as error:
        return JobActionResult(id=job_id, error=str(error), code=error.code)
    return JobActionResult(id=job_id)
