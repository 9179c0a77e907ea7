"""What is stored encrypted, and how it is re-encrypted."""

from dataclasses import replace
from datetime import UTC, datetime

from lamplighter.store.access import secrets
from lamplighter.store.engine.database import Database

NOW = datetime(2026, 3, 1, tzinfo=UTC)


async def test_a_value_that_was_set_anew_meanwhile_is_not_overwritten(db: Database) -> None:
    await db.write(lambda writing: secrets.put(writing, "key", b"old", hosts=["a.example"], now=NOW))
    async with db.read() as reading:
        (found,) = await secrets.everything_sealed(reading)
    await db.write(lambda writing: secrets.put(writing, "key", b"set anew", hosts=["a.example"], now=NOW))

    late = await db.write(lambda writing: secrets.reseal(writing, found, b"old, re-encrypted"))
    in_time = await db.write(lambda writing: secrets.reseal(writing, replace(found, value=b"set anew"), b"fresh"))

    assert (late, in_time) == (False, True)
    async with db.read() as reading:
        assert await secrets.sealed_values(reading) == {"key": (b"fresh", ("a.example",))}
