"""Bodies in the database: each content once, and never forgotten while somebody needs it."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import bodies, page_versions
from lamplighter.store.pages.page_versions import NewVersion
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import write
from tests.store.pages.stored_bodies import become, body, pages_with
from tests.store.query_plans import plan_of

HOUR = timedelta(hours=1)


async def _ids(db: Database) -> dict[str, int]:
    async with db.read() as connection:
        rows = await connection.execute(sa.select(tables.bodies.c.hash, tables.bodies.c.id))
        return {row.hash: row.id for row in rows}


async def test_the_first_to_bring_a_content_says_where_it_is(db: Database) -> None:
    await write(db, bodies.hold, [body("x")], hashes=["x"])

    held = await write(db, bodies.hold, [body("x", segment="s2"), body("y")], hashes=["x", "y", "unknown"])

    assert {content: one.key for content, one in held.items()} == {"x": "s1:x", "y": "s1:y"}
    async with db.read() as connection:
        assert await bodies.known(connection, ["x", "y", "z"]) == {"x": "s1:x", "y": "s1:y"}


async def test_only_what_nobody_needs_is_forgotten(db: Database) -> None:
    await write(db, pages_with, "x", "y")
    await write(db, bodies.hold, [body("z", size=7)], hashes=["z"])
    ids = await _ids(db)

    async with db.read() as connection:
        unneeded = await bodies.unneeded(connection, after=0)
    gone = await write(db, bodies.forget_unneeded, ids.values())

    assert unneeded == [ids["z"]]
    assert gone == [("s1:z", 7)]
    assert set(await _ids(db)) == {"x", "y"}


async def test_a_body_that_is_about_to_be_needed_is_not_forgotten(db: Database) -> None:
    if db.is_sqlite:
        pytest.skip("SQLite has one writer")
    (page_id,) = await write(db, pages_with, "x")
    await write(db, bodies.hold, [body("z")], hashes=["z"])
    ids, holding = await _ids(db), asyncio.Event()

    async def need(connection: Connection) -> None:
        held = await bodies.hold(connection, [], hashes=["z"])
        holding.set()
        await asyncio.sleep(0.3)
        await page_versions.add(connection, [NewVersion(page_id, held["z"].id, 200, NOON)])

    async def forget() -> list[tuple[str, int]]:
        await holding.wait()
        return await write(db, bodies.forget_unneeded, [ids["z"]])

    _, gone = await asyncio.gather(db.write(need), forget())

    assert gone == []


async def test_segments_share_what_is_needed(db: Database) -> None:
    await write(db, bodies.hold, [body("x", size=5), body("y", size=6), body("z", segment="s2", size=7)], hashes=["x"])

    async with db.read() as connection:
        shares = await bodies.shares(connection)

    assert {name: tuple(share) for name, share in shares.items()} == {"s1": (2, 11), "s2": (1, 7)}


async def test_a_moved_body_is_found_by_all_who_have_it_now(db: Database) -> None:
    first, second, third = await write(db, pages_with, "x", "x", "y")
    await write(db, become, third, "z", hours=1)
    async with db.read() as connection:
        ids = await bodies.in_segments(connection, ["s1"])
        living = {one.key: one for one in await bodies.living(connection, ids)}

    to = {"key": "s9:x", "segment": "s9", "stored_bytes": 4}
    moved = await write(db, bodies.move, living["s1:x"], to=to)
    again = await write(db, bodies.move, living["s1:x"], to=to | {"key": "s10:x"})

    assert (moved, again) == (True, False)
    async with db.read() as connection:
        rows = await connection.execute(sa.select(tables.pages.c.id, tables.pages.c.body_key))
        keys = {row.id: row.body_key for row in rows}
        assert await bodies.keys_of_pages(connection, [first]) == {"s9:x"}
    assert keys == {first: "s9:x", second: "s9:x", third: "s1:z"}


async def test_a_living_body_says_who_had_it_first_among_those_who_count(db: Database) -> None:
    first, _ = await write(db, pages_with, "x", "x")
    ids = await _ids(db)

    async with db.read() as connection:
        (one,) = await bodies.living(connection, ids.values())
        (other,) = await bodies.living(connection, ids.values(), besides=[first])

    assert (one.url, other.url) == ("https://a.example/0", "https://a.example/1")


async def test_a_lost_body_takes_its_versions_along(db: Database) -> None:
    first, second = await write(db, pages_with, "x", "y")

    await write(db, bodies.lost, first, "s1:x")
    await write(db, bodies.lost, second, "somewhere else")

    assert set(await _ids(db)) == {"y"}
    async with db.read() as connection:
        assert await page_versions.count(connection) == 1


async def test_no_look_at_bodies_walks_them_all(db: Database) -> None:
    by_hash = await plan_of(db, lambda c: bodies.known(c, ["x", "y"]))
    of_segment = await plan_of(db, lambda c: bodies.in_segments(c, ["s1"]))
    needed = await plan_of(db, lambda c: bodies.unneeded(c, after=0))
    shares = await plan_of(db, bodies.shares)

    assert "uq_bodies_hash" in by_hash or "sqlite_autoindex_bodies" in by_hash
    assert "ix_bodies_segment" in of_segment
    assert "ix_page_versions_body" in needed
    assert "ix_bodies_segment" in shares
