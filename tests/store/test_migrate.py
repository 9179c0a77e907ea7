"""Migrations: equal to the tables, safe to repeat, never backwards."""

import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from lamplighter.errors import SchemaTooNew
from lamplighter.store import migrate, tables
from lamplighter.store.database import Database


def _differences(connection: sa.Connection) -> list[object]:
    context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": False})
    return list(compare_metadata(context, tables.metadata))


async def test_migrations_lead_to_exactly_the_tables(db: Database) -> None:
    async with db.read() as connection:
        differences = await connection.run_sync(_differences)

    assert differences == []


async def test_upgrading_twice_changes_nothing(db: Database) -> None:
    before = await migrate.current(db)

    await migrate.upgrade(db)

    assert await migrate.current(db) == before == migrate.head()


async def test_a_newer_schema_is_refused_by_name(db: Database) -> None:
    async with db.exclusive() as connection:
        await connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaTooNew, match="9999"):
        await migrate.upgrade(db)


async def test_the_script_for_postgresql_can_be_applied_twice(postgres_db: str) -> None:
    async with Database(postgres_db) as db:
        for _ in range(2):
            async with db.exclusive() as connection:
                raw = await connection.get_raw_connection()
                driver = raw.driver_connection
                assert driver is not None
                await driver.execute(migrate.postgres_script().replace("BEGIN;", "").replace("COMMIT;", ""))

        async with db.read() as connection:
            differences = await connection.run_sync(_differences)

        assert differences == []
        assert await migrate.current(db) == migrate.head()


@pytest.mark.skipif(shutil.which("psql") is None, reason="psql is missing: apt-get install postgresql-client")
def test_psql_accepts_the_script_twice(postgres_url: str) -> None:
    url = sa.make_url(postgres_url).set(drivername="postgresql").render_as_string(hide_password=False)

    for _ in range(2):
        applied = subprocess.run(
            ["psql", "--quiet", "--set", "ON_ERROR_STOP=1", url],
            input=migrate.postgres_script(),
            capture_output=True,
            text=True,
        )
        assert applied.returncode == 0, applied.stderr


async def test_an_sqlite_database_is_backed_up_before_it_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "lamplighter.db"
    with sqlite3.connect(path) as old:
        old.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        old.execute("CREATE TABLE keepsake (word TEXT)")
        old.execute("INSERT INTO keepsake VALUES ('lamp')")
    old.close()
    async with Database(f"sqlite:///{path}") as db:
        backup = await migrate.upgrade(db)

    assert backup is not None
    with sqlite3.connect(backup) as copy:
        assert copy.execute("SELECT word FROM keepsake").fetchall() == [("lamp",)]
    copy.close()
