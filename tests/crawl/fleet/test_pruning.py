"""What is forgotten, when, and what stays however old it is."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.crawl.fleet import pruning as crawl_pruning
from lamplighter.crawl.fleet.pruning import Pruning, RetentionLimits
from lamplighter.store.engine.database import Database
from lamplighter.store.events import events
from lamplighter.store.events.events import EventResult, Note
from lamplighter.store.fleet import pruning, samples, upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.runs import run_hours
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of
from tests.store.records.given_records import found, posting, stored

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def _pruning(db: Database, **kept: Any) -> Pruning:
    return Pruning(db, clock=At(NOON), kept=RetentionLimits(**kept))


async def _add(db: Database, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
    async with db.exclusive() as connection:
        await connection.execute(sa.insert(table), list(rows))


async def _runs(db: Database, *runs: tuple[timedelta, str | None]) -> None:
    """Runs of one job, the oldest first: how long ago each began, and how it ended; None goes on."""
    await write(db, a_run)
    async with db.exclusive() as connection:
        like = (await connection.execute(sa.select(tables.crawl_runs))).one()._asdict()
        await connection.execute(sa.delete(tables.crawl_runs))
        rows = [
            like
            | {"id": number, "public_id": str(number), "number": number, "started_at": NOON - ago, "outcome": outcome}
            | {"finished_at": NOON - ago + timedelta(minutes=1) if outcome else None}
            for number, (ago, outcome) in enumerate(runs, 1)
        ]
        await connection.execute(sa.insert(tables.crawl_runs), rows)
        await connection.execute(sa.update(tables.crawl_jobs).values(run_count=len(runs)))


def _line(run_id: int, *, at: datetime) -> dict[str, Any]:
    return {"run_id": run_id, "at": at, "level": "info", "category": "fetch", "message": "asked"}


async def _left(db: Database, column: sa.Column[Any]) -> list[Any]:
    async with db.read() as connection:
        return list(await connection.scalars(sa.select(column).order_by(column)))


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_of_runs_older_than_thirty_days_the_last_good_and_the_last_failed_stay(db: Database) -> None:
    ago = (50, "fail"), (49, "ok"), (48, "fail"), (47, "warn"), (46, "cancelled"), (45, None), (29, "cancelled")
    await _runs(db, *((days * DAY, outcome) for days, outcome in ago))

    removed = await _pruning(db).sweep()

    assert await _left(db, tables.crawl_runs.c.number) == [3, 4, 6, 7]
    assert removed == {"runs": 3}


async def test_of_one_job_no_more_than_so_many_runs_stay_but_for_the_last_good_and_failed(db: Database) -> None:
    outcomes = ["ok", "fail"] + ["cancelled"] * 8
    await _runs(db, *((10 * DAY - number * HOUR, outcome) for number, outcome in enumerate(outcomes)))

    await _pruning(db, runs=5).sweep()

    assert await _left(db, tables.crawl_runs.c.number) == [1, 2, 6, 7, 8, 9, 10]


@on_sqlite
async def test_runs_whose_hour_is_not_yet_counted_stay_however_many_there_are(db: Database) -> None:
    await _runs(db, *((timedelta(days=3) - number * HOUR, "ok") for number in range(6)))
    await write(db, run_hours.write_next, now=NOON)
    await write(db, _forget_hours, after=NOON - 3 * DAY + 2 * HOUR)

    before = await write(db, run_hours.by_hour, since=NOON - 4 * DAY)
    await _pruning(db, runs=1).sweep()

    assert await write(db, run_hours.by_hour, since=NOON - 4 * DAY) == before
    assert await _left(db, tables.crawl_runs.c.number) == [4, 5, 6]


async def _forget_hours(db: Any, *, after: datetime) -> None:
    await db.execute(sa.delete(tables.run_hours).where(tables.run_hours.c.hour > run_hours.hour_of(after)))


@on_sqlite
async def test_the_runs_of_the_last_day_stay_because_its_figures_are_made_of_them(db: Database) -> None:
    await _runs(db, *((timedelta(hours=30 - number), "ok") for number in range(20)))
    await write(db, run_hours.write_next, now=NOON)

    await _pruning(db, runs=5).sweep()

    assert min(await _left(db, tables.crawl_runs.c.started_at)) == NOON - DAY


async def test_a_page_outlives_its_run_and_a_change_does_too_but_not_the_log(db: Database) -> None:
    await _runs(db, (40 * DAY, "cancelled"), (DAY, "ok"))
    (source_id,) = await _left(db, tables.sources.c.id)
    (page_id,) = await write(db, some_pages, source_id, 1, "/old", phase="completed")
    record_id = await write(db, stored, found(source_id, page_id, posting(1)))
    await _add(db, tables.record_changes, [{"record_id": record_id, "run_id": 1, "at": NOON, "field": "title"}])
    await _add(db, tables.run_log_lines, [_line(1, at=NOON)])

    await _pruning(db).sweep()

    assert await _left(db, tables.crawl_runs.c.id) == [2]
    assert await _left(db, tables.pages.c.run_id) == [None]
    assert await _left(db, tables.record_changes.c.run_id) == [1]
    assert await _left(db, tables.run_log_lines.c.id) == []


async def test_however_much_belongs_to_the_runs_little_changes_at_once_and_all_goes_in_the_end(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "MOST_FOLLOWING", 10)
    monkeypatch.setattr(crawl_pruning, "AT_ONCE", 4)
    monkeypatch.setattr(crawl_pruning, "MOST_LOOKS", 2)
    await _runs(db, *((timedelta(days=60), "cancelled") for _ in range(20)))
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.crawl_runs).values(page_count=5))
    keeper = _pruning(db)

    sweeps = [(await keeper.sweep()).total() for _ in range(8)]

    assert max(sweeps) <= 2 * 2 * 2
    assert sum(sweeps) == 20


# ── the rest ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_lines_of_run_logs_are_forgotten_after_their_time(db: Database) -> None:
    _, run_id = await write(db, a_run)
    await _add(db, tables.run_log_lines, (_line(run_id, at=NOON - days * DAY) for days in (31, 29)))

    await _pruning(db).sweep()

    assert await _left(db, tables.run_log_lines.c.at) == [NOON - 29 * DAY]


async def test_receipts_and_delivered_events_are_kept_for_seven_days_and_waiting_ones_for_ever(db: Database) -> None:
    for days in (9, 8, 6):
        at = NOON - days * DAY
        event_id = await write(db, events.publish, "SOURCE_UPDATED", source_id=None, payload={"days": days}, now=at)
        if days != 9:
            await write(db, events.take_receipts, [event_id], now=at)
            await write(db, events.note, [Note(event_id, EventResult.SUCCESS, None, timedelta(0))], delivered_at=at)

    removed = await _pruning(db).sweep()

    assert removed == {"events": 1, "receipts": 1}
    assert sorted(row["days"] for row in await _left(db, tables.events.c.payload)) == [6, 9]


async def test_notifications_that_are_done_with_go_after_thirty_days_and_alerts_after_ninety(db: Database) -> None:
    channel = {"id": 1, "public_id": "c", "name": "c", "kind": "ntfy", "encrypted_target": b"x", "target_hint": "x"}
    await _add(db, tables.notification_channels, [channel | {"created_at": NOON, "updated_at": NOON}])
    sent = {"channel_id": 1, "kind": "test", "payload": {}, "due_at": NOON}
    states = (("sent", 31), ("dead", 31), ("cancelled", 31), ("pending", 31), ("sent", 29))
    await _add(
        db,
        tables.notifications,
        (
            sent | {"public_id": f"{state} {days}", "state": state, "created_at": NOON - days * DAY}
            for state, days in states
        ),
    )
    alert = {"rule": "r", "severity": "warning", "detail": ""}
    cleared = ((200, 91), (200, 89), (200, None))
    await _add(
        db,
        tables.alerts,
        (
            alert
            | {"public_id": f"{ago}", "subject": f"{ago}", "since": NOON - since * DAY}
            | {"cleared_at": None if ago is None else NOON - ago * DAY}
            for since, ago in cleared
        ),
    )

    removed = await _pruning(db).sweep()

    assert removed == {"notifications": 3, "alerts": 1}
    assert await _left(db, tables.notifications.c.public_id) == ["pending 31", "sent 29"]
    assert await _left(db, tables.alerts.c.public_id) == ["89", "None"]


@on_sqlite
@pytest.mark.parametrize(("age", "left"), [(None, 2), (365 * DAY, 1)], ids=["with the record", "a year"])
async def test_how_a_record_changed_is_kept_as_long_as_the_setting_says(
    db: Database, age: timedelta | None, left: int
) -> None:
    source_id, _ = await write(db, a_run)
    record_id = await write(db, stored, found(source_id, None, posting(1)))
    changes = ({"record_id": record_id, "at": NOON - days * DAY, "field": "title"} for days in (400, 300))
    await _add(db, tables.record_changes, changes)

    await _pruning(db, change_age=age).sweep()

    assert len(await _left(db, tables.record_changes.c.id)) == left


@on_sqlite
async def test_what_a_sweep_removed_is_noted_and_one_that_removed_nothing_is_not(db: Database) -> None:
    await _runs(db, (40 * DAY, "cancelled"), (DAY, "ok"))
    keeper = _pruning(db)

    await keeper.sweep()
    again = await keeper.sweep()

    async with db.read() as connection:
        noted = await upkeep.last(connection, Upkeep.SWEEP)
    assert again == {}
    assert noted is not None
    assert (noted.at, noted.figures) == (NOON, {"runs": 1})


# ── how the database goes about it ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "look",
    [
        pruning.old_runs,
        pruning.log_lines,
        pruning.delivered_events,
        pruning.ended_notifications,
        pruning.cleared_alerts,
        pruning.changes,
    ],
)
async def test_the_next_rows_are_found_by_their_ids(db: Database, look: Any) -> None:
    plan = await plan_of(db, lambda c: look(c, before=NOON, after=0, limit=500))

    assert ("USING INTEGER PRIMARY KEY (rowid>?)" if db.is_sqlite else "Index Scan using pk_") in plan
    assert "SCAN" not in plan.replace("Index Scan", "")
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan


async def test_surplus_runs_are_found_in_the_index_of_their_job(db: Database) -> None:
    await _runs(db, *((10 * DAY, "cancelled") for _ in range(3)))

    plan = await plan_of(
        db, lambda c: pruning.surplus_runs(c, keep=1, before=NOON, after=0, limit=500), start="SELECT crawl_runs"
    )

    index = "(job_id=? AND number<?)" if db.is_sqlite else "uq_crawl_runs_job_id_number"
    assert index in plan
    assert "SCAN crawl" not in plan
    assert "TEMP B-TREE" not in plan


async def test_old_receipts_are_found_in_the_index_of_their_age(db: Database) -> None:
    plan = await plan_of(db, lambda c: pruning.old_receipts(c, before=NOON, limit=500), start="DELETE")

    assert "ix_receipts_processed" in plan


async def test_samples_are_forgotten_after_ninety_days(db: Database) -> None:
    steps = [samples.step_of(NOON - days * DAY) for days in (91, 89)]
    await _add(db, tables.samples, [{"step": step} for step in steps])

    await _pruning(db).sweep()

    assert await _left(db, tables.samples.c.step) == steps[1:]
