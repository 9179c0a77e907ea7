"""The same action for many crawl jobs, each in a transaction of its own: what cannot be done keeps nobody else back."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from lamplighter.crawl.norms import Norms
from lamplighter.errors import BadInput, LamplighterError
from lamplighter.operations import job_orders, jobs
from lamplighter.ports import Clock
from lamplighter.store import job_lists
from lamplighter.store.database import Connection, Database
from lamplighter.store.job_lists import Filter

#: named one by one, and found by a filter
MOST_NAMED = 1000
MOST_MATCHING = 5000
#: done at the same time, so that they share commits
_TOGETHER = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What actions need beside the job."""

    norms: Norms
    run_deadline: timedelta
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of one job."""

    id: str
    #: None when it was done
    error: str | None = None
    code: str | None = None


def _actions(means: Means) -> Mapping[str, Callable[..., Awaitable[object]]]:
    """What can be done for many jobs: each takes a job, who asks, and the time."""
    return {
        "pause": jobs.pause,
        "resume": jobs.resume,
        "cancel": jobs.cancel,
        "retry": jobs.retry,
        "force-run": partial(jobs.force_run, deadline=means.run_deadline, norms=means.norms),
        "delete": jobs.delete,
        "auto": partial(job_orders.back_to_automatic, norms=means.norms),
    }


async def matching(db: Connection, which: Filter) -> list[str]:
    """The jobs that a filter finds, if they are not too many for one request."""
    found = await job_lists.ids(db, which, limit=MOST_MATCHING + 1)
    if len(found) > MOST_MATCHING:
        total = await job_lists.count(db, which)
        message = f"the filter matches {total} jobs; {MOST_MATCHING} at once are the most, so narrow it"
        raise BadInput(message, field="filter")
    return found


async def act(db: Database, action: str, ids: Sequence[str], *, actor: str, means: Means) -> list[Done]:
    """Does it for each of these jobs, and says what became of each, in their order."""
    done: list[Done] = []
    for start in range(0, len(ids), _TOGETHER):
        together = (_one(db, action, job_id, actor=actor, means=means) for job_id in ids[start : start + _TOGETHER])
        done += await asyncio.gather(*together)
    return done


async def _one(db: Database, action: str, job_id: str, *, actor: str, means: Means) -> Done:
    now = means.clock.now()

    async def work(connection: Connection) -> None:
        job = await jobs.get(connection, job_id)
        await _actions(means)[action](connection, job, actor=actor, now=now)

    try:
        await db.write(work)
    except LamplighterError as error:
        return Done(id=job_id, error=str(error), code=error.code)
    return Done(id=job_id)
