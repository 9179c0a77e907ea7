"""What a source has brought lately, in the database."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import record_changes
from lamplighter.store.sources import source_changes
from lamplighter.store.sources.source_changes import ChangeKey, SourceChangeCounts
from tests.moments import NOON
from tests.store.given_rows import a_run, a_source, write
from tests.store.query_plans import plan_of
from tests.store.records.given_records import found, posting, stored

HOUR = timedelta(hours=1)


def line(record_id: int, field: str, at: datetime, run_id: int | None = None, **values: Any) -> dict[str, Any]:
    """One field of a record that changed."""
    given = {"page_id": None, "before": "old", "after": "new", **values}
    return {"record_id": record_id, "run_id": run_id, "at": at, "field": field, **given}


async def _some_changes(db: Connection) -> tuple[int, int, int]:
    """Two changes of one record, the second of two fields in a run, and one of another source's."""
    source_id, run_id = await a_run(db)
    mine = await stored(db, found(source_id, None, posting(1)))
    other = await stored(db, found(await a_source(db, "b"), None, posting(2)))
    first, second = line(mine, "title", NOON), line(mine, "title", NOON + HOUR, run_id)
    await record_changes.write(db, [first, second, line(mine, "deadline", NOON + HOUR, run_id)])
    await record_changes.write(db, [line(other, "title", NOON + 2 * HOUR)])
    return source_id, run_id, mine


async def test_changes_of_one_record_at_one_moment_are_one(db: Database) -> None:
    source_id, _, mine = await write(db, _some_changes)

    async with db.read() as connection:
        keys, total = await source_changes.changes(connection, source_id, run_id=None, limit=10, offset=0)
        lines = await source_changes.lines_of(connection, keys)

    assert (keys, total) == ([ChangeKey(mine, NOON + HOUR), ChangeKey(mine, NOON)], 2)
    assert [(each.field, each.at, each.run_number) for each in lines] == [
        ("title", NOON, None),
        ("title", NOON + HOUR, 1),
        ("deadline", NOON + HOUR, 1),
    ]


async def test_changes_of_one_run_are_found_and_paged(db: Database) -> None:
    source_id, run_id, mine = await write(db, _some_changes)

    async with db.read() as connection:
        of_run = await source_changes.changes(connection, source_id, run_id=run_id, limit=10, offset=0)
        second = await source_changes.changes(connection, source_id, run_id=None, limit=1, offset=1)

    assert of_run == ([ChangeKey(mine, NOON + HOUR)], 1)
    assert second == ([ChangeKey(mine, NOON)], 2)


async def test_what_came_changed_and_went_is_counted_since_some_time(db: Database) -> None:
    source_id, _, mine = await write(db, _some_changes)
    gone = line(mine, "state", NOON + HOUR, before="present", after="gone")
    await write(db, record_changes.write, [gone])

    async with db.read() as connection:
        since_noon = await source_changes.counts(connection, source_id, since=NOON)
        later = await source_changes.counts(connection, source_id, since=NOON + 2 * HOUR)

    assert since_noon == SourceChangeCounts(added=1, changed=1, gone=0)
    assert later == SourceChangeCounts(added=0, changed=0, gone=0)


async def test_changes_are_found_through_the_records_of_their_source(db: Database) -> None:
    source_id, _, _ = await write(db, _some_changes)

    plan = await plan_of(db, partial(source_changes.changes, source_id=source_id, run_id=None, limit=10, offset=0))

    assert "ix_records_source" in plan
    assert "ix_record_changes_record" in plan


async def test_changes_and_records_are_counted_up_to_a_bound(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    source_id, _, mine = await write(db, _some_changes)
    others = [await write(db, stored, found(source_id, None, posting(number))) for number in (3, 4)]
    lines = [line(record_id, "title", NOON + HOUR) for record_id in others]
    await write(db, record_changes.write, [line(mine, "title", NOON + 3 * HOUR), *lines])
    monkeypatch.setattr(source_changes, "MOST_COUNTED", 1)

    async with db.read() as connection:
        finds = await source_changes.counts(connection, source_id, since=NOON)
        keys, total = await source_changes.changes(connection, source_id, run_id=None, limit=10, offset=0)

    assert finds == SourceChangeCounts(added=2, changed=2, gone=0)
    assert (len(keys), total) == (5, 2)


async def test_records_that_came_are_counted_among_the_newest_of_their_source(db: Database) -> None:
    source_id, _, _ = await write(db, _some_changes)

    plan = await plan_of(db, partial(source_changes.counts, source_id=source_id, since=NOON))

    assert "ix_records_source" in plan
    if db.is_sqlite:
        assert "TEMP B-TREE" not in plan


async def test_of_a_source_with_very_many_records_the_newest_lines_are_gone_through_one_by_one(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    source_id, _, mine = await write(db, _some_changes)
    gone = line(mine, "state", NOON + 3 * HOUR, before="present", after="gone")
    await write(db, record_changes.write, [gone])
    none_left = await write(db, source_changes.not_looked_at, source_id)
    monkeypatch.setattr(source_changes, "MOST_RECORDS", 0)
    monkeypatch.setattr(source_changes, "MOST_LINES", 4)

    after = await write(db, source_changes.not_looked_at, source_id)
    latest = partial(source_changes.changes, source_id=source_id, run_id=None, limit=10, offset=0, after=after)
    async with db.read() as connection:
        keys, total = await latest(connection)
        finds = await source_changes.counts(connection, source_id, since=NOON, after=after)
    plan = await plan_of(db, latest)

    assert none_left is None
    assert (keys, total) == ([ChangeKey(mine, NOON + 3 * HOUR), ChangeKey(mine, NOON + HOUR)], 2)
    assert finds == SourceChangeCounts(added=1, changed=1, gone=0)
    assert "ix_records_source" not in plan
