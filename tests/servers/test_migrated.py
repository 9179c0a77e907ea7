"""Databases of tests are handed on only as they were."""

from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate
from tests.servers import postgres
from tests.servers.migrated import MigratedDatabases


async def test_a_database_with_another_schema_number_is_not_handed_on(migrated_databases: MigratedDatabases) -> None:
    async with migrated_databases.one() as url:
        await postgres.command(url, "UPDATE alembic_version SET version_num = '9999'")

    async with migrated_databases.one() as another, Database(another) as db:
        assert await migrate.current(db) == migrate.head()
