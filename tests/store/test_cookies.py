"""Cookies as they are stored: by source and site, sealed, until they run out."""

from datetime import timedelta

from lamplighter.operations import sources
from lamplighter.operations.sources import NewSource
from lamplighter.store import cookies, secrets
from lamplighter.store import sources as stored_sources
from lamplighter.store.cookies import Place, SealedCookie
from lamplighter.store.database import Connection, Database
from tests.moments import NOON
from tests.store.given import HOUR, a_source, write

LATER = NOON + timedelta(days=1)


async def a_keeper(db: Connection, name: str = "a") -> int:
    """A source whose recipe asks for cookies."""
    new = NewSource(url=f"https://{name}.example/", recipe={"cookies": True})
    return await sources.add(db, new, actor="test", now=NOON)


async def kept(db: Database, place: Place, *, at: timedelta = timedelta(0)) -> list[bytes]:
    async with db.read() as reading:
        return [cookie.value for cookie in await cookies.kept(reading, place, now=NOON + at)]


async def test_a_cookie_takes_the_place_of_the_one_with_its_key_and_keeps_its_turn(db: Database) -> None:
    place = Place(await write(db, a_keeper), "a.example")

    await write(db, cookies.put, place, {"k1": SealedCookie(b"old", LATER), "k2": SealedCookie(b"two", LATER)})
    await write(db, cookies.put, place, {"k1": SealedCookie(b"new", LATER)})

    assert await kept(db, place) == [b"new", b"two"]


async def test_sources_and_sites_do_not_share(db: Database) -> None:
    one, other = await write(db, a_keeper, "a"), await write(db, a_keeper, "b")

    await write(db, cookies.put, Place(one, "a.example"), {"k": SealedCookie(b"mine", LATER)})

    assert await kept(db, Place(other, "a.example")) == []
    assert await kept(db, Place(one, "b.example")) == []


async def test_what_has_run_out_is_not_found_and_is_forgotten_by_the_next_sweep(db: Database) -> None:
    place = Place(await write(db, a_keeper), "a.example")
    await write(db, cookies.put, place, {"k": SealedCookie(b"short", NOON + HOUR), "l": SealedCookie(b"long", LATER)})

    found = await kept(db, place, at=2 * HOUR)
    forgotten = await write(db, cookies.purge, now=NOON + 2 * HOUR)

    assert found == [b"long"]
    assert forgotten == 1
    assert await kept(db, place) == [b"long"]


async def test_a_source_that_asks_no_more_or_is_deleted_keeps_nothing(db: Database) -> None:
    stays, changed, deleted = [await write(db, a_keeper, name) for name in "abc"]
    for source_id in (stays, changed, deleted):
        await write(db, cookies.put, Place(source_id, "a.example"), {"k": SealedCookie(b"x", LATER)})

    await write(db, stored_sources.change, changed, now=NOON, recipe={"items": "li"})
    await write(db, stored_sources.change, deleted, now=NOON, deleted_at=NOON)
    await write(db, cookies.purge, now=NOON)

    assert [len(await kept(db, Place(source_id, "a.example"))) for source_id in (stays, changed, deleted)] == [1, 0, 0]


async def test_a_source_without_a_recipe_keeps_nothing(db: Database) -> None:
    place = Place(await write(db, a_source), "a.example")
    await write(db, cookies.put, place, {"k": SealedCookie(b"x", LATER)})

    assert await write(db, cookies.purge, now=NOON) == 1


async def test_cookies_are_among_what_a_new_key_encrypts_anew(db: Database) -> None:
    place = Place(await write(db, a_keeper), "a.example")
    await write(db, cookies.put, place, {"k": SealedCookie(b"old", LATER)})
    async with db.read() as reading:
        (found,) = await secrets.everything_sealed(reading)

    await write(db, secrets.reseal, found, b"fresh")

    assert (found.kind, found.value) == ("cookie", b"old")
    assert await kept(db, place) == [b"fresh"]
