"""A new database, made from the tables at once: the same as one that went through every migration."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate
from tests.servers import postgres

pytestmark = pytest.mark.migrates

#: PostgreSQL: everything that belongs to the schema, as the server describes it. Columns by name: those that
#: migrations added come last, which nothing depends on.
_POSTGRESQL = (
    "SELECT table_name, column_name, udt_name, character_maximum_length, is_nullable, column_default, is_identity "
    "FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE connamespace = 'public'::regnamespace",
    "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
    "SELECT relname, relkind::text, array_to_string(reloptions, ',') FROM pg_class "
    "WHERE relnamespace = 'public'::regnamespace",
    "SELECT sequencename, data_type::text, increment_by, cache_size FROM pg_sequences",
)
#: SQLite: how a batch migration writes a table's SQL differs, and the columns tell the same
_SQLITE = (
    "SELECT type, name, tbl_name, replace(sql, '\"', '') FROM sqlite_master WHERE type IN ('index', 'trigger', 'view')",
    'SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden '
    "FROM sqlite_master t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'",
    'SELECT t.name, f."from", f."table", f."to", f.on_update, f.on_delete '
    "FROM sqlite_master t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'",
    'SELECT t.name, i."unique", i.partial, (SELECT group_concat(name) FROM pragma_index_info(i.name)) '
    "FROM sqlite_master t, pragma_index_list(t.name) i WHERE t.type = 'table' AND i.origin = 'u'",
    "SELECT name, sql FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'",
)


def _described(connection: sa.Connection) -> list[list[tuple[Any, ...]]]:
    queries = _SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL
    found = [connection.exec_driver_sql(query).all() for query in queries]
    rows = [
        (table, *row)
        for table in sa.inspect(connection).get_table_names()
        if not table.startswith("record_text")
        for row in connection.exec_driver_sql(f'SELECT * FROM "{table}"')
    ]
    return [sorted((tuple(row) for row in part), key=repr) for part in (*found, rows)]


@pytest.fixture
async def other_db(empty_db: Database, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    """Another one without tables, of the same kind."""
    if empty_db.is_sqlite:
        async with Database(f"sqlite:///{tmp_path / 'other.db'}") as opened:
            yield opened
        return
    async with (
        postgres.fresh_database(request.getfixturevalue("postgres_url")) as url,
        Database(url) as opened,
    ):
        yield opened


async def test_a_new_database_is_the_same_as_a_migrated_one(empty_db: Database, other_db: Database) -> None:
    await migrate.upgrade(empty_db)
    async with other_db.exclusive() as connection:
        await connection.run_sync(migrate.migrate_to, "head")

    async with empty_db.read() as one, other_db.read() as two:
        created, migrated = await one.run_sync(_described), await two.run_sync(_described)
    for part, expected in zip(created, migrated, strict=True):
        assert part == expected


async def test_a_new_database_is_not_migrated(empty_db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a migration ran")

    monkeypatch.setattr(migrate, "migrate_to", refuse)

    await migrate.upgrade(empty_db)

    assert await migrate.current(empty_db) == migrate.head()


async def test_tables_of_another_program_do_not_keep_ours_away(empty_db: Database) -> None:
    async with empty_db.exclusive() as connection:
        await connection.execute(sa.text("CREATE TABLE keepsake (word TEXT)"))

    await migrate.upgrade(empty_db)

    assert await migrate.current(empty_db) == migrate.head()
