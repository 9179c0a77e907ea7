"""Which sources are silent, drifting, broken, newly failed; and by which index they are found."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.alert_figures import SilentSource
from lamplighter.model.crawl import JobState, PauseReason, RunOutcome, Trigger
from lamplighter.store.alerts import alert_sources
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import tables
from tests.changing import add_job, set_host, set_job
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_source
from tests.store.query_plans import plan_of

HOUR = timedelta(hours=1)
#: what is asked here: two intervals after the run that did not come
HOW: dict[str, Any] = {"intervals": 2, "now": NOON, "breaker_at": 5, "limit": 50}


async def a_job(db: Connection, name: str = "a", *, due: datetime, **columns: Any) -> int:
    """A recurring hourly job that did well an hour before it was due."""
    source_id = await a_source(db, name)
    job_id = await add_job(db, source_id=source_id, priority=50, interval=HOUR, next_run_at=due, now=NOON)
    did_well = {"state": JobState.SCHEDULED, "last_run_at": due - HOUR, "last_outcome": RunOutcome.OK}
    await set_job(db, job_id, now=NOON, **(did_well | columns))
    return source_id


async def a_run(db: Connection, source_id: int, number: int, started_at: datetime, outcome: RunOutcome) -> None:
    """A run of a source's job that ended so."""
    job = await crawl_jobs.of_source(db, source_id)
    assert job is not None
    run_id = await crawl_runs.add(
        db,
        job_id=job.id,
        source_id=source_id,
        number=number,
        trigger=Trigger.SCHEDULE,
        now=started_at,
        deadline_at=started_at + HOUR,
        page_budget=1,
    )
    await crawl_runs.close(db, run_id, now=started_at, outcome=outcome, message="", records_shown=0)


async def overdue(db: Database, not_before: datetime | None = None) -> list[str]:
    found = await db.look(lambda c: alert_sources.overdue(c, not_before=not_before, **HOW))
    return [each.name for each in found]


async def failing(db: Database, not_before: datetime | None = None) -> list[SilentSource]:
    return await db.look(lambda c: alert_sources.failing(c, not_before=not_before, **HOW))


def _by_name(source: SilentSource) -> str:
    return source.name


async def test_a_source_is_silent_when_its_run_is_two_intervals_overdue(db: Database) -> None:
    async def work(c: Connection) -> None:
        await a_job(c, "silent", due=NOON - 2.1 * HOUR)
        await a_job(c, "late", due=NOON - 1.9 * HOUR)
        await a_job(c, "slow", due=NOON - 2.1 * HOUR, pace_seconds=7200)
        await a_job(c, "never", due=NOON - 2.1 * HOUR, last_run_at=None, last_outcome=None, state=JobState.PENDING)

    await db.write(work)

    found = sorted(await db.look(lambda c: alert_sources.overdue(c, not_before=None, **HOW)), key=_by_name)
    assert [(each.name, each.last_success_at, each.pace) for each in found] == [
        ("never.example", None, HOUR),
        ("silent.example", NOON - 3.1 * HOUR, HOUR),
    ]
    assert {each.expected_at for each in found} == {NOON - 2.1 * HOUR}


#: an index, by which rows are found that the statement goes on with
GATHERED = "ix_crawl_jobs_complained first"
LONG_AGO = NOON - 99 * HOUR
WANTED_SO: dict[str, dict[str, Any]] = {
    "paused by a person": {"state": JobState.PAUSED, "pause_reason": PauseReason.USER},
    "cancelled": {"state": JobState.CANCELLED},
    "running": {"state": JobState.RUNNING},
    "stopped by its breaker": {"state": JobState.PAUSED, "pause_reason": PauseReason.BREAKER},
    "done once": {"recurring": False},
    "deleted by a person": {"deleted_at": NOON},
}


@on_sqlite
@pytest.mark.parametrize("columns", WANTED_SO.values(), ids=WANTED_SO)
async def test_a_job_is_not_silent_that_is_not_to_run(db: Database, columns: dict[str, Any]) -> None:
    await db.write(lambda c: a_job(c, due=LONG_AGO, **columns))

    assert await overdue(db) == []


@on_sqlite
@pytest.mark.parametrize("columns", [{"enabled": False}, {"deleted_at": NOON}, {"is_implicit": True}])
async def test_a_source_is_not_silent_that_nobody_wants(db: Database, columns: dict[str, Any]) -> None:
    async def work(c: Connection) -> None:
        await a_job(c, due=LONG_AGO)
        await c.execute(sa.update(tables.sources).values(**columns))

    await db.write(work)

    assert await overdue(db) == []


