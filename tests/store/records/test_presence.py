"""Which records are still there, as the database decides it for a whole source at once."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.record import RecordKind
from lamplighter.model.visit import SOFT_NOT_FOUND
from lamplighter.rules.records import presence as rule
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import pages
from lamplighter.store.records import presence, record_changes, sightings
from lamplighter.store.schema.tables import pages as page_table
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of
from tests.store.records.given_records import all_stored, found, posting, stored

DEAD = {"phase": Phase.FAILED, "reason": "not_found", "detail": "HTTP 404"}
READ = {"phase": Phase.COMPLETED, "content_hash": "h"}


async def _note_missing(connection: Connection, source_id: int, run_id: int = 1) -> int:
    return await presence.note_missing(
        connection, source_id, run_id=run_id, now=NOON, gone_after=rule.GONE_AFTER, by_absence=rule.WITHDRAWN_BY_ABSENCE
    )


async def _listed_record(db: Database, **values: Any) -> tuple[int, int, int]:
    """A record that a list has shown: its source, the list, the record."""
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id, "/list", role=PageRole.LISTING, **READ)
    record_id = await write(db, stored, found(source_id, page_id, posting(1, **values), is_listed=True))
    return source_id, page_id, record_id


async def _content_hash(db: Database, page_id: int) -> str | None:
    async with db.read() as connection:
        query = page_table.select().where(page_table.c.id == page_id)
        return (await connection.execute(query)).one().content_hash  # type: ignore[no-any-return]


async def test_the_database_misses_exactly_what_the_rule_misses(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    (listing,) = await write(db, some_pages, source_id, run_id, "/list", role=PageRole.LISTING, **READ)
    cases = list(product(RecordKind, (False, True), (False, True), (False, True)))
    shown: dict[int, bool] = {}
    for number, (kind, was_listed, is_listed_now, is_dead) in enumerate(cases):
        await write(db, some_pages, source_id, run_id, f"/{number}", **(DEAD if is_dead else READ))
        find = found(source_id, listing, posting(number, kind=kind), is_listed=was_listed)
        record_id = await write(db, stored, find)
        if is_listed_now:
            shown[record_id] = False
    await write(db, sightings.become, {listing: shown}, now=NOON)

    await write(db, _note_missing, source_id)

    for row, (kind, was_listed, is_listed_now, is_dead) in zip(await all_stored(db), cases, strict=True):
        is_missing = rule.is_missing(kind, was_listed=was_listed, is_listed_now=is_listed_now, own_page_is_dead=is_dead)
        assert bool(row.missing_count) is is_missing, (kind, was_listed, is_listed_now, is_dead)


async def test_what_two_runs_in_a_row_miss_is_gone_and_its_history_says_so(db: Database) -> None:
    source_id, _, record_id = await _listed_record(db)

    gone = [await write(db, _note_missing, source_id) for _ in range(3)]

    (row,) = await all_stored(db)
    async with db.read() as connection:
        history = await record_changes.of_record(connection, record_id)
    assert gone == [0, 1, 0]
    assert row.gone_at == NOON
    assert [(line.field, line.before, line.after) for line in history] == [("state", "present", "gone")]


async def test_a_run_between_that_shows_it_starts_the_count_afresh(db: Database) -> None:
    source_id, page_id, record_id = await _listed_record(db)

    await write(db, _note_missing, source_id)
    await write(db, sightings.become, {page_id: {record_id: False}}, now=NOON)
    await write(db, _note_missing, source_id)
    await write(db, sightings.become, {page_id: {}}, now=NOON)
    gone = await write(db, _note_missing, source_id)

    (row,) = await all_stored(db)
    assert (gone, row.gone_at, row.missing_count) == (0, None, 1)


async def test_a_soft_404_is_as_dead_as_any(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    soft = DEAD | {"reason": "obstructed", "detail": SOFT_NOT_FOUND}
    (page_id,) = await write(db, some_pages, source_id, run_id, "/1", **soft)
    await write(db, stored, found(source_id, page_id, posting(1, kind=RecordKind.ARTICLE)))

    await write(db, _note_missing, source_id)

    (row,) = await all_stored(db)
    assert row.missing_count == 1


async def test_seen_again_a_record_is_back_unless_its_own_page_is_dead(db: Database) -> None:
    source_id, _, record_id = await _listed_record(db)
    for _ in range(2):
        await write(db, _note_missing, source_id)
    (own,) = await write(db, some_pages, source_id, None, "/1", **DEAD)

    while_dead = await write(db, presence.revive, [record_id], now=NOON)
    await write(db, pages.save, [{"page": own, "phase": Phase.COMPLETED}])
    afterwards = await write(db, presence.revive, [record_id], now=NOON)

    (row,) = await all_stored(db)
    assert (while_dead, afterwards) == ([], [record_id])
    assert (row.gone_at, row.missing_count) == (None, 0)


async def test_an_expired_record_is_gone_and_stays_so_while_it_is_expired(db: Database) -> None:
    await _listed_record(db, expires_at=NOON)
    (row,) = await all_stored(db)

    early = await write(db, presence.expire, now=NOON - timedelta(seconds=1))
    due = await write(db, presence.expire, now=NOON)
    again = await write(db, presence.expire, now=NOON)
    back = await write(db, presence.revive, [row.id], now=NOON)

    assert (early, due, again, back) == (0, 1, 0, [])


@pytest.mark.parametrize(
    ("columns", "is_of_this_run", "shows_on"),
    [
        pytest.param({"role": PageRole.LISTING, **READ}, True, True, id="a list that the run came past"),
        pytest.param({"role": PageRole.LISTING, **READ}, False, False, id="a list that it did not come past"),
        pytest.param({"role": PageRole.SEED, **READ}, False, False, id="a start page that moved"),
        pytest.param({"role": PageRole.LINK, **READ}, False, True, id="a linked page that was not due"),
        pytest.param({**READ, **DEAD}, True, False, id="a dead page"),
        pytest.param({**READ, "redirected_to": "https://a.example/x"}, True, False, id="a page that redirects"),
    ],
)
async def test_what_a_complete_run_did_not_come_past_shows_nothing_and_counts_as_unread(
    db: Database, columns: dict[str, Any], is_of_this_run: bool, shows_on: bool
) -> None:
    source_id, run_id = await write(db, a_run)
    (page_id,) = await write(db, some_pages, source_id, run_id if is_of_this_run else None, "/p", **columns)
    record_id = await write(db, stored, found(source_id, page_id))
    await write(db, sightings.become, {page_id: {record_id: False}}, now=NOON)

    await write(db, presence.drop_fallen, source_id, run_id=run_id)

    async with db.read() as connection:
        shown = await sightings.of_record(connection, record_id)
    assert bool(shown) is shows_on
    assert await _content_hash(db, page_id) == ("h" if shows_on else None)


@pytest.mark.parametrize(
    ("columns", "is_unknown"),
    [
        pytest.param(READ, False, id="read"),
        pytest.param(DEAD, False, id="dead"),
        pytest.param(DEAD | {"reason": "gone"}, False, id="gone"),
        pytest.param(DEAD | {"reason": "timeout"}, True, id="timed out"),
        pytest.param(DEAD | {"reason": "obstructed", "detail": "a login page"}, True, id="obstructed"),
        pytest.param(DEAD | {"reason": "robots_disallow"}, False, id="always forbidden"),
        pytest.param(DEAD | {"reason": "robots_disallow", "content_hash": "h"}, True, id="forbidden since"),
    ],
)
async def test_it_is_known_of_which_pages_nobody_knows_what_they_show(
    db: Database, columns: dict[str, Any], is_unknown: bool
) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/p", **columns)

    async with db.read() as connection:
        assert await presence.count_unknown(connection, run_id) == int(is_unknown)


@pytest.mark.parametrize("start", ["UPDATE records SET missing_count=(", "SELECT pages.id"])
async def test_a_large_source_is_gone_through_by_indexes(db: Database, start: str) -> None:
    async def work(connection: Connection) -> None:
        await presence.drop_fallen(connection, 1, run_id=1)
        await _note_missing(connection, 1)

    plan = await plan_of(db, work, start=start)

    assert "SCAN records" not in plan
    assert "SCAN pages" not in plan
    assert "SCAN sightings" not in plan
    assert "Seq Scan" not in plan


async def test_what_has_fallen_is_found_by_an_index_though_most_pages_belong_to_no_run(db: Database) -> None:
    if not db.is_sqlite:
        pytest.skip("PostgreSQL counts what stands in no run apart")

    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/p")

    async def believe(connection: Connection) -> None:
        await connection.execute(sa.text("ANALYZE"))
        figures = "UPDATE sqlite_stat1 SET stat = '1000000 1000000' WHERE idx = 'ix_pages_run'"
        await connection.execute(sa.text(figures))
        await connection.execute(sa.text("ANALYZE sqlite_schema"))

    await write(db, believe)

    plan = await plan_of(db, lambda connection: presence.drop_fallen(connection, 1, run_id=1))

    assert "SCAN pages" not in plan
