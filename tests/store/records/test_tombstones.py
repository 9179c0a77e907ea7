"""Tombstones in the database."""

from lamplighter.store.engine.database import Database
from lamplighter.store.records import tombstones
from lamplighter.store.records.tombstones import Tombstone
from tests.moments import NOON
from tests.store.given_rows import write

STONE = Tombstone("a" * 64, "its author asked", "Lamplighter", None, NOON)


async def test_a_tombstone_is_found_among_others_until_it_is_lifted(db: Database) -> None:
    await write(db, tombstones.add, STONE)

    async with db.read() as connection:
        before = await tombstones.among(connection, [*(f"{number:064}" for number in range(1200)), "a" * 64])
    await write(db, tombstones.lift, "a" * 64)
    async with db.read() as connection:
        after = await tombstones.among(connection, ["a" * 64])

    assert before == {"a" * 64: STONE}
    assert after == {}


async def test_the_first_reason_stands(db: Database) -> None:
    await write(db, tombstones.add, STONE)

    await write(db, tombstones.add, STONE._replace(reason="another"))

    async with db.read() as connection:
        assert (await tombstones.among(connection, ["a" * 64]))["a" * 64].reason == "its author asked"
