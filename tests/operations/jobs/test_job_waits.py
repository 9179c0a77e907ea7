"""What waits for its host says so: the job, the source's row, and what needs attention."""

from datetime import timedelta

import pytest

from lamplighter.model.crawl import JobState
from lamplighter.operations.alerts import problems
from lamplighter.operations.jobs import job_waits
from lamplighter.operations.sources import source_summaries
from lamplighter.store.engine.database import Database
from tests.crawl.runs.due_jobs import HOUR, Queues
from tests.moments import NOON

UNTIL = NOON + HOUR
WHY = "5 of the last 7 paths failed, the last: HTTP 500"


async def _blocked(db: Database, *names: str) -> Queues:
    """Due jobs of one host that is blocked for an hour."""
    queues = Queues(db)
    for name in names:
        await queues.job(name, host="a.example")
    await queues.poll()
    await queues.end_all()
    await queues.set_host("a.example", blocked_until=UNTIL, block_reason=WHY)
    for name in names:
        await queues.set_job(name, next_run_at=NOON, held_since=None)
    return queues


async def test_a_due_job_of_a_blocked_host_says_what_it_waits_for_and_until_when(db: Database) -> None:
    queues = await _blocked(db, "a")

    opened = await queues.poll()
    job = await queues.job_of("a")
    async with db.read() as connection:
        wait = await job_waits.of_source(connection, job.source_id, now=NOON)
        (row,) = await source_summaries.of(connection, [job.source_id], now=NOON)
        later = await job_waits.of_source(connection, job.source_id, now=UNTIL)

    assert opened == []
    assert wait is not None
    assert (wait.why, wait.until) == (f"its host a.example gets no requests: {WHY}", UNTIL)
    assert (row.health.word, row.health.until) == ("waiting", UNTIL)
    assert later is None


async def test_a_forced_run_of_a_blocked_host_waits_with_it(db: Database) -> None:
    queues = await _blocked(db, "a")
    await queues.force("a")

    job = await queues.job_of("a")
    async with db.read() as connection:
        wait = await job_waits.of_source(connection, job.source_id, now=NOON)
        (row,) = await source_summaries.of(connection, [job.source_id], now=NOON)

    assert (job.state, wait is not None and wait.until) == (JobState.RUNNING, UNTIL)
    assert row.health.word == "waiting"


async def test_a_job_that_is_not_due_does_not_wait(db: Database) -> None:
    queues = await _blocked(db, "a")
    await queues.set_job("a", next_run_at=UNTIL + HOUR)

    job = await queues.job_of("a")
    async with db.read() as connection:
        assert await job_waits.of_source(connection, job.source_id, now=NOON) is None


@pytest.mark.parametrize("is_blocked", [True, False])
async def test_what_needs_attention_is_told_by_host_and_cause(db: Database, is_blocked: bool) -> None:
    queues = Queues(db)
    for name in ("a", "b", "c", "d"):
        await queues.job(name, host="a.example")
    await queues.job("alone")
    await queues.poll()
    for name in ("a", "b", "alone"):
        await queues.end(name, failed="server_error", detail="HTTP 500")
    for name in ("c", "d"):
        await queues.end(name)
        await queues.set_job(name, next_run_at=NOON)
    if is_blocked:
        await queues.set_host("a.example", blocked_until=UNTIL, block_reason=WHY)
        await queues.poll(timedelta(seconds=1))

    async with db.read() as connection:
        attention = await problems.attention(connection, limit=8, now=queues.clock.at)

    waiting = ", 2 waiting" if is_blocked else ""
    assert [group.title for group in attention.groups] == [f"host a.example answers 500: 2 sources failing{waiting}"]
    assert [row.source.name for row in attention.rows] == ["alone"]
    assert attention.more == 0
