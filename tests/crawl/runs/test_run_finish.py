"""What the end of a run does to its job: tries, failures, the breaker, pauses, one-time jobs, budgets."""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.crawl.runs.run_finish import cancel_run
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.schedule import PolicyName
from lamplighter.model.visit import Refusal
from lamplighter.operations.jobs import jobs
from lamplighter.store.engine.database import Database
from lamplighter.store.jobs import crawl_jobs, pricing
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import write

SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)


async def _watched(db: Database, *, source_defaults: dict[str, Any] | None = None, **job: Any) -> Queues:
    """One hourly job named "a", due now."""
    queues = Queues(db, **({"policy": PolicyName.HASH_BACKOFF} | (source_defaults or {})))
    await queues.job("a", **({"interval": HOUR} | job))
    return queues


async def _broken(queues: Queues) -> Any:
    """The job, after its breaker opened."""
    for _ in range(8):
        job = await queues.round("a", failed="timeout")
    assert (job.state, job.pause_reason) == ("paused", "breaker")
    return job


async def _sweep(queues: Queues) -> None:
    janitor = Janitor(
        queues.db,
        clock=queues.clock,
        planner=queues.planner,
        notice_writer=queues.notice_writer,
        stale_after=5 * MINUTE,
    )
    await janitor.sweep()


# ── success and failure ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_run_that_had_its_page_plans_the_next_and_says_why(db: Database) -> None:
    queues = await _watched(db)

    job = await queues.round("a", pages_fetched=1, pages_changed=1)

    assert (job.state, job.retry_count, job.failure_count, job.backoff_until) == ("scheduled", 0, 0, None)
    assert job.next_run_at == NOON + HOUR  # jitter does not undercut what a person set
    step = job.next_run_reason["steps"][0]
    assert (step["step"], step["policy"], step["seconds"]) == ("policy", "hash_backoff", 3600)


async def test_a_job_knows_when_its_latest_run_began_that_was_not_cancelled(db: Database) -> None:
    queues = await _watched(db)

    first = await queues.round("a", pages_fetched=1)
    second = await queues.round("a", failed="timeout")
    queues.clock.at = second.next_run_at
    await queues.poll()
    (run,) = [run for run in await queues.rows(tables.crawl_runs) if run.finished_at is None]
    await write(db, cancel_run, run.id, why="enough", now=queues.clock.at)

    assert first.last_run_at == NOON
    assert (await queues.job_of("a")).last_run_at == second.last_run_at == first.next_run_at


async def test_a_failed_run_is_tried_again_after_one_two_and_four_minutes(db: Database) -> None:
    queues = await _watched(db)

    tries = []
    for _ in range(3):
        job = await queues.round("a", failed="timeout")
        tries.append((job.state, job.retry_count, job.failure_count, job.next_run_at - queues.clock.at))

    assert tries == [("pending", 1, 0, MINUTE), ("pending", 2, 0, 2 * MINUTE), ("pending", 3, 0, 4 * MINUTE)]


@on_sqlite
async def test_after_three_tries_it_failed_for_good_and_rests_longer_each_time(db: Database) -> None:
    queues = await _watched(db)
    for _ in range(3):
        await queues.round("a", failed="timeout")

    rests = []
    for _ in range(4):
        job = await queues.round("a", failed="timeout")
        rests.append((job.state, job.failure_count, job.next_run_at - queues.clock.at))

    assert rests == [("scheduled", number, 2**number * HOUR) for number in (1, 2, 3, 4)]


@on_sqlite
async def test_only_the_backoff_moves_the_interval_stays(db: Database) -> None:
    queues = await _watched(db)
    before = await queues.round("a")

    for _ in range(5):
        job = await queues.round("a", failed="timeout")

    assert (job.interval_seconds, job.pace_seconds) == (3600, before.pace_seconds)
    assert job.unchanged_count == before.unchanged_count
    assert job.backoff_until == job.next_run_at


@on_sqlite
async def test_a_failed_run_teaches_nothing_about_changes_or_costs(db: Database) -> None:
    queues = await _watched(db)
    before = await queues.round("a", pages_fetched=40, pages_changed=1)

    after = await queues.round("a", failed="timeout")

    learnt = ("belief_a", "belief_b", "visit_count", "visited_at", "cost")
    assert [getattr(after, name) for name in learnt] == [getattr(before, name) for name in learnt]


