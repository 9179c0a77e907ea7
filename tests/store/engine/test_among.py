"""A column that is one of many values."""

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import asyncpg

from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.schema.tables import hosts as table
from tests.store.query_plans import heard


def condition(dialect: sa.Dialect) -> str:
    text = str(sa.select(table.c.id).where(Among(table.c.key, "keys")).compile(dialect=dialect))
    return text.partition("WHERE ")[2]


def test_sqlite_is_asked_in_words_that_an_index_can_answer() -> None:
    assert condition(sqlite.dialect()) == 'hosts."key" IN (SELECT anon_1.value \nFROM json_each(?) AS anon_1)'


def test_postgresql_gets_an_array_whose_values_are_not_cut() -> None:
    assert condition(asyncpg.dialect()) == "hosts.key = ANY ($1::VARCHAR[])"


async def test_any_number_of_values_is_the_same_statement(db: Database) -> None:
    async def ask(connection: Connection) -> None:
        for count in range(4):
            await hosts.lease_tokens(connection, range(count))

    with heard("SELECT hosts.id") as sent:
        await db.write(ask)

    assert len({statement for statement, _ in sent}) == 1
