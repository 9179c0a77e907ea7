"""What a run found, changed, lost and saw again, on both databases."""

from datetime import timedelta
from typing import Any

from lamplighter.store.alerts import watched_items
from lamplighter.store.alerts.watched_items import WatchedSources
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import record_changes
from lamplighter.store.sources import tags
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.records.given_records import found, posting, stored


async def _history(db: Database) -> tuple[WatchedSources, int]:
    """A record that changed, went and came back in a run, and went in another."""
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1")
    record_id = await write(db, stored, found(source_id, page_id, posting(1)))
    origin = {"record_id": record_id, "page_id": page_id, "at": NOON}
    said = [("title", "a", "b", 0), ("state", "present", "gone", 0), ("state", "gone", "present", 0)]
    said.append(("state", "present", "gone", 1))
    lines = [
        origin | {"field": field, "before": before, "after": after, "run_id": run_id + later}
        for field, before, after, later in said
    ]
    await write(db, record_changes.write, lines)
    return WatchedSources(source_id), run_id


async def test_the_changes_of_a_run_are_told_apart_from_its_turns_and_from_other_runs(db: Database) -> None:
    of, run_id = await _history(db)

    async with db.read() as reading:
        changed = await watched_items.changed_records(reading, of, run_id=run_id, limit=10)
        gone = await watched_items.turned_records(reading, of, "gone", run_id=run_id, limit=10)
        back = await watched_items.turned_records(reading, of, "present", run_id=run_id, limit=10)
        lately = await watched_items.turned_records(reading, of, "gone", run_id=None, limit=10)
        of_another = await watched_items.changed_records(reading, WatchedSources(99), run_id=run_id, limit=10)

    assert [(row.field, row.before, row.after) for row in changed] == [("title", "a", "b")]
    assert [len(rows) for rows in (gone, back, lately, of_another)] == [1, 1, 2, 0]


async def test_new_records_are_those_of_a_time_and_of_sources_with_a_tag(db: Database) -> None:
    of, _ = await _history(db)
    await write(db, tags.label, [of.source_id], "sea")

    async def count(reading: Connection, which: WatchedSources, **more: Any) -> int:
        times = {"since": None, "until": None} | more
        return len(await watched_items.new_records(reading, which, limit=10, **times))

    async with db.read() as reading:
        counts = [
            await count(reading, of, since=NOON, until=NOON),
            await count(reading, of, since=NOON + timedelta(seconds=1)),
            await count(reading, WatchedSources(tag="sea")),
            await count(reading, WatchedSources(tag="land")),
        ]

    assert counts == [1, 0, 1, 0]
