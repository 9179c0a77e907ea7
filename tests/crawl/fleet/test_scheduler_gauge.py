"""The scheduler's figures."""

from datetime import timedelta

import sqlalchemy as sa

from lamplighter.crawl.fleet.database_gauges import SchedulerGauge
from lamplighter.model.crawl import JobState
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON

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
    assert (figures.due_jobs, figures.runs, figures.success_rate, figures.stale_runs) == (1, 2, 0.5, 0)
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
