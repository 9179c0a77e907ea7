"""The scheduler's figures."""

from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from lamplighter.app import open_service
from lamplighter.crawl.fleet.database_gauges import SchedulerGauge
from lamplighter.model.crawl import JobState
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.origin import Origin
from tests.service.in_process import quick_settings, watch
from tests.service.waiting import until

MINUTE = timedelta(minutes=1)


async def test_the_gauge_counts_jobs_runs_and_balance(db: Database) -> None:
    queues = Queues(db)
    for name in ("good", "bad", "waiting", "paused"):
        await queues.job(name, interval=HOUR)
    await queues.set_job("paused", state=JobState.PAUSED)
    await queues.set_job("waiting", next_run_at=NOON + HOUR)
    await queues.poll()
    await queues.end("good")
    await queues.end("bad", failed="timeout")
    queues.clock.at += 2 * MINUTE
    gauge = SchedulerGauge(db, clock=queues.clock, janitor=queues.janitor())

    figures = await gauge.read()

    assert figures.jobs == dict.fromkeys(JobState, 0) | {"scheduled": 1, "pending": 1, "failed": 1, "paused": 1}
    assert (figures.due_jobs, figures.runs, figures.success_rate, figures.stale_locks) == (1, 2, 0.5, 0)
    assert 0 < figures.distribution_score <= 1
    assert gauge.latest == figures


@on_sqlite
async def test_the_gauge_of_an_empty_installation_knows_no_rate(db: Database) -> None:
    queues = Queues(db)

    figures = await SchedulerGauge(db, clock=queues.clock, janitor=queues.janitor()).read()

    assert (figures.jobs, figures.runs, figures.success_rate, figures.distribution_score) == (
        dict.fromkeys(JobState, 0),
        0,
        None,
        1.0,
    )


async def test_the_gauge_writes_down_what_hours_came_to_that_are_over(db: Database) -> None:
    queues = Queues(db)
    await queues.job("good", interval=HOUR)
    await queues.poll()
    await queues.end("good")
    queues.clock.at += 2 * HOUR

    await SchedulerGauge(db, clock=queues.clock, janitor=queues.janitor()).read()

    async with db.read() as connection:
        assert await connection.scalar(sa.select(tables.run_hours.c.ok)) == 1


@on_sqlite
async def test_leases_taken_over_after_a_crash_count_as_stale_locks(db: Database) -> None:
    queues = Queues(db)
    taken_over = {"id": "worker-1", "kind": "worker", "machine": "one", "pid": 1, "duties": ["fetch"], "version": "1"}
    row = taken_over | {"started_at": NOON, "heartbeat_at": NOON, "figures": {"leases_taken_over": 2.0}}
    await db.write(lambda writing: writing.execute(sa.insert(tables.instances).values(**row)))

    figures = await SchedulerGauge(db, clock=queues.clock, janitor=queues.janitor()).read()

    assert figures.stale_locks == 2


async def test_a_host_whose_holder_died_is_taken_over_and_counted(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", "hello")
    async with open_service(quick_settings(tmp_path, origin, lease_seconds=0.2)) as dead:
        await watch(dead, origin.url + "/")
        await dead.events.deliver.deliver_all()
        await dead.leading.scheduler.open_due()
        assert await dead.door.turns.claim(1)
        before = dead._figures()["leases_taken_over"]

        async with open_service(quick_settings(tmp_path, origin)) as heir:

            async def taken() -> bool:
                return bool(await heir.door.turns.claim(1))

            await until(taken)
            after = heir._figures()["leases_taken_over"]

        async with open_service(quick_settings(tmp_path, origin)) as later:
            since_it_began = later._figures()["leases_taken_over"]

    assert (before, after, since_it_began) == (0, 1, 0)
