"""The history of records in the database: newest first, and bounded."""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from lamplighter.store.engine.database import Database
from lamplighter.store.records import record_changes, records
from tests.moments import NOON
from tests.store.given_rows import a_run, a_source, some_pages, write
from tests.store.query_plans import plan_of
from tests.store.records.given_records import found, posting, stored


async def _record(db: Database) -> int:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1")
    return await write(db, stored, found(source_id, page_id, posting(1)))


def _line(record_id: int, number: int, *, at: datetime = NOON) -> dict[str, Any]:
    said = {"field": "title", "before": f"t{number - 1}", "after": f"t{number}"}
    return {"record_id": record_id, "run_id": 1, "page_id": 2, "at": at} | said


async def test_the_newest_change_comes_first(db: Database) -> None:
    record_id = await _record(db)

    await write(db, record_changes.write, [_line(record_id, number) for number in (1, 2)])

    async with db.read() as connection:
        history = await record_changes.of_record(connection, record_id)
    assert [(line.field, line.before, line.after) for line in history] == [("title", "t1", "t2"), ("title", "t0", "t1")]


async def test_whatever_a_field_can_be_is_told_as_it_was(db: Database) -> None:
    record_id = await _record(db)
    values = [None, 55, 18.5, 2.0, -3, True, False, "12", "", ["a", 1], {"min": 1.5}]
    lines = [_line(record_id, 1) | {"before": before, "after": after} for before, after in pairwise(values)]

    await write(db, record_changes.write, lines)

    async with db.read() as connection:
        history = await record_changes.of_record(connection, record_id)
    told = [(line.before, line.after) for line in reversed(history)]
    assert told == list(pairwise(values))
    assert told[4][1] is True


async def test_of_very_many_changes_the_oldest_go(db: Database) -> None:
    record_id = await _record(db)

    for start in range(0, 240, 40):
        await write(db, record_changes.write, [_line(record_id, number) for number in range(start, start + 40)])

    async with db.read() as connection:
        history = await record_changes.of_record(connection, record_id)
    assert [line.after for line in history] == [f"t{number}" for number in range(239, 39, -1)]


async def test_the_history_goes_with_its_record(db: Database) -> None:
    record_id = await _record(db)
    await write(db, record_changes.write, [_line(record_id, 1)])

    await write(db, records.delete, record_id)

    async with db.read() as connection:
        assert await record_changes.of_record(connection, record_id) == []


async def test_records_are_found_by_when_they_changed(db: Database) -> None:
    source_id = await write(db, a_source, "b")
    ids = [await write(db, stored, found(source_id, None, posting(number))) for number in (1, 2, 3)]
    times = [NOON - timedelta(days=1), NOON, NOON + timedelta(days=1)]
    lines = [_line(record_id, 1, at=at) for record_id, at in zip(ids, times, strict=True)]
    await write(db, record_changes.write, lines)

    async with db.read() as connection:
        found_since = [list(await connection.scalars(record_changes.ids_since(moment))) for moment in times]

    assert found_since == [ids, ids[1:], ids[2:]]


async def test_changes_since_are_read_from_the_newest_backwards(db: Database) -> None:
    record_id = await _record(db)
    await write(db, record_changes.write, [_line(record_id, number) for number in range(1, 40)])

    plan = await plan_of(db, lambda connection: connection.execute(record_changes.ids_since(NOON)))

    if db.is_sqlite:
        assert "SEARCH record_changes USING INTEGER PRIMARY KEY (rowid>?)" in plan
    else:
        assert "Index Scan Backward using pk_record_changes" in plan


async def test_the_last_change_of_each_record_is_told(db: Database) -> None:
    record_id = await _record(db)
    later = NOON + timedelta(hours=1)
    await write(db, record_changes.write, [_line(record_id, 1), _line(record_id, 2, at=later)])

    async with db.read() as connection:
        (row,) = await connection.execute(records.records.select())
        latest = await record_changes.latest(connection, [row.public_id, "unknown"])

    assert latest == {row.public_id: later}
