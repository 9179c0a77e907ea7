"""What a run teaches, and how the next one is planned from it."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.access import Stamp
from lamplighter.model.schedule import PolicyName
from lamplighter.operations.jobs import schedule
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import write
from tests.store.records.given_records import found, posting, stored

CHANGED: dict[str, Any] = {"pages_fetched": 1, "pages_changed": 1}
UNCHANGED: dict[str, Any] = {"pages_unchanged": 1}


async def _watched(db: Database, **about: Any) -> Queues:
    queues = Queues(db, interval=HOUR)
    await queues.job("a", **about)
    return queues


def _rate(job: Any) -> float:
    return float(job.belief_a / job.belief_b)


@on_sqlite
async def test_a_source_that_changed_is_believed_to_change_more_often_than_one_that_did_not(db: Database) -> None:
    queues = Queues(db, interval=HOUR)
    for name in ("busy", "quiet"):
        await queues.job(name)
    for visit in (CHANGED, CHANGED, CHANGED):
        await queues.poll(2 * HOUR)
        await queues.end("busy", **visit)
        await queues.end("quiet", **UNCHANGED)
        for name in ("busy", "quiet"):
            await queues.set_job(name, next_run_at=queues.clock.at)

    busy, quiet = await queues.job_of("busy"), await queues.job_of("quiet")

    assert _rate(busy) > 2 * _rate(quiet)
    assert (busy.visit_count, busy.change_count, busy.unchanged_count) == (3, 2, 0)
    assert (quiet.visit_count, quiet.change_count, quiet.unchanged_count) == (3, 0, 2)
    assert quiet.pace_seconds > busy.pace_seconds


@on_sqlite
async def test_what_was_learnt_survives_a_failed_visit(db: Database) -> None:
    queues = await _watched(db)
    before = await queues.round("a", **CHANGED)

    after = await queues.round("a", failed="timeout")

    assert (after.belief_a, after.belief_b, after.visited_at) == (before.belief_a, before.belief_b, before.visited_at)


@on_sqlite
async def test_a_first_visit_that_failed_leaves_only_what_was_assumed(db: Database) -> None:
    queues = await _watched(db)

    job = await queues.round("a", failed="timeout")

    assert (job.visit_count, job.visited_at) == (0, None)
    assert job.belief_a > 0


@pytest.mark.parametrize(
    ("dates", "is_counted"),
    [
        pytest.param([0.2, 0.4, 0.6], True, id="each with a date since the last visit"),
        pytest.param([0.2, 0.4, None], False, id="one without a date"),
        pytest.param([-5, 0.4, 0.6], False, id="one older than the last visit"),
        pytest.param([0.2, 0.4, 50], False, id="one from the future"),
    ],
)
@on_sqlite
async def test_dated_records_tell_how_many_changes_there_were(
    db: Database, dates: list[float | None], is_counted: bool
) -> None:
    queues = await _watched(db, pace_seconds=3600)
    before = await queues.round("a", **CHANGED)
    moments = [before.visited_at + share * HOUR if share is not None else None for share in dates]

    async def publish(connection: Connection) -> None:
        for number, moment in enumerate(moments):
            await stored(connection, found(1, None, posting(number, published_at=moment)))

    await db.write(publish)
    queues.clock.at = before.visited_at + HOUR
    await queues.set_job("a", next_run_at=queues.clock.at)
    after = await queues.round("a", **CHANGED, records_inserted=3)

    # Three changes that are known add up; "at least one" adds less than one.
    assert (after.belief_a > before.belief_a + 2) == is_counted


@pytest.mark.parametrize(
    ("own", "of_its_tag", "chosen"),
    [
        pytest.param(None, None, "learned", id="the installation's"),
        pytest.param(None, "priority", "priority", id="its tag's"),
        pytest.param("fixed", "priority", "fixed", id="its own"),
    ],
)
@on_sqlite
async def test_the_policy_is_the_sources_own_else_its_tags_else_the_installations(
    db: Database, own: str | None, of_its_tag: str | None, chosen: str
) -> None:
    queues = await _watched(db, policy=own, tags=("sea",))
    await write(db, schedule.set_tag_policy, "sea", of_its_tag, stamp=Stamp("test", NOON))

    job = await queues.round("a", **CHANGED)

    assert job.next_run_reason["steps"][0]["policy"] == PolicyName(chosen)


@on_sqlite
async def test_an_answer_that_calls_itself_fresh_is_not_asked_for_again_before(db: Database) -> None:
    queues = await _watched(db, policy="fixed")
    await queues.poll()
    await _set(db, sa.update(tables.pages).values(fresh_until=NOON + 7 * HOUR))

    job = await queues.end("a", **CHANGED)

    assert job.next_run_at >= NOON + 7 * HOUR
    assert {"step": "hint", "by": "fresh", "seconds": 7 * 3600.0} in job.next_run_reason["steps"]


@on_sqlite
async def test_a_host_that_is_to_be_left_alone_delays_the_next_run(db: Database) -> None:
    queues = await _watched(db, policy="fixed")
    await queues.poll()
    await queues.set_host("a.example", blocked_until=NOON + 9 * HOUR)

    job = await queues.end("a", **CHANGED)

    assert job.next_run_at >= NOON + 9 * HOUR
    assert "away" in [step.get("by") for step in job.next_run_reason["steps"]]


@on_sqlite
async def test_the_next_run_lies_in_the_sources_window(db: Database) -> None:
    queues = await _watched(db, policy="fixed", windows_text="12:00-12:30")

    job = await queues.round("a", **CHANGED)

    assert job.next_run_at == (NOON + timedelta(days=1)).replace(minute=0, second=0, microsecond=0)


async def test_every_plan_is_stored_with_its_steps_and_what_is_expected(db: Database) -> None:
    queues = await _watched(db)

    job = await queues.round("a", **CHANGED)

    assert [step["step"] for step in job.next_run_reason["steps"]][:2] == ["policy", "jitter"]
    assert job.next_run_reason["expected"]["visits"] == 1


@on_sqlite
async def test_the_cost_of_a_run_follows_what_runs_really_cost(db: Database) -> None:
    queues = await _watched(db)

    costs = [(await queues.round("a", pages_fetched=pages)).cost for pages in (10, 20, 20)]

    assert costs == pytest.approx([10, 13, 15.1])


@on_sqlite
async def test_a_belief_that_is_no_belief_is_mended(db: Database) -> None:
    queues = await _watched(db)
    await queues.round("a", **CHANGED)
    await queues.set_job("a", belief_a=-1.0, belief_b=float("inf"))

    job = await queues.round("a", **UNCHANGED)

    assert job.belief_a > 0
    assert 0 < job.belief_b < 1e6


async def _set(db: Database, statement: Any) -> None:
    async def work(connection: Connection) -> None:
        await connection.execute(statement)

    await db.write(work)