@on_sqlite
@pytest.mark.parametrize(
    ("columns", "is_silent"),
    [
        pytest.param({}, True, id="the host may be asked"),
        pytest.param({"enabled": False}, False, id="the host is disabled"),
        pytest.param({"blocked_until": NOON, "failure_count": 5}, False, id="its breaker is open: told by itself"),
        pytest.param({"blocked_until": NOON, "failure_count": 1}, True, id="it only asked us to wait"),
    ],
)
async def test_the_host_says_whether_a_source_may_be_silent(
    db: Database, columns: dict[str, Any], is_silent: bool
) -> None:
    async def work(c: Connection) -> None:
        host_id = (await hosts.ensure(c, ["a.example"], now=NOON))["a.example"]
        await set_host(c, "a.example", now=NOON, **columns)
        await a_job(c, due=LONG_AGO, host_id=host_id)

    await db.write(work)

    assert bool(await overdue(db)) is is_silent


async def test_nothing_was_expected_before_crawling_was_resumed(db: Database) -> None:
    await db.write(lambda c: a_job(c, due=LONG_AGO))

    assert await overdue(db, not_before=NOON - 1.9 * HOUR) == []
    assert len(await overdue(db, not_before=NOON - 2.1 * HOUR)) == 1


async def test_a_source_is_silent_when_its_runs_have_failed_for_two_intervals(db: Database) -> None:
    async def work(c: Connection, name: str, first_failure: datetime, **columns: Any) -> None:
        bad = {"last_outcome": RunOutcome.FAIL, "last_run_at": NOON, "retry_count": 2} | columns
        source_id = await a_job(c, name, due=NOON + HOUR, **bad)
        await a_run(c, source_id, 1, first_failure - 9 * HOUR, RunOutcome.WARN)
        await a_run(c, source_id, 2, first_failure, RunOutcome.FAIL)
        await a_run(c, source_id, 3, NOON - HOUR, RunOutcome.FAIL)

    await db.write(lambda c: work(c, "long", NOON - 2.1 * HOUR))
    await db.write(lambda c: work(c, "short", NOON - 1.9 * HOUR))
    robots = {"state": JobState.PAUSED, "pause_reason": PauseReason.ROBOTS}
    await db.write(lambda c: work(c, "refused", NOON - 2.1 * HOUR, **robots))
    broken = {"state": JobState.PAUSED, "pause_reason": PauseReason.BREAKER}
    await db.write(lambda c: work(c, "broken", NOON - 2.1 * HOUR, **broken))

    found = sorted(await failing(db), key=_by_name)

    assert [(each.name, each.expected_at, each.last_success_at) for each in found] == [
        (f"{name}.example", NOON - 2.1 * HOUR, NOON - 11.1 * HOUR) for name in ("long", "refused")
    ]


@on_sqlite
async def test_a_source_that_never_succeeded_is_silent_two_intervals_after_its_first_run(db: Database) -> None:
    async def work(c: Connection) -> None:
        source_id = await a_job(c, due=NOON, last_outcome=RunOutcome.FAIL, last_run_at=NOON)
        await a_run(c, source_id, 1, NOON - 3 * HOUR, RunOutcome.FAIL)

    await db.write(work)

    assert [(each.expected_at, each.last_success_at) for each in await failing(db)] == [(NOON - 3 * HOUR, None)]


@pytest.mark.parametrize(
    ("columns", "is_silent"),
    [
        pytest.param({"next_run_at": NOON + 9 * HOUR}, False, id="its window is closed: nothing is expected of it"),
        pytest.param({"next_run_at": NOON - HOUR}, False, id="it opened an hour ago"),
        pytest.param({"next_run_at": NOON - 2.1 * HOUR}, True, id="nobody has tried it since, though it is due"),
        pytest.param({"last_run_at": NOON - HOUR, "next_run_at": NOON + HOUR}, True, id="it failed again and again"),
    ],
)
async def test_one_failure_before_a_night_is_no_silence(db: Database, columns: dict[str, Any], is_silent: bool) -> None:
    async def work(c: Connection) -> None:
        failed_at = NOON - 8 * HOUR
        failed: dict[str, Any] = {"last_outcome": RunOutcome.FAIL, "last_run_at": failed_at}
        source_id = await a_job(c, due=NOON, **(failed | columns))
        await a_run(c, source_id, 1, failed_at, RunOutcome.FAIL)

    await db.write(work)

    assert bool(await failing(db)) is is_silent


@on_sqlite
async def test_a_failure_before_a_pause_of_all_is_no_silence_before_two_intervals_after_it(db: Database) -> None:
    async def work(c: Connection) -> None:
        source_id = await a_job(c, due=NOON, last_outcome=RunOutcome.FAIL, last_run_at=NOON)
        await a_run(c, source_id, 1, LONG_AGO, RunOutcome.FAIL)

    await db.write(work)

    assert await failing(db, not_before=NOON - 1.9 * HOUR) == []
    assert len(await failing(db, not_before=NOON - 2.1 * HOUR)) == 1


