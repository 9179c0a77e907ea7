"""Crawl jobs in the database: due, claimed once, finished, paused, resumed."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl import finish
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.janitor import Janitor
from lamplighter.crawl.scheduler import open_run
from lamplighter.model.crawl import JobState, PauseReason, Trigger
from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase
from lamplighter.store import crawl_jobs, pages, tables
from lamplighter.store.database import Connection, Database
from tests.moments import NOON
from tests.store.given import HOUR, a_job, a_run, a_source, some_pages, write
from tests.store.plans import plan_of


class _At:
    """A clock that stands still."""

    def __init__(self, now: Any) -> None:
        self._now = now

    def now(self) -> Any:
        return self._now

    def monotonic(self) -> float:
        return 0.0


async def _job(db: Database, job_id: int) -> Any:
    async with db.read() as connection:
        return (await connection.execute(sa.select(tables.crawl_jobs).where(tables.crawl_jobs.c.id == job_id))).one()


async def _run_and_end(db: Connection, job_id: int, *, reason: str | None, now: Any) -> None:
    """Opens a run of a job and ends it: with its only page had, or failed for this reason."""
    job = await crawl_jobs.lock(db, job_id)
    assert job is not None
    if job.state is not JobState.PAUSED:
        await crawl_jobs.mark_running(db, [job_id], now=now)
    run_id = await open_run(db, job, trigger=Trigger.SCHEDULE, now=now, deadline=HOUR, defaults=HostPolicy())
    await pages.close_open(
        db, run_id, phase=Phase.FAILED if reason else Phase.COMPLETED, reason=reason or "", detail="because"
    )
    if not reason:
        await db.execute(sa.update(tables.crawl_runs).where(tables.crawl_runs.c.id == run_id).values(pages_unchanged=1))
    await finish.finish_done(db, [run_id], now=now, draw=lambda: 0.5)


async def test_only_due_jobs_are_claimed_the_higher_priority_first(db: Database) -> None:
    low = await write(db, a_job, "low", due=NOON - HOUR, priority=10)
    high = await write(db, a_job, "high", due=NOON - HOUR / 2, priority=90)
    await write(db, a_job, "later", due=NOON + HOUR)

    claimed = await write(db, crawl_jobs.claim_due, now=NOON, limit=10)
    again = await write(db, crawl_jobs.claim_due, now=NOON, limit=10)

    assert [job.id for job in claimed] == [high, low]
    assert again == []
    assert ((await _job(db, low)).state, (await _job(db, low)).run_count) == ("running", 1)


async def test_the_most_overdue_are_claimed_when_not_all_can_be(db: Database) -> None:
    await write(db, a_job, "new", due=NOON - HOUR, priority=90)
    old = await write(db, a_job, "old", due=NOON - 2 * HOUR, priority=10)

    claimed = await write(db, crawl_jobs.claim_due, now=NOON, limit=1)

    assert [job.id for job in claimed] == [old]


async def test_a_job_is_never_claimed_twice_however_many_ask_at_once(db: Database) -> None:
    jobs = [await write(db, a_job, f"s{number}") for number in range(30)]

    batches = await asyncio.gather(*(write(db, crawl_jobs.claim_due, now=NOON, limit=7) for _ in range(10)))

    claimed = [job.id for batch in batches for job in batch]
    assert sorted(claimed) == sorted(set(claimed))
    assert set(claimed) <= set(jobs)


async def test_a_job_whose_run_is_still_open_is_not_claimed(db: Database) -> None:
    job_id = await write(db, a_job)
    (job,) = await write(db, crawl_jobs.claim_due, now=NOON, limit=1)
    await write(db, open_run, job, trigger=Trigger.SCHEDULE, now=NOON, deadline=HOUR, defaults=HostPolicy())
    await write(db, crawl_jobs.change, job_id, now=NOON, state=JobState.SCHEDULED, next_run_at=NOON)

    assert await write(db, crawl_jobs.claim_due, now=NOON + HOUR, limit=1) == []


async def test_the_end_of_a_run_plans_the_next(db: Database) -> None:
    job_id = await write(db, a_job)

    await write(db, _run_and_end, job_id, reason=None, now=NOON)

    job = await _job(db, job_id)
    assert (job.state, job.failure_count, job.unchanged_count) == ("scheduled", 0, 1)
    assert job.next_run_at == NOON + 2 * HOUR
    assert job.next_run_reason["unchanged_runs"] == 1


async def test_five_failures_in_a_row_pause_the_job_for_a_day(db: Database) -> None:
    job_id = await write(db, a_job)

    states = []
    for _ in range(5):
        await write(db, _run_and_end, job_id, reason="timeout", now=NOON)
        job = await _job(db, job_id)
        states.append((job.state, job.failure_count))

    assert states == [("scheduled", 1), ("scheduled", 2), ("scheduled", 3), ("scheduled", 4), ("paused", 5)]
    assert (job.pause_reason, job.resume_at) == ("breaker", NOON + timedelta(days=1))


async def test_the_janitor_wakes_a_host_whose_pages_nobody_would_look_at(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1")

    await Janitor(db, clock=_At(NOON), bells=Bells()).sweep()

    async with db.read() as connection:
        assert await connection.scalar(sa.select(tables.hosts.c.due_at)) == NOON


async def test_the_janitor_resumes_a_job_when_its_rest_is_over(db: Database) -> None:
    job_id = await write(db, a_job)
    for _ in range(5):
        await write(db, _run_and_end, job_id, reason="timeout", now=NOON)
    tomorrow = NOON + timedelta(days=1)

    await Janitor(db, clock=_At(tomorrow - timedelta(seconds=1)), bells=Bells()).sweep()
    before = await _job(db, job_id)
    await Janitor(db, clock=_At(tomorrow), bells=Bells()).sweep()
    after = await _job(db, job_id)

    assert before.state == "paused"
    assert (after.state, after.pause_reason, after.next_run_at) == ("scheduled", None, tomorrow)


async def test_a_job_probed_in_vain_rests_for_a_week(db: Database) -> None:
    job_id = await write(db, a_job)
    for _ in range(5):
        await write(db, _run_and_end, job_id, reason="timeout", now=NOON)
    tomorrow = NOON + timedelta(days=1)
    await write(db, crawl_jobs.resume_rested, now=tomorrow)

    await write(db, _run_and_end, job_id, reason="timeout", now=tomorrow)

    job = await _job(db, job_id)
    assert (job.state, job.resume_at) == ("paused", tomorrow + timedelta(days=7))


async def test_a_success_after_the_probe_forgets_the_failures(db: Database) -> None:
    job_id = await write(db, a_job)
    for _ in range(5):
        await write(db, _run_and_end, job_id, reason="timeout", now=NOON)
    await write(db, crawl_jobs.resume_rested, now=NOON + timedelta(days=1))

    await write(db, _run_and_end, job_id, reason=None, now=NOON + timedelta(days=1))

    job = await _job(db, job_id)
    assert (job.state, job.failure_count, job.backoff_until) == ("scheduled", 0, None)


async def test_what_a_person_paused_is_never_resumed_by_automation(db: Database) -> None:
    job_id = await write(db, a_job)
    await write(db, crawl_jobs.change, job_id, now=NOON, state=JobState.PAUSED, pause_reason=PauseReason.USER)

    resumed = await write(db, crawl_jobs.resume_rested, now=NOON + timedelta(days=365))

    assert resumed == 0


async def test_a_source_has_one_job(db: Database) -> None:
    source_id = await write(db, a_source)
    job = {"source_id": source_id, "priority": 50, "interval": HOUR, "next_run_at": NOON, "now": NOON}
    await write(db, crawl_jobs.add, **job)

    with pytest.raises(sa.exc.IntegrityError):
        await write(db, crawl_jobs.add, **job)


async def test_due_jobs_are_found_by_their_index(db: Database) -> None:
    plan = await plan_of(db, lambda connection: crawl_jobs.claim_due(connection, now=NOON, limit=10))

    assert "ix_crawl_jobs_due" in plan
    assert "TEMP B-TREE" not in plan
