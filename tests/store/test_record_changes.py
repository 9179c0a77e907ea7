"""The history of records in the database: newest first, and bounded."""

from typing import Any

from lamplighter.store import record_changes, records
from lamplighter.store.database import Database
from tests.moments import NOON
from tests.store.finds import found, posting, stored
from tests.store.given import a_run, some_pages, write


async def _record(db: Database) -> int:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1")
    return await write(db, stored, found(source_id, page_id, posting(1)))


def _line(record_id: int, number: int) -> dict[str, Any]:
    said = {"field": "title", "before": f"t{number - 1}", "after": f"t{number}"}
    return {"record_id": record_id, "run_id": 1, "page_id": 2, "at": NOON} | said


async def test_the_newest_change_comes_first(db: Database) -> None:
    record_id = await _record(db)

    await write(db, record_changes.write, [_line(record_id, number) for number in (1, 2)])

    async with db.read() as connection:
        history = await record_changes.of_record(connection, record_id)
    assert [(line.field, line.before, line.after) for line in history] == [("title", "t1", "t2"), ("title", "t0", "t1")]


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
