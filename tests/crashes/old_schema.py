"""A database of the first schema, with rows, that an operator brings to the newest."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa

from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.crashes.desk import Desk, command
from tests.crashes.installation import Places
from tests.crashes.situations import Situation
from tests.crashes.snapshot import Snapshot
from tests.store.schema.old_rows import first_schema_with_a_record


class OldSchema(Situation):
    """Every migration there is, one after the other and in one transaction."""

    name = "old schema"
    points = frozenset({"migrate.midway"})
    most_at_once = 1
    installation: Desk

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path, kind: str, places: Places, *, is_empty: bool) -> AsyncIterator["OldSchema"]:
        url = await places.database(kind, folder, is_empty=True)
        async with Desk(folder, url, lease=places.lease, commands=_give) as desk:
            yield cls(desk, ())

    async def begin(self) -> None:
        async with Database(self.installation.settings.resolved_database_url) as db, db.exclusive() as connection:
            await connection.run_sync(first_schema_with_a_record)

    async def is_settled(self) -> bool:
        return self.installation.is_done()

    async def snapshot(self) -> Snapshot:
        counted = {
            f"rows of {table.name}": [tuple(row) for row in await self.installation.rows(_count(table))]
            for table in tables.metadata.sorted_tables
        }
        # A backup is made before each try.
        schemas = set(await self.installation.schemas_of_backups())
        return await super().snapshot() | counted | {"schemas of the backups": [(schema,) for schema in schemas]}


def _count(table: sa.Table) -> sa.Select[tuple[int]]:
    return sa.select(sa.func.count()).select_from(table)


def _give(_: Mapping[str, str], __: Path) -> None:
    command("db", "upgrade")
