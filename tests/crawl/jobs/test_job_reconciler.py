"""Crawl jobs match their sources, whatever events said."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.jobs.job_reconciler import Reconciler
from lamplighter.model import window_json
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.schedule import PolicyName
from lamplighter.rules.schedule import window_text
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_source, write

DAY = timedelta(days=1)
CHANGED: dict[str, Any] = {"pages_fetched": 1, "pages_changed": 1}


async def _reconciled(queues: Queues) -> Any:
    await Reconciler(queues.db, clock=queues.clock, source_defaults=queues.source_defaults).reconcile()
    jobs = await queues.rows(tables.crawl_jobs)
    return jobs[0] if jobs else None


async def test_a_source_without_a_job_gets_one_that_is_due(db: Database) -> None:
    queues = Queues(db)
    await write(db, a_source)

    job = await _reconciled(queues)

    (host,) = await queues.rows(tables.hosts)
    assert (job.state, job.next_run_at, job.host_id) == ("pending", NOON, host.id)


@on_sqlite
async def test_a_disabled_source_gets_none(db: Database) -> None:
    queues = Queues(db)
    await write(db, a_source)
    await queues.set_source("a.example", enabled=False)

    assert await _reconciled(queues) is None


@on_sqlite
async def test_a_round_that_finds_all_in_order_changes_nothing(db: Database) -> None:
    queues = Queues(db, interval=timedelta(seconds=90.5))
    await queues.job("a")
    await queues.round("a", **CHANGED)
    before = await queues.job_of("a")
    queues.clock.at += HOUR

    assert await _reconciled(queues) == before


@on_sqlite
async def test_by_priority_a_new_source_waits_a_little_for_its_first_run(db: Database) -> None:
    queues = Queues(db, policy=PolicyName.PRIORITY)
    await write(db, a_source)

    assert (await _reconciled(queues)).next_run_at == NOON + timedelta(minutes=5)


@on_sqlite
async def test_disabling_stops_the_run_that_goes_on_and_enabling_begins_again(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    await queues.set_source("a", enabled=False)
    stopped = await _reconciled(queues)
    (run,) = await queues.rows(tables.crawl_runs)

    await queues.set_source("a", enabled=True)
    queues.clock.at += HOUR
    again = await _reconciled(queues)

    assert (stopped.state, stopped.pause_reason, run.outcome) == ("paused", "source_disabled", "cancelled")
    assert (again.state, again.pause_reason, again.next_run_at) == ("pending", None, NOON + HOUR)


async def test_disabling_stops_what_a_paused_job_was_made_to_run_and_not_what_it_is_made_to_run_since(
    db: Database,
) -> None:
    queues = Queues(db)
    await queues.job("a", state=JobState.PAUSED, pause_reason=PauseReason.USER)
    await queues.force("a")
    queues.clock.at += HOUR
    await queues.set_source("a", enabled=False, disabled_at=queues.clock.at)
    stopped = await _reconciled(queues)

    queues.clock.at += HOUR
    await queues.force("a")
    after = await _reconciled(queues)

    before, since = await queues.rows(tables.crawl_runs)
    assert (before.outcome, before.message) == ("cancelled", "its source was disabled")
    assert since.finished_at is None
    assert {(job.state, job.pause_reason) for job in (stopped, after)} == {("paused", "user")}


@pytest.mark.parametrize("reason", [PauseReason.USER, PauseReason.TAKEDOWN])
@on_sqlite
async def test_what_disabling_did_not_pause_enabling_does_not_resume(db: Database, reason: PauseReason) -> None:
    queues = Queues(db)
    await queues.job("a", state=JobState.PAUSED, pause_reason=reason)

    for enabled in (False, True):
        await queues.set_source("a", enabled=enabled)
        job = await _reconciled(queues)

    assert (job.state, job.pause_reason) == ("paused", reason)


@on_sqlite
async def test_a_resting_job_of_a_disabled_source_is_not_woken_by_automation(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", state=JobState.PAUSED, pause_reason=PauseReason.BREAKER, resume_at=NOON + HOUR)
    await queues.set_source("a", enabled=False)

    job = await _reconciled(queues)

    assert (job.state, job.pause_reason, job.resume_at) == ("paused", "source_disabled", None)


_SET = "its interval was changed: set to {} by a person"


@pytest.mark.parametrize(
    ("changed", "expected", "why"),
    [
        pytest.param({"interval_seconds": 3600}, NOON + HOUR, _SET.format("1 h"), id="a shorter interval"),
        pytest.param({"max_interval_seconds": 7200}, NOON + 2 * HOUR, "its bounds were changed", id="a bound below"),
        pytest.param({"min_interval_seconds": 40 * 86400}, NOON + 40 * DAY, "its bounds were changed", id="one above"),
        pytest.param({"policy": "learned"}, NOON + DAY, "its policy was changed to learned", id="another policy"),
        pytest.param({"interval_seconds": 90 * 86400}, NOON + 90 * DAY, _SET.format("90 d"), id="a longer interval"),
        pytest.param({"windows": []}, NOON + 20 * DAY, None, id="nothing of importance"),
    ],
)
@on_sqlite
async def test_what_was_planned_by_an_order_that_holds_no_more_is_planned_anew(
    db: Database, changed: dict[str, Any], expected: Any, why: str | None
) -> None:
    queues = Queues(db, policy=PolicyName.FIXED)
    await queues.job("a", interval=DAY)
    await queues.round("a", **CHANGED)
    await queues.set_job("a", next_run_at=NOON + 20 * DAY, pace_seconds=20 * 86400)

    await queues.set_source("a", **changed)
    first = await _reconciled(queues)
    second = await _reconciled(queues)

    assert (first.next_run_at, first.next_run_reason.get("why")) == (expected, why)
    assert second == first


@on_sqlite
async def test_a_run_that_was_planned_for_what_is_now_outside_its_window_waits_for_the_opening(db: Database) -> None:
    queues = Queues(db, policy=PolicyName.FIXED)
    await queues.job("a", interval=DAY)
    await queues.round("a", **CHANGED)
    await queues.set_job("a", next_run_at=NOON + HOUR)

    await queues.set_source("a", windows=window_json.to_json(window_text.parse("deny sat 11:00-15:00 UTC")))
    first = await _reconciled(queues)
    second = await _reconciled(queues)

    assert first.next_run_at == NOON.replace(hour=15, minute=0, second=0, microsecond=0)
    assert first.next_run_reason["steps"][-1]["step"] == "window"
    assert second == first


@on_sqlite
async def test_a_change_of_priority_changes_the_queue(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", priority=0)
    before = await queues.job_of("a")
    await queues.set_source("a", priority=100)

    after = await _reconciled(queues)

    assert (after.priority, after.urgency) == (100, before.urgency + 4)


@on_sqlite
async def test_a_job_of_old_learns_whom_it_asks(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", host_id=None)

    assert (await _reconciled(queues)).host_id is not None


async def test_one_broken_source_does_not_stop_the_round(db: Database) -> None:
    queues = Queues(db)
    for name in ("a", "b", "c"):
        await write(db, a_source, name)
    await queues.set_source("b.example", url="ht!tp:/nowhere")

    seen = await Reconciler(db, clock=queues.clock, source_defaults=queues.source_defaults).reconcile()

    async with db.read() as connection:
        jobs = list(await connection.scalars(sa.select(tables.crawl_jobs.c.source_id).order_by("source_id")))
    assert (seen, jobs) == (3, [1, 3])


async def test_the_job_of_a_deleted_source_is_cancelled_with_its_run_and_begins_again_when_that_is_restored(
    db: Database,
) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    await queues.set_source("a", deleted_at=NOON)
    ended = await _reconciled(queues)
    (run,) = await queues.rows(tables.crawl_runs)

    await queues.set_source("a", deleted_at=None)
    queues.clock.at += HOUR
    again = await _reconciled(queues)

    assert (ended.state, ended.next_run_at, ended.state_since) == ("cancelled", None, NOON)
    assert (run.outcome, run.message) == ("cancelled", "its source was deleted")
    assert (again.state, again.next_run_at, again.state_since) == ("pending", NOON + HOUR, NOON + HOUR)
    assert again.next_run_reason == {"why": "its source was restored"}


@pytest.mark.parametrize(
    ("state", "reason", "restored"),
    [
        pytest.param("paused", "user", ("paused", "user"), id="a person had paused it"),
        pytest.param("cancelled", None, ("cancelled", None), id="a person had cancelled it"),
        pytest.param("completed", None, ("completed", None), id="it had run once"),
        pytest.param("paused", "breaker", ("pending", None), id="it rested"),
    ],
)
@on_sqlite
async def test_what_a_person_decided_before_a_deletion_holds_after_restoring(
    db: Database, state: str, reason: str | None, restored: tuple[str, str | None]
) -> None:
    queues = Queues(db)
    await queues.job("a", state=state, pause_reason=reason)
    await queues.set_source("a", recurring=state != "completed")

    for deleted_at in (NOON, None):
        await queues.set_source("a", deleted_at=deleted_at)
        job = await _reconciled(queues)

    assert (job.state, job.pause_reason) == restored


@on_sqlite
async def test_a_deleted_job_and_that_of_a_source_for_submitted_pages_are_left_alone(db: Database) -> None:
    queues = Queues(db)
    await queues.job("deleted", state="cancelled", deleted_at=NOON)
    await queues.job("tasks", state="paused", pause_reason=PauseReason.TASKS, next_run_at=None)
    await queues.set_source("tasks", is_implicit=True, priority=99)
    await queues.set_source("deleted", priority=99)
    before = await queues.rows(tables.crawl_jobs)

    await _reconciled(queues)

    assert await queues.rows(tables.crawl_jobs) == before


@on_sqlite
async def test_a_source_for_submitted_pages_gets_no_job(db: Database) -> None:
    queues = Queues(db)
    await write(db, a_source)
    await queues.set_source("a.example", is_implicit=True)

    assert await _reconciled(queues) is None


@on_sqlite
async def test_what_a_person_set_is_kept_when_the_source_changes(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a", interval=DAY, auto_managed=False, override={"interval_seconds": 7200, "priority": 90})
    await queues.set_source("a", interval_seconds=60, priority=10)

    job = await _reconciled(queues)

    assert (job.interval_seconds, job.priority, job.auto_managed) == (7200, 90, False)


@pytest.mark.parametrize(("asked_at", "state"), [(NOON, "cancelled"), (NOON + HOUR, "pending")])
@on_sqlite
async def test_enabling_its_source_brings_back_a_job_that_was_deleted_before_that(
    db: Database, asked_at: Any, state: str
) -> None:
    queues = Queues(db)
    gone = {"deleted_at": NOON + HOUR / 2, "auto_managed": False, "override": {"priority": 1}, "failure_count": 3}
    await queues.job("a", state="cancelled", **gone)

    await write(db, job_keeper.bring_back, 1, requested_at=asked_at, now=NOON + 2 * HOUR)

    job = await queues.job_of("a")
    assert (job.state, job.auto_managed) == (state, state == "pending")


async def test_who_match_the_same_sources_at_once_make_one_job_for_each(db: Database) -> None:
    queues = Queues(db)
    for number in range(20):
        await write(db, a_source, f"s{number}")
    ids = list(range(1, 21))
    orders = [ids, ids[::-1], ids[::2], ids[1::2]] * 2

    became = await asyncio.gather(
        *(write(db, job_keeper.match_many, each, source_defaults=queues.source_defaults, now=NOON) for each in orders)
    )

    made = [source_id for each in became for source_id in each]
    assert sorted(made) == ids
    assert [job.source_id for job in sorted(await queues.rows(tables.crawl_jobs), key=lambda job: job.source_id)] == ids


async def test_a_round_says_what_became_of_jobs_that_were_not_as_they_should_be(db: Database) -> None:
    queues = Queues(db)
    for name in ("deleted", "disabled", "moved", "well"):
        await queues.job(name)
    await write(db, a_source, "new")
    await queues.set_source("deleted", deleted_at=NOON)
    await queues.set_source("disabled", enabled=False)
    await queues.set_source("moved", priority=99)

    became = await write(db, job_keeper.match_many, [1, 2, 3, 4, 5], source_defaults=queues.source_defaults, now=NOON)
    again = await write(db, job_keeper.match_many, [1, 2, 3, 4, 5], source_defaults=queues.source_defaults, now=NOON)

    assert became == {1: "orphaned", 2: "paused", 3: "retimed", 5: "created"}
    assert again == {}


@on_sqlite
async def test_where_new_sources_are_left_to_people_the_round_makes_no_job_and_manages_those_there_are(
    db: Database,
) -> None:
    queues = Queues(db, auto_manage=False)
    await queues.job("old")
    await write(db, a_source, "new")
    await queues.set_source("old", enabled=False)

    job = await _reconciled(queues)

    assert (job.state, len(await queues.rows(tables.crawl_jobs))) == ("paused", 1)