@on_sqlite
async def test_a_success_forgets_tries_and_failures(db: Database) -> None:
    queues = await _watched(db)
    for _ in range(6):
        await queues.round("a", failed="timeout")

    job = await queues.round("a")

    assert (job.state, job.retry_count, job.failure_count, job.backoff_until) == ("scheduled", 0, 0, None)


# ── the breaker ──────────────────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
async def test_five_failures_for_good_open_the_breaker_for_a_day(db: Database) -> None:
    queues = await _watched(db)

    job = await _broken(queues)

    assert (job.failure_count, job.resume_at - queues.clock.at) == (5, DAY)
    assert job.next_run_at == job.resume_at


@on_sqlite
async def test_the_breaker_half_opens_by_itself_for_one_run(db: Database) -> None:
    queues = await _watched(db)
    opened_at = (await _broken(queues)).resume_at

    queues.clock.at = opened_at - SECOND
    await _sweep(queues)
    early = await queues.poll()
    queues.clock.at = opened_at
    await _sweep(queues)

    assert (early, await queues.poll()) == ([], ["a"])


@on_sqlite
async def test_a_probe_in_vain_is_repeated_after_a_week(db: Database) -> None:
    queues = await _watched(db)
    queues.clock.at = (await _broken(queues)).resume_at
    await _sweep(queues)

    job = await queues.round("a", failed="timeout")

    assert (job.state, job.pause_reason, job.failure_count) == ("paused", "breaker", 6)
    assert job.resume_at - queues.clock.at == timedelta(days=7)


@on_sqlite
async def test_a_probe_that_succeeds_resumes_the_source(db: Database) -> None:
    queues = await _watched(db)
    queues.clock.at = (await _broken(queues)).resume_at
    await _sweep(queues)

    job = await queues.round("a")

    assert (job.state, job.pause_reason, job.failure_count, job.resume_at) == ("scheduled", None, 0, None)


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
@pytest.mark.parametrize(("refusal", "rest"), [(Refusal.ROBOTS, timedelta(hours=12)), (Refusal.TAKEDOWN, None)])
async def test_what_we_may_not_ask_is_paused_and_is_no_failure(
    db: Database, refusal: Refusal, rest: timedelta | None
) -> None:
    queues = await _watched(db, retry_count=2)

    job = await queues.round("a", failed=refusal, pages_refused=1)

    assert (job.state, job.pause_reason, job.retry_count, job.failure_count) == ("paused", refusal.name.lower(), 2, 0)
    assert job.resume_at == (NOON + rest if rest is not None else None)


@on_sqlite
async def test_a_forced_run_that_robots_forbid_counts_no_failure_either(db: Database) -> None:
    queues = await _watched(db)
    before = await queues.round("a", failed=Refusal.ROBOTS, pages_refused=1)

    await queues.force("a")
    after = await queues.end("a", failed=Refusal.ROBOTS, pages_refused=1)

    kept = ("state", "pause_reason", "resume_at", "next_run_at", "retry_count", "failure_count", "backoff_until")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]


# ── one-time jobs ────────────────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
async def test_a_one_time_job_is_completed_by_its_first_success(db: Database) -> None:
    queues = await _watched(db, recurring=False)

    job = await queues.round("a")

    assert (job.state, job.next_run_at, job.next_run_reason) == ("completed", None, None)


@on_sqlite
async def test_a_one_time_job_fails_when_its_tries_are_used_up(db: Database) -> None:
    queues = await _watched(db, recurring=False)

    states = [(await queues.round("a", failed="timeout")).state for _ in range(4)]

    assert states == ["pending", "pending", "pending", "failed"]
    assert await queues.poll(30 * DAY) == []


# ── forced and cancelled runs ────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
@pytest.mark.parametrize("failed", [None, "timeout"])
async def test_a_forced_run_leaves_what_a_person_paused_paused(db: Database, failed: str | None) -> None:
    queues = await _watched(db, state=JobState.PAUSED, pause_reason=PauseReason.USER)

    await queues.force("a")
    job = await queues.end("a", failed=failed)

    assert (job.state, job.pause_reason, job.run_count) == ("paused", "user", 1)
    assert await queues.poll(30 * DAY) == []


