"""Which writes tell the process that work waits: no caller rings a bell, and nothing rings for what is rolled back."""

from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import pytest

from lamplighter.crawl.process.bells import Bells
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobChange, JobState
from lamplighter.operations.hosts import hosts
from lamplighter.operations.jobs import jobs
from lamplighter.operations.pages import frontier, task_actions
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import sources
from lamplighter.store.engine.after_commit import Signal
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite

Work = Callable[[Connection], Coroutine[Any, Any, Any]]


async def _sent(db: Database, work: Work) -> set[Signal]:
    heard: list[Signal] = []
    db.subscribe(heard.append)
    await db.write(work)
    return set(heard)


@on_sqlite
async def test_a_job_that_becomes_due_is_signalled_and_one_planned_for_later_is_not(db: Database) -> None:
    queues = Queues(db)
    job_id, now = await queues.job("a"), queues.clock.at

    def at(**values: Any) -> Work:
        return lambda connection: crawl_jobs.change(connection, job_id, JobChange(**values), now=now)

    assert await _sent(db, at(next_run_at=now)) == {Signal.JOBS}
    assert await _sent(db, at(state=JobState.SCHEDULED)) == {Signal.JOBS}
    assert await _sent(db, at(next_run_at=now + HOUR, state=JobState.SCHEDULED)) == set()
    assert await _sent(db, at(next_run_at=None, state=JobState.PAUSED)) == set()
    assert await _sent(db, at(priority=9)) == set()


@on_sqlite
async def test_a_new_source_is_an_event(db: Database) -> None:
    now = Queues(db).clock.at

    new = sources.NewSource(url="https://a.example/")
    assert Signal.EVENTS in await _sent(db, lambda connection: sources.add(connection, new, stamp=Stamp("test", now)))


@on_sqlite
async def test_a_forced_run_has_a_host_to_fetch_from_and_a_cancelled_one_ends(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    job, now = await queues.job_of("a"), queues.clock.at

    force = await _sent(
        db,
        lambda connection: runs.run_now(
            connection, job.source_id, now=now, deadline=HOUR, source_defaults=queues.source_defaults
        ),
    )
    held = await queues.job_of("a")
    cancel = await _sent(db, lambda connection: jobs.cancel(connection, held, stamp=Stamp("test", now)))

    assert Signal.HOSTS in force
    assert {Signal.FINISHED, Signal.JOBS} <= cancel


@on_sqlite
async def test_the_policy_of_a_host_concerns_its_pages_and_its_jobs(db: Database) -> None:
    now = Queues(db).clock.at

    sent = await _sent(db, lambda connection: hosts.disable(connection, "a.example", stamp=Stamp("test", now)))

    assert sent == {Signal.HOSTS, Signal.JOBS}


@on_sqlite
async def test_submitting_pausing_and_forgetting_a_page_are_tasks(db: Database) -> None:
    now = Queues(db).clock.at
    stamp = Stamp("test", now)
    ids: list[int] = []

    async def submit(connection: Connection) -> None:
        ids.append(await frontier.submit(connection, "https://a.example/p", source_id=None, priority=50, stamp=stamp))

    assert Signal.TASKS in await _sent(db, submit)
    assert Signal.TASKS in await _sent(db, lambda connection: task_actions.pause(connection, ids[0], stamp=stamp))
    assert Signal.TASKS in await _sent(db, lambda connection: task_actions.forget(connection, ids[0], stamp=stamp))


async def test_every_signal_rings_its_own_bell() -> None:
    for signal in Signal:
        bells = Bells()
        bells.hear(signal)

        rung = [name for name in Bells.__dataclass_fields__ if getattr(bells, name)._rung.is_set()]

        assert rung == [signal.value]


@on_sqlite
async def test_a_transaction_that_is_rolled_back_rings_no_bell(db: Database) -> None:
    queues, bells = Queues(db), Bells()
    job_id, now = await queues.job("a"), queues.clock.at
    db.subscribe(bells.hear)

    async def work(connection: Connection) -> None:
        await crawl_jobs.change(connection, job_id, JobChange(next_run_at=now - timedelta(seconds=1)), now=now)
        raise RuntimeError("rolled back")

    with pytest.raises(RuntimeError):
        await db.write(work)

    assert not bells.jobs._rung.is_set()
