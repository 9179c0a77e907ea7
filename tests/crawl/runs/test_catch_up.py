"""What happens when nobody has looked for days: the machine slept, was off, stood still, or a backup was restored."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from lamplighter.adapters.key_ring import KeyFile
from lamplighter.model.access import Stamp
from lamplighter.operations.backup import backups
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.rules.schedule.catch_up import FEW
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import tables
from tests.changing import add_job, set_job
from tests.crawl.runs.due_jobs import HOUR, Queues, on_sqlite
from tests.moments import NOON
from tests.store.given_rows import write

MINUTE = timedelta(minutes=1)
DAYS = 3 * timedelta(days=1)
SOURCES = 300
EVERY = 2 * MINUTE
#: runs that so many sources that are crawled every hour have in that time
ORDINARY = SOURCES * EVERY / HOUR


async def _hourly(queues: Queues, count: int) -> None:
    """Sources that have been crawled every hour, evenly spread over it."""

    async def work(db: Connection) -> None:
        for number in range(count):
            new = NewSource(url=f"https://s{number}.example/", name=f"s{number}", interval=HOUR)
            source_id = await sources.add(db, new, stamp=Stamp("test", NOON))
            due = NOON + number * HOUR / count
            said = {"source_id": source_id, "priority": 50, "interval": HOUR, "next_run_at": due}
            await set_job(db, await add_job(db, **said, now=NOON), now=NOON, run_count=1)

    await queues.db.write(work)


async def _opened(queues: Queues) -> list[list[str]]:
    """What each poll of the coming hour opens, one every other minute; runs take no longer than that."""
    opened = []
    for _ in range(30):
        opened.append(await queues.poll())
        queues.clock.at += EVERY
        await queues.end_all()
    return opened


def _assert_paced(opened: list[list[str]]) -> None:
    """No storm, each source once, none lost."""
    counts = [len(names) for names in opened]
    assert counts[0] <= FEW + ORDINARY
    assert max(counts[1:]) <= 1.2 * ORDINARY
    assert Counter(name for names in opened for name in names) == Counter(f"s{n}" for n in range(SOURCES))


@on_sqlite
async def test_h7_after_three_days_asleep_every_source_runs_once_at_the_ordinary_rate(db: Database) -> None:
    queues = Queues(db)
    await _hourly(queues, SOURCES)
    awake = await queues.poll()

    await queues.end_all()
    queues.clock.at += DAYS
    opened = await _opened(queues)

    assert awake == ["s0"]
    _assert_paced(opened)


@on_sqlite
async def test_k5_after_the_restore_of_a_backup_of_three_days_ago_nothing_storms_and_nothing_is_lost(
    db: Database, tmp_path: Path
) -> None:
    queues = Queues(db)
    await _hourly(queues, SOURCES)
    await queues.poll(2 * MINUTE)
    backup_folder = backups.backup_folder_of(db, data_dir=tmp_path, keep=10)
    backup = await backups.make(db, backup_folder, now=queues.clock.at)
    going_on = [row.id for row in await queues.rows(tables.crawl_runs) if row.finished_at is None]

    now, fresh = queues.clock.at + DAYS, Database(f"sqlite:///{tmp_path / 'fresh' / 'lamplighter.db'}")
    checked = await backups.check(fresh, backup.path)
    vault = KeyFile(tmp_path / "keys")
    restored = await backups.restore(fresh, checked, vault=vault, stamp=Stamp("test", now))
    async with fresh:
        again = Queues(fresh)
        again.clock.at = now
        opened = await _opened(again)
        old = [row for row in await again.rows(tables.crawl_runs) if row.id in going_on]

    assert len(going_on) == restored.settled["runs_cancelled"] == 11
    assert {row.outcome for row in old} == {"cancelled"}
    _assert_paced(opened)


async def test_only_what_fell_due_meanwhile_waits_and_says_why(db: Database) -> None:
    queues = Queues(db)
    await _hourly(queues, FEW + 2)
    await queues.job("new", next_run_at=NOON + HOUR)
    await queues.job("later", next_run_at=NOON + 2 * DAYS, run_count=1)
    await queues.poll()

    await queues.end_all()
    opened = await queues.poll(DAYS)

    jobs = {row.name: await queues.job_of(row.name) for row in await queues.rows(tables.sources)}
    waiting = {name: job for name, job in jobs.items() if job.next_run_at > queues.clock.at}
    assert len(opened) == FEW + 1
    assert "new" in opened
    assert waiting.keys() - {"later"} <= {f"s{number}" for number in range(FEW + 2)}
    assert waiting["later"].next_run_at == NOON + 2 * DAYS
    assert all(
        "no scheduler ran for 3 d" in job.next_run_reason["why"] for name, job in waiting.items() if name != "later"
    )


@on_sqlite
async def test_a_restart_within_minutes_changes_nothing(db: Database) -> None:
    queues = Queues(db)
    await _hourly(queues, 40)
    await queues.poll()

    again = Queues(db)
    again.clock.at = NOON + 14 * MINUTE

    assert len(await again.poll()) == 9  # all that came due, at once


@on_sqlite
async def test_an_installation_that_noted_nothing_yet_goes_by_its_latest_run(db: Database) -> None:
    queues = Queues(db)
    await _hourly(queues, 5 * FEW)
    await queues.poll()
    await queues.end_all()
    await write(db, _forget_looks)

    again = Queues(db)
    again.clock.at = NOON + DAYS

    assert len(await again.poll()) == FEW


async def _forget_looks(db: Connection) -> None:
    await db.execute(sa.delete(tables.upkeep))


@on_sqlite
async def test_after_three_days_of_standstill_nothing_storms_either(db: Database) -> None:
    queues = Queues(db)
    await _hourly(queues, 5 * FEW)
    await queues.poll()
    await queues.end_all()
    await write(db, crawl_pause.pause, reason="works", stamp=Stamp("test", NOON))
    stood_still = await queues.poll(DAYS)
    await write(db, crawl_pause.resume, stamp=Stamp("test", queues.clock.at))

    assert stood_still == []
    assert len(await queues.poll()) == FEW


async def test_when_the_clock_was_set_back_a_host_waits_as_long_as_it_would_have(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    second = timedelta(seconds=1)
    back = NOON - HOUR
    # Beside what was written by the old clock, what somebody wrote by the new one before anybody noticed.
    await queues.set_host("a.example", free_at=NOON + 50 * second, lease_until=back + 9 * second, crawl_delay_ms=20_000)

    await queues.poll(-HOUR)
    (old,) = await queues.rows(tables.hosts)
    await queues.set_host("a.example", free_at=back + 19 * second)
    await queues.poll(-HOUR)
    (new,) = await queues.rows(tables.hosts)

    assert (old.free_at, old.lease_until) == (back + 50 * second, back + 9 * second)
    assert new.free_at == back - HOUR + 20 * second


async def test_a_run_that_went_on_gets_the_time_back_once(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()

    await queues.poll(DAYS)
    await queues.poll(MINUTE)

    (run,) = await queues.rows(tables.crawl_runs)
    assert run.deadline_at == NOON + HOUR + DAYS
