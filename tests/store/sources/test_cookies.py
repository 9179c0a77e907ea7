"""Cookies as they are stored: by source and site, sealed, until they run out."""

from datetime import timedelta

from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.access import secrets
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.sources import cookies
from lamplighter.store.sources.cookies import CookieScope, SealedCookie
from tests.changing import set_source
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_source, write

LATER = NOON + timedelta(days=1)


async def a_keeper(db: Connection, name: str = "a") -> int:
    """A source whose recipe asks for cookies."""
    new = NewSource(url=f"https://{name}.example/", recipe={"cookies": True})
    return await sources.add(db, new, stamp=Stamp("test", NOON))


async def kept(db: Database, place: CookieScope, *, at: timedelta = timedelta(0)) -> list[bytes]:
    async with db.read() as reading:
        return [cookie.value for cookie in await cookies.kept(reading, place, now=NOON + at)]


async def test_a_cookie_takes_the_place_of_the_one_with_its_key_and_keeps_its_turn(db: Database) -> None:
    place = CookieScope(await write(db, a_keeper), "a.example")

    await write(db, cookies.put, place, {"k1": SealedCookie(b"old", LATER), "k2": SealedCookie(b"two", LATER)})
    await write(db, cookies.put, place, {"k1": SealedCookie(b"new", LATER)})

    assert await kept(db, place) == [b"new", b"two"]


async def test_sources_and_sites_do_not_share(db: Database) -> None:
    one, other = await write(db, a_keeper, "a"), await write(db, a_keeper, "b")

    await write(db, cookies.put, CookieScope(one, "a.example"), {"k": SealedCookie(b"mine", LATER)})

    assert await kept(db, CookieScope(other, "a.example")) == []
    assert await kept(db, CookieScope(one, "b.example")) == []


async def test_what_has_run_out_is_not_found_and_is_forgotten_by_the_next_sweep(db: Database) -> None:
    place = CookieScope(await write(db, a_keeper), "a.example")
    await write(db, cookies.put, place, {"k": SealedCookie(b"short", NOON + HOUR), "l": SealedCookie(b"long", LATER)})

    found = await kept(db, place, at=2 * HOUR)
    forgotten = await write(db, cookies.purge, now=NOON + 2 * HOUR)

    assert found == [b"long"]
    assert forgotten == 1
    assert await kept(db, place) == [b"long"]


async def test_a_source_that_asks_no_more_or_is_deleted_keeps_nothing(db: Database) -> None:
    stays, changed, deleted = [await write(db, a_keeper, name) for name in "abc"]
    for source_id in (stays, changed, deleted):
        await write(db, cookies.put, CookieScope(source_id, "a.example"), {"k": SealedCookie(b"x", LATER)})

    await write(db, set_source, changed, now=NOON, recipe={"items": "li"})
    await write(db, set_source, deleted, now=NOON, deleted_at=NOON)
    await write(db, cookies.purge, now=NOON)

    assert [len(await kept(db, CookieScope(source_id, "a.example"))) for source_id in (stays, changed, deleted)] == [
        1,
        0,
        0,
    ]


async def test_a_source_without_a_recipe_keeps_nothing(db: Database) -> None:
    place = CookieScope(await write(db, a_source), "a.example")
    await write(db, cookies.put, place, {"k": SealedCookie(b"x", LATER)})

    assert await write(db, cookies.purge, now=NOON) == 1


async def test_cookies_are_among_what_a_new_key_encrypts_anew(db: Database) -> None:
    place = CookieScope(await write(db, a_keeper), "a.example")
    await write(db, cookies.put, place, {"k": SealedCookie(b"old", LATER)})
    async with db.read() as reading:
        (found,) = await secrets.everything_sealed(reading)

    await write(db, secrets.reseal, found, b"fresh")

    assert (found.kind, found.value) == ("cookie", b"old")
    assert await kept(db, place) == [b"fresh"]
