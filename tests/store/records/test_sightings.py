"""Sightings in the database: exactly what each page shows now."""

from datetime import timedelta

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import sightings
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write
from tests.store.query_plans import plan_of
from tests.store.records.given_records import found, posting, stored

LATER = NOON + timedelta(days=1)


async def _board(db: Database) -> tuple[int, list[int], list[int]]:
    """A source, two of its pages, three records."""
    source_id, run_id = await write(db, a_run)
    page_ids = await write(db, some_pages, source_id, run_id, "/list", "/1")
    record_ids = [await write(db, stored, found(source_id, page_ids[0], posting(number))) for number in (1, 2, 3)]
    return source_id, page_ids, record_ids


async def _urls(db: Database, record_id: int) -> list[str]:
    async with db.read() as connection:
        return [page.url for page in await sightings.of_record(connection, record_id)]


async def test_a_page_read_anew_shows_exactly_what_it_shows_now(db: Database) -> None:
    _, (listing, _), (first, second, third) = await _board(db)
    await write(db, sightings.become, {listing: {first: False, second: False}}, now=NOON)

    await write(db, sightings.become, {listing: {second: False, third: False}}, now=LATER)

    async with db.read() as connection:
        shown = {each: await sightings.of_record(connection, each) for each in (first, second, third)}
    assert [page.since for page in shown[second] + shown[third]] == [NOON, LATER]
    assert shown[first] == []


async def test_pages_that_were_not_read_keep_what_they_show(db: Database) -> None:
    _, (listing, own), (first, *_) = await _board(db)
    await write(db, sightings.become, {listing: {first: False}, own: {first: True}}, now=NOON)

    await write(db, sightings.become, {listing: {}}, now=LATER)

    assert await _urls(db, first) == ["https://a.example/1"]


async def test_nothing_is_written_where_nothing_changed(db: Database) -> None:
    _, (listing, _), (first, second, _) = await _board(db)
    await write(db, sightings.become, {listing: {first: False, second: False}}, now=NOON)
    written = []

    async def again(connection: Connection) -> None:
        class Listening:
            dialect = connection.dialect

            async def execute(self, statement: object, *parameters: object) -> object:
                written.append(str(statement).split()[0])
                return await connection.execute(statement, *parameters)

        await sightings.become(Listening(), {listing: {first: False, second: False}}, now=LATER)  # type: ignore[arg-type]

    await db.write(again)

    assert written == ["SELECT"]


async def test_of_a_record_that_was_listed_only_lists_count(db: Database) -> None:
    source_id, (listing, own), (first, *_) = await _board(db)
    listed = await write(db, stored, found(source_id, own, posting(9), is_listed=True))
    await write(db, sightings.become, {own: {first: True, listed: True}, listing: {}}, now=NOON)

    async with db.read() as connection:
        shown = await sightings.count_shown(connection, source_id)

    assert shown == 1


async def test_a_record_on_two_pages_counts_once(db: Database) -> None:
    source_id, (listing, own), (first, *_) = await _board(db)
    await write(db, sightings.become, {own: {first: False}, listing: {first: False}}, now=NOON)

    async with db.read() as connection:
        assert await sightings.count_shown(connection, source_id) == 1


async def test_what_a_source_shows_is_counted_by_indexes(db: Database) -> None:
    plan = await plan_of(db, lambda connection: sightings.count_shown(connection, 1))

    assert "SCAN sightings" not in plan
    assert "Seq Scan" not in plan
