"""What is swept up: silent runs, hosts nobody woke, what rested or expired."""

from datetime import timedelta

import pytest

from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.page import Phase
from lamplighter.store.engine.database import Database
from lamplighter.store.runs import run_pages
from lamplighter.store.schema import tables
from tests.changing import set_job
from tests.crawl.runs.due_jobs import Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.records.given_records import all_stored, found, posting, stored

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


async def test_the_hosts_of_a_silent_run_are_woken(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    await queues.set_host("a.example", due_at=None)
    janitor = queues.janitor()

    queues.clock.at += 6 * MINUTE
    for _ in range(2):
        await janitor.sweep()

    (host,) = await queues.rows(tables.hosts)
    (run,) = await queues.rows(tables.crawl_runs)
    assert (host.due_at, run.heartbeat_at, run.finished_at) == (queues.clock.at, queues.clock.at, None)
    assert janitor.stale_runs == 1


async def test_a_silent_run_with_nothing_left_to_do_is_ended(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    (run,) = await queues.rows(tables.crawl_runs)
    await write(db, run_pages.close_open, run.id, phase=Phase.FAILED, reason="timeout", detail="x")
    janitor = queues.janitor()

    queues.clock.at += 6 * MINUTE
    await janitor.sweep()

    (run,) = await queues.rows(tables.crawl_runs)
    assert (run.outcome, (await queues.job_of("a")).state, janitor.stale_runs) == ("fail", "pending", 1)


@on_sqlite
async def test_a_run_that_shows_signs_of_life_is_left_alone(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    janitor = queues.janitor()

    queues.clock.at += 4 * MINUTE
    await janitor.sweep()

    assert janitor.stale_runs == 0


@on_sqlite
@pytest.mark.parametrize(
    ("delay_minutes", "turn_minutes", "ends_minutes"),
    [
        pytest.param(24 * 60, 24 * 60, 25 * 60, id="a day: an hour after the turn"),
        pytest.param(40, 80, 140, id="so long that only robots.txt and the start page have their turns in an hour"),
        pytest.param(1, 300, 360, id="its source wants it left alone for hours"),
        pytest.param(10, 65, None, id="short enough for a run to come further: at its deadline"),
        pytest.param(24 * 60, -10, None, id="nobody has taken the turn: at its deadline"),
    ],
)
async def test_c10_a_run_whose_pages_wait_for_a_far_turn_does_not_end_before_it(
    db: Database, delay_minutes: int, turn_minutes: int, ends_minutes: int | None
) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    began, turn = queues.clock.at, queues.clock.at + turn_minutes * MINUTE
    await queues.set_host("a.example", crawl_delay_ms=delay_minutes * 60_000, free_at=turn)
    janitor = queues.janitor()

    queues.clock.at += 61 * MINUTE
    await janitor.sweep()

    (run,) = await queues.rows(tables.crawl_runs)
    ends_at = run.deadline_at if run.finished_at is None else None
    assert ends_at == (began + ends_minutes * MINUTE if ends_minutes is not None else None)


@on_sqlite
@pytest.mark.parametrize(
    ("interval", "turn", "ends"),
    [
        pytest.param(6 * HOUR, 3 * HOUR, 4 * HOUR, id="before its next run: an hour after that turn"),
        pytest.param(6 * HOUR, 24 * HOUR, None, id="later than its next run: at its deadline"),
    ],
)
async def test_c10_a_run_waits_for_another_host_than_that_of_its_start_page_until_its_job_would_run_again(
    db: Database, interval: timedelta, turn: timedelta, ends: timedelta | None
) -> None:
    queues = Queues(db)
    job_id = await queues.job("start", interval=interval)
    await queues.poll()
    (run,) = await queues.rows(tables.crawl_runs)
    await write(db, run_pages.close_open, run.id, phase=Phase.COMPLETED, reason="", detail="")
    await write(db, some_pages, run.source_id, run.id, "/linked")
    await queues.set_host("a.example", crawl_delay_ms=24 * 3_600_000, free_at=run.started_at + turn)
    await write(db, set_job, job_id, now=NOON, pace_seconds=None)

    queues.clock.at += 61 * MINUTE
    await queues.janitor().sweep()

    (run,) = await queues.rows(tables.crawl_runs)
    ends_at = run.deadline_at if run.finished_at is None else None
    assert ends_at == (run.started_at + ends if ends is not None else None)


@on_sqlite
async def test_a_run_that_waits_for_its_hosts_turn_is_not_silent(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    await queues.set_host("a.example", free_at=queues.clock.at + 7 * MINUTE)
    janitor, counts = queues.janitor(), []

    for minutes in (6, 2):
        queues.clock.at += minutes * MINUTE
        await janitor.sweep()
        counts.append(janitor.stale_runs)

    assert counts == [0, 1]


@on_sqlite
async def test_a_run_of_a_blocked_host_is_neither_silent_nor_over_and_takes_up_no_room(db: Database) -> None:
    queues = Queues(db, runs=1)
    await queues.job("a")
    await queues.job("b")
    (first,) = await queues.poll()
    until = queues.clock.at + 6 * HOUR
    await queues.set_host(f"{first}.example", blocked_until=until, block_reason="HTTP 500")
    janitor = queues.janitor()

    queues.clock.at += 2 * HOUR
    await janitor.sweep()
    (run,) = await queues.rows(tables.crawl_runs)
    second = await queues.poll()

    assert (run.finished_at, run.deadline_at, janitor.stale_runs) == (None, until + HOUR, 0)
    assert second == [({"a", "b"} - {first}).pop()]


async def test_a_host_whose_pages_nobody_would_look_at_is_woken(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1")

    await Queues(db).janitor().sweep()

    (host,) = await Queues(db).rows(tables.hosts)
    assert host.due_at == NOON


@on_sqlite
async def test_a_job_whose_rest_is_over_goes_on(db: Database) -> None:
    queues = Queues(db)
    job_id = await queues.job("a")
    rest = {"state": JobState.PAUSED, "pause_reason": PauseReason.ROBOTS, "resume_at": NOON + MINUTE}
    await write(db, set_job, job_id, now=NOON, **rest)
    janitor = queues.janitor()

    await janitor.sweep()
    before = (await queues.job_of("a")).state
    queues.clock.at += MINUTE
    await janitor.sweep()

    assert (before, (await queues.job_of("a")).state) == ("paused", "scheduled")


@on_sqlite
async def test_a_record_that_asked_to_be_forgotten_is_gone_in_time(db: Database) -> None:
    source_id, _ = await write(db, a_run)
    for number, hours in ((1, -1), (2, 1)):
        await write(db, stored, found(source_id, None, posting(number, expires_at=NOON + timedelta(hours=hours))))

    await Queues(db).janitor().sweep()

    assert [row.gone_at for row in await all_stored(db)] == [NOON, None]
