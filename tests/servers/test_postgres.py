"""The throw-away PostgreSQL is a real one, and every test has a database of its own."""

import asyncpg


async def _tables(url: str) -> list[str]:
    connection = await asyncpg.connect(url.replace("+asyncpg", ""), ssl=False)
    try:
        found = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        await connection.execute("CREATE TABLE lamps (id int)")
        return [row["tablename"] for row in found]
    finally:
        await connection.close()


async def test_a_database_is_empty(postgres_db: str) -> None:
    assert await _tables(postgres_db) == []


async def test_a_database_is_empty_after_another_test_had_one(postgres_db: str) -> None:
    assert await _tables(postgres_db) == []