@on_sqlite
async def test_a_forced_run_that_succeeds_wakes_what_the_breaker_paused(db: Database) -> None:
    queues = await _watched(db)
    await _broken(queues)

    await queues.force("a")
    job = await queues.end("a")

    assert (job.state, job.pause_reason, job.resume_at, job.failure_count) == ("scheduled", None, None, 0)
    assert job.next_run_at > queues.clock.at


@on_sqlite
async def test_a_forced_run_that_fails_leaves_the_probe_when_it_was(db: Database) -> None:
    queues = await _watched(db)
    before = await _broken(queues)

    await queues.force("a")
    after = await queues.end("a", failed="timeout")

    assert (after.state, after.resume_at, after.next_run_at) == ("paused", before.resume_at, before.resume_at)


@pytest.mark.parametrize("failed", [None, "timeout"])
async def test_a_job_resumed_while_its_forced_run_goes_on_is_planned_when_that_ends(
    db: Database, failed: str | None
) -> None:
    queues = await _watched(db, state=JobState.PAUSED, pause_reason=PauseReason.USER)
    await queues.force("a")
    held = await write(db, jobs.find, "https://a.example/a")
    await write(db, jobs.resume, held, stamp=Stamp("test", NOON))

    job = await queues.end("a", failed=failed)

    assert job.state == ("pending" if failed else "scheduled")
    assert job.next_run_at > NOON


@on_sqlite
async def test_a_job_cancelled_while_it_runs_stays_cancelled(db: Database) -> None:
    queues = await _watched(db)
    await queues.poll()
    await queues.set_job("a", state=JobState.CANCELLED)

    job = await queues.end("a")

    assert (job.state, job.next_run_at) == ("cancelled", None)


async def test_a_cancelled_run_asks_for_nothing_more_and_says_who_stopped_it(db: Database) -> None:
    queues = await _watched(db)
    await queues.poll()
    (run,) = await queues.rows(tables.crawl_runs)

    for _ in range(2):
        await write(db, cancel_run, run.id, why="cancelled by test", now=NOON + MINUTE)

    (run,) = await queues.rows(tables.crawl_runs)
    (page,) = await queues.rows(tables.pages)
    assert (run.outcome, run.message, run.finished_at) == ("cancelled", "cancelled by test", NOON + MINUTE)
    assert (page.phase, page.reason) == ("cancelled", "cancelled")
    lines = [line.message for line in await queues.rows(tables.run_log_lines)]
    assert lines.count("cancelled by test") == 1


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_budgets_are_charged_what_a_run_was_expected_to_cost_and_settled_by_what_it_did(db: Database) -> None:
    queues = await _watched(db, source_defaults={"budget_per_hour": 60, "host_budget_per_hour": 30}, cost=10)

    await queues.poll()
    charged = await _free_at(queues)
    await queues.end("a", pages_fetched=25)

    assert charged == (NOON + 10 * MINUTE, NOON + 20 * MINUTE)
    assert await _free_at(queues) == (NOON + 25 * MINUTE, NOON + 50 * MINUTE)


@on_sqlite
async def test_what_a_run_did_not_use_is_given_back(db: Database) -> None:
    queues = await _watched(db, source_defaults={"budget_per_hour": 60, "host_budget_per_hour": 30}, cost=10)

    await queues.poll()
    await queues.end("a", pages_unchanged=4)

    assert await _free_at(queues) == (NOON + 4 * MINUTE, NOON + 8 * MINUTE)


async def test_a_forced_run_is_charged_when_it_ends(db: Database) -> None:
    queues = await _watched(db, source_defaults={"budget_per_hour": 60}, cost=10)

    await queues.force("a")
    await queues.end("a", pages_fetched=25)

    assert (await _free_at(queues))[0] == NOON + 25 * MINUTE


async def _free_at(queues: Queues) -> tuple[Any, Any]:
    """When the installation's budget is free again, and the host's."""
    async with queues.db.read() as connection:
        common = (await pricing.get(connection)).budget_free_at
    (host,) = await queues.rows(tables.hosts)
    return common, host.budget_free_at


@on_sqlite
async def test_a_person_who_pauses_is_not_overruled_by_automation(db: Database) -> None:
    queues = await _watched(db, state=JobState.PAUSED, pause_reason=PauseReason.USER)

    resumed = await write(db, crawl_jobs.resume_paused, now=NOON + 365 * DAY)

    assert resumed == 0
    assert (await queues.job_of("a")).state == "paused"
