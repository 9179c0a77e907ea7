"""Crawl jobs in the database: found when due, claimed once, put back, resumed."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.schedule import Belief, Learnt
from lamplighter.rules.schedule import urgency
from lamplighter.store.engine.database import Database
from lamplighter.store.jobs import crawl_jobs, job_rows
from lamplighter.store.schema import tables
from tests.changing import add_job, set_job
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, a_run, a_source, the_job, write
from tests.store.query_plans import plan_of


async def _due(db: Database, **more: Any) -> list[int]:
    query = {"lanes": urgency.LANES, "now": NOON, "limit": 10} | more
    return [job.id for job in await write(db, crawl_jobs.due, **query)]


async def test_due_jobs_are_the_longest_overdue_of_each_queue(db: Database) -> None:
    jobs = [await write(db, a_job, f"s{number}", due=NOON - number * HOUR) for number in range(4)]
    await write(db, set_job, jobs[0], now=NOON, urgency=2)
    await write(db, a_job, "later", due=NOON + HOUR)

    assert sorted(await _due(db, limit=2)) == sorted([jobs[0], jobs[3], jobs[2]])


async def test_only_jobs_that_wait_are_due(db: Database) -> None:
    jobs = {state: await write(db, a_job, state) for state in JobState}
    for state, job_id in jobs.items():
        await write(db, set_job, job_id, now=NOON, state=state)

    assert sorted(await _due(db)) == [jobs[JobState.PENDING], jobs[JobState.SCHEDULED]]


async def test_jobs_of_busy_hosts_are_left_out_those_of_unknown_hosts_are_not(db: Database) -> None:
    jobs = {host: await write(db, a_job, f"h{host}") for host in (1, 2, None)}
    for host, job_id in jobs.items():
        await write(db, set_job, job_id, now=NOON, host_id=host)

    assert sorted(await _due(db, busy_hosts={1})) == sorted([jobs[2], jobs[None]])


async def test_a_job_whose_run_goes_on_is_neither_due_nor_claimed(db: Database) -> None:
    await write(db, a_run)

    assert await _due(db) == []
    assert await write(db, crawl_jobs.claim, [1], now=NOON) == []


async def test_the_head_of_every_queue_is_found_by_the_index_without_a_sort(db: Database) -> None:
    await _many_jobs(db)

    plan = await plan_of(
        db, lambda connection: crawl_jobs.due(connection, lanes=urgency.LANES, now=NOON, limit=9, busy_hosts={1, 2})
    )

    assert plan.count("ix_crawl_jobs_queue") == len(urgency.LANES)
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan


async def _many_jobs(db: Database) -> None:
    """So many that it matters by which index they are found, and the database knows it."""
    await write(db, a_job)
    async with db.exclusive() as connection:
        source, job = [
            (await connection.execute(sa.select(table))).one() for table in (tables.sources, tables.crawl_jobs)
        ]
        copies: list[dict[str, Any]] = [{"id": number, "public_id": str(number)} for number in range(100, 1100)]
        rows = [source._asdict() | copy | {"url": str(copy["id"])} for copy in copies]
        await connection.execute(sa.insert(tables.sources), rows)
        rows = [
            job._asdict()
            | copy
            | {
                "source_id": copy["id"],
                "urgency": copy["id"] % 11 - 8,
                "next_run_at": NOON - copy["id"] * 7919 % 1000 * HOUR,
            }
            for copy in copies
        ]
        await connection.execute(sa.insert(tables.crawl_jobs), rows)
        await connection.execute(sa.text("ANALYZE"))


async def test_a_claimed_job_runs_and_is_told_as_it_was(db: Database) -> None:
    job_id = await write(db, a_job)

    (job,) = await write(db, crawl_jobs.claim, [job_id], now=NOON)

    stored = await the_job(db, job_id)
    assert (job.state, job.run_count) == (JobState.PENDING, 0)
    assert (stored.state, stored.run_count) == (JobState.RUNNING, 1)


async def test_a_job_is_claimed_by_one_of_ten_rivals(db: Database) -> None:
    jobs = [await write(db, a_job, f"s{number}") for number in range(8)]

    claims = await asyncio.gather(*(write(db, crawl_jobs.claim, jobs, now=NOON) for _ in range(10)))

    assert sorted(job.id for claim in claims for job in claim) == sorted(jobs)


async def test_a_job_put_back_is_as_before_but_for_its_time(db: Database) -> None:
    job_id = await write(db, a_job)
    before = await the_job(db, job_id)
    (claimed,) = await write(db, crawl_jobs.claim, [job_id], now=NOON)
    why = {"why": "its window opens later"}

    await write(db, crawl_jobs.put_back, claimed, next_run_at=NOON + HOUR, reason=why, held_since=None, now=NOON)

    after = await the_job(db, job_id)
    assert after == replace(before, next_run_at=NOON + HOUR, next_run_reason=why)


async def test_what_was_learnt_is_read_as_it_was_written(db: Database) -> None:
    job_id = await write(db, a_job)
    learnt = Learnt(
        belief=Belief(a=1.5, b=20.25),
        signal=0.8,
        rise=0.1,
        fall=0.2,
        visit_count=31,
        change_count=7,
        visited_at=NOON,
        changed_at=NOON - HOUR,
        watched_hours=100.5,
        expected_stale_hours=11.5,
        seen_stale_hours=12.5,
    )

    await write(db, set_job, job_id, now=NOON, **job_rows.learnt_values(learnt))

    assert (await the_job(db, job_id)).learnt == learnt


async def test_a_rest_ends_when_its_time_is_over_and_a_persons_pause_does_not(db: Database) -> None:
    rested, resting, paused = [await write(db, a_job, name) for name in ("rested", "resting", "paused")]
    rests = {rested: (PauseReason.ROBOTS, NOON), resting: (PauseReason.BREAKER, NOON + HOUR), paused: ("user", None)}
    for job_id, (reason, until) in rests.items():
        values = {"state": JobState.PAUSED, "pause_reason": reason, "resume_at": until}
        await write(db, set_job, job_id, now=NOON, **values)

    resumed = await write(db, crawl_jobs.resume_paused, now=NOON)

    states = {job_id: (await the_job(db, job_id)).state for job_id in rests}
    assert (resumed, states) == (1, {rested: "scheduled", resting: "paused", paused: "paused"})


async def test_a_source_has_one_job(db: Database) -> None:
    source_id = await write(db, a_source)
    job = {"source_id": source_id, "priority": 50, "interval": HOUR, "next_run_at": NOON, "now": NOON}
    await write(db, add_job, **job)

    with pytest.raises(sa.exc.IntegrityError):
        await write(db, add_job, **job)


async def test_a_job_goes_with_its_source(db: Database) -> None:
    await write(db, a_job)

    async with db.exclusive() as connection:
        await connection.execute(sa.delete(tables.sources))

    assert await write(db, crawl_jobs.of_source, 1) is None


async def test_a_job_says_since_when_it_is_in_its_state_whichever_way_it_came_there(db: Database) -> None:
    job_id = await write(db, a_job)
    seen = []

    async def look(since: timedelta) -> None:
        job = await the_job(db, job_id)
        seen.append((str(job.state), job.state_since == NOON + since))

    await look(0 * HOUR)
    await write(db, set_job, job_id, now=NOON + 1 * HOUR, state=JobState.PENDING, priority=9)
    await look(0 * HOUR)
    (claimed,) = await write(db, crawl_jobs.claim, [job_id], now=NOON + 2 * HOUR)
    await look(2 * HOUR)
    await write(db, crawl_jobs.put_back, claimed, next_run_at=NOON, reason={}, held_since=None, now=NOON + 3 * HOUR)
    await look(0 * HOUR)
    rest = {"state": JobState.PAUSED, "pause_reason": PauseReason.BREAKER, "resume_at": NOON}
    await write(db, set_job, job_id, now=NOON + 4 * HOUR, **rest)
    await look(4 * HOUR)
    await write(db, crawl_jobs.resume_paused, now=NOON + 5 * HOUR)
    await look(5 * HOUR)

    assert seen == [(state, True) for state in ("pending", "pending", "running", "pending", "paused", "scheduled")]
