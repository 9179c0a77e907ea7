"""The newest records of a source, for whoever waits for the first."""

from uuid import uuid4

from lamplighter.app import Store
from lamplighter.store.engine.database import Connection
from lamplighter.store.records import sightings
from lamplighter.store.sources import sources
from tests.moments import NOON
from tests.store.given_rows import a_run, a_source, some_pages
from tests.store.records.given_records import found, posting, stored
from tests.web.asgi_client import Ask


async def _path(store: Store, source_id: int) -> str:
    async with store.db.read() as db:
        source = await sources.get(db, source_id)
    assert source is not None
    return f"/sources/{source.public_id}/arrivals"


async def test_before_the_first_record_it_says_that_they_will_come(ask: Ask, store: Store) -> None:
    path = await _path(store, await store.db.write(a_source))

    assert "No records yet" in (await ask(path)).text


async def test_the_newest_records_are_linked_and_stay_text(ask: Ask, store: Store) -> None:
    source_id = await store.db.write(a_source)
    await store.db.write(lambda db: stored(db, found(source_id, None, posting(1, title="<b>Pilot</b>"))))

    text = (await ask(await _path(store, source_id))).text

    assert '<a href="/records/' in text
    assert "&lt;b&gt;Pilot&lt;/b&gt;" in text
    assert "<html" not in text


async def test_of_records_that_another_source_found_first_it_says_through_which(ask: Ask, store: Store) -> None:
    async def given(db: Connection) -> int:
        (first, run), (second, second_run) = await a_run(db, "a"), await a_run(db, "b")
        (page,) = await some_pages(db, first, run, "/list")
        (other_page,) = await some_pages(db, second, second_run, "/other")
        record = await stored(db, found(first, page))
        await sightings.become(db, {page: {record: False}, other_page: {record: False}}, now=NOON)
        return second

    path = await _path(store, await store.db.write(given))

    for text in [(await ask(path)).text, (await ask(path.replace("/arrivals", "/records"))).text]:
        assert ">a.example</a> (1)" in text
        assert "A record is stored once" in text


async def test_of_a_source_that_is_not_there_nothing_arrives(ask: Ask) -> None:
    assert (await ask(f"/sources/{uuid4()}/arrivals")).status == 404