@pytest.mark.parametrize(
    ("columns", "is_silent"),
    [
        pytest.param({"held_since": NOON - 2.1 * HOUR}, True, id="due two intervals ago"),
        pytest.param({"held_since": NOON - 1.9 * HOUR}, False, id="due lately"),
        pytest.param({"held_since": None}, False, id="not held"),
        pytest.param({"held_since": LONG_AGO, "state": JobState.PAUSED}, False, id="paused"),
    ],
)
async def test_a_source_whose_host_may_not_be_asked_is_silent_though_its_run_is_put_off_each_time(
    db: Database, columns: dict[str, Any], is_silent: bool
) -> None:
    await db.write(lambda c: a_job(c, due=NOON + HOUR, **columns))

    found = await db.look(lambda c: alert_sources.held(c, not_before=None, **HOW))

    assert [each.expected_at for each in found] == ([columns["held_since"]] if is_silent else [])
    assert await db.look(lambda c: alert_sources.held(c, not_before=NOON - HOUR, **HOW)) == []


@on_sqlite
async def test_a_source_is_not_told_of_whose_hosts_breaker_is(db: Database) -> None:
    async def work(c: Connection) -> None:
        ids = await hosts.ensure(c, ["left.example", "off.example"], now=NOON)
        for key in ids:
            is_off = {"enabled": False} if key == "off.example" else {}
            await set_host(c, key, now=NOON, blocked_until=NOON, failure_count=5, **is_off)
        broken: dict[str, Any] = {"state": JobState.PAUSED, "pause_reason": PauseReason.BREAKER, "failure_count": 5}
        for name in ("a", "b"):
            await a_job(c, name, due=NOON, host_id=ids["left.example"], **broken)
        await a_job(c, "switched-off", due=NOON, host_id=ids["off.example"], **broken)
        await a_job(c, "lone", due=NOON, **broken)

    await db.write(work)

    # Before the bound: many on one host must not push out one elsewhere.
    found = await db.look(lambda c: alert_sources.broken(c, breaker_at=5, limit=2))
    assert [each.name for each in found] == ["switched-off.example", "lone.example"]


async def test_drifting_and_broken_sources_are_found(db: Database) -> None:
    drifted = {"last_outcome": RunOutcome.WARN, "last_drifted": True}

    async def work(c: Connection) -> None:
        await a_job(c, "well", due=NOON)
        await a_job(c, "drifting", due=NOON, **drifted)
        await a_job(c, "aside", due=NOON, state=JobState.PAUSED, pause_reason=PauseReason.USER, **drifted)
        rest = {"state": JobState.PAUSED, "pause_reason": PauseReason.BREAKER, "resume_at": NOON}
        await a_job(c, "broken", due=NOON, failure_count=5, **rest)

    await db.write(work)

    assert [each.name for each in await db.look(lambda c: alert_sources.drifting(c, limit=9))] == ["drifting.example"]
    (broken,) = await db.look(lambda c: alert_sources.broken(c, breaker_at=5, limit=9))
    assert (broken.name, broken.failures, broken.resume_at) == ("broken.example", 5, NOON)


async def test_a_job_counts_as_newly_failed_once(db: Database) -> None:
    bad = {"last_outcome": RunOutcome.FAIL, "last_run_at": NOON}

    async def work(c: Connection) -> None:
        await a_job(c, "first", due=NOON, failure_count=1, **bad)
        await a_job(c, "second", due=NOON, failure_count=2, **bad)
        await a_job(c, "tried", due=NOON, retry_count=2, **bad)
        await a_job(c, "long-ago", due=NOON, failure_count=1, last_outcome=RunOutcome.FAIL, last_run_at=LONG_AGO)
        await a_job(c, "once", due=NOON, recurring=False, state=JobState.FAILED, state_since=NOON)
        await a_job(c, "once-long-ago", due=NOON, recurring=False, state=JobState.FAILED, state_since=LONG_AGO)

    await db.write(work)

    assert await db.look(lambda c: alert_sources.newly_failed(c, since=NOON - HOUR)) == 2


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (lambda c: alert_sources.overdue(c, not_before=NOON, **HOW), "ix_crawl_jobs_next_run"),
        (lambda c: alert_sources.unopened(c, intervals=2, now=NOON, not_before=NOON, limit=50), "ix_crawl_jobs_unwell"),
        (lambda c: alert_sources.held(c, not_before=NOON, **HOW), "ix_crawl_jobs_held"),
        (lambda c: alert_sources.failing(c, not_before=NOON, **HOW), GATHERED),
        (lambda c: alert_sources.drifting(c, limit=50), "ix_crawl_jobs_complained"),
        (lambda c: alert_sources.broken(c, breaker_at=5, limit=50), "ix_crawl_jobs_unwell"),
        (lambda c: alert_sources.newly_failed(c, since=NOON), "ix_crawl_jobs_unwell"),
    ],
    ids=["overdue", "unopened", "held", "failing", "drifting", "broken", "newly failed"],
)
async def test_the_few_are_found_by_an_index(db: Database, ask: Any, index: str) -> None:
    # Those whose runs fail are gathered first.
    plan = await plan_of(db, ask, start="WITH failed" if index == GATHERED else "SELECT")

    assert index.split()[0] in plan
    assert "SCAN crawl_jobs\n" not in f"{plan}\n"
    assert "SCAN crawl_runs" not in plan
