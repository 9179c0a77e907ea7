"""Running a source at once: what it does to a job, and when it is refused."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.runs import runs
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.changing import set_job
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, a_source, write


async def _run_now(db: Database, source_id: int) -> int:
    return await write(db, runs.run_now, source_id, now=NOON, deadline=HOUR, source_defaults=SourceDefaults())


async def _job(db: Database) -> Any:
    async with db.read() as connection:
        return (await connection.execute(sa.select(tables.crawl_jobs))).one()


async def test_a_scheduled_job_runs_whatever_its_schedule_says(db: Database) -> None:
    await write(db, a_job, due=NOON + HOUR)

    run_id = await _run_now(db, 1)

    progress = await write(db, runs.progress, run_id)
    assert ((await _job(db)).state, progress.pages_known, progress.pages_open) == ("running", 1, 1)


async def test_a_paused_job_runs_once_and_stays_paused(db: Database) -> None:
    job_id = await write(db, a_job)
    await write(db, set_job, job_id, now=NOON, state=JobState.PAUSED, pause_reason=PauseReason.USER)

    await _run_now(db, 1)

    job = await _job(db)
    assert (job.state, job.pause_reason, job.run_count) == ("paused", "user", 1)


async def test_a_source_that_runs_already_is_not_run_again(db: Database) -> None:
    await write(db, a_job)
    run_id = await _run_now(db, 1)

    with pytest.raises(NotPossible, match=f"run {run_id} of this source is still active"):
        await _run_now(db, 1)


async def test_of_two_who_ask_at_once_one_is_refused_in_words(db: Database) -> None:
    await write(db, a_job)

    results = await asyncio.gather(*(_run_now(db, 1) for _ in range(2)), return_exceptions=True)

    assert sorted(type(result).__name__ for result in results) == ["NotPossible", "int"], results


async def test_a_cancelled_job_is_not_run(db: Database) -> None:
    job_id = await write(db, a_job)
    await write(db, set_job, job_id, now=NOON, state=JobState.CANCELLED)

    with pytest.raises(NotPossible, match="cannot force-run a crawl job that is cancelled; cancelled is final"):
        await _run_now(db, 1)


async def test_a_source_without_a_job_gets_one(db: Database) -> None:
    source_id = await write(db, a_source)

    await _run_now(db, source_id)

    assert (await _job(db)).run_count == 1


async def test_there_is_no_running_what_is_not_there(db: Database) -> None:
    with pytest.raises(NotFound, match="there is no source 7"):
        await _run_now(db, 7)
    with pytest.raises(NotFound, match="there is no run 7"):
        await write(db, runs.progress, 7)


async def test_k3_a_source_under_a_takedown_is_not_run(db: Database) -> None:
    source_id = await write(db, a_source)
    await write(db, takedowns.add, "a.example", stamp=Stamp("test", NOON))

    with pytest.raises(NotPossible, match=r"cannot run: a\.example is on the takedown list; lift the takedown first"):
        await _run_now(db, source_id)

    async with db.read() as connection:
        assert [
            (await connection.execute(sa.select(table))).all() for table in (tables.crawl_runs, tables.crawl_jobs)
        ] == [[], []]
