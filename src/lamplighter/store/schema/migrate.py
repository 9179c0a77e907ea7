"""Brings a database to this program's schema, and refuses a newer schema.

Most starts find nothing to do: what creates, migrates or backs up is loaded only when there is.
"""

import asyncio
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path

import sqlalchemy as sa

from lamplighter import crash_points
from lamplighter.errors import SchemaTooNew
from lamplighter.store.engine.database import Database

#: any number; keeps two starting processes from migrating PostgreSQL at once
_ADVISORY_LOCK = 74_268_001


def head() -> str:
    """The newest schema that we know."""
    return _known()[-1]


@cache
def _known() -> tuple[str, ...]:
    """Every schema this program knows, the oldest first: the numbers at the start of the migrations' file names."""
    files = resources.files("lamplighter.store").joinpath("migrations", "versions").iterdir()
    return tuple(sorted(file.name.partition("_")[0] for file in files if file.name[0].isdigit()))


async def current(db: Database) -> str | None:
    """The database's schema; None when it is empty."""
    async with db.read() as connection:
        return await connection.run_sync(_current)


async def upgrade(db: Database) -> Path | None:
    """Brings it to the newest schema; returns the backup taken before, if any. Safe to repeat."""
    found = await current(db)
    if found == head():
        return None
    refuse_unknown(found)
    backup = None
    if db.path is not None and await _holds_anything(db):
        backup = await asyncio.to_thread(_back_up, db.path, found)
    await apply(db)
    return backup


async def apply(db: Database) -> None:
    """The same without a backup: for a copy of a backup."""
    async with db.exclusive() as connection:
        if not db.is_sqlite:
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
        await connection.run_sync(_apply)


async def _holds_anything(db: Database) -> bool:
    async with db.read() as connection:
        return bool(await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names()))


def _apply(connection: sa.Connection) -> None:
    """Creates an empty database from the tables at once; migrates any other."""
    if sa.inspect(connection).get_table_names():
        return migrate_to(connection, "head")
    from lamplighter.store.schema import creation

    creation.create(connection, version=head())
    return crash_points.reached("create.midway")


def migrate_to(connection: sa.Connection, version: str) -> None:
    """Runs the migrations one after the other."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "lamplighter.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, version)


def _back_up(path: Path, schema: str | None) -> Path:
    """Copies a SQLite database to the folder beside it."""
    from lamplighter.store.backup import backup_files, sqlite_backup

    now = datetime.now(UTC)
    target = backup_files.new_path(path.with_name("backups"), path.stem, backup_files.SQLITE, now=now)
    with backup_files.writing(target, schema=schema, now=now) as part:
        sqlite_backup.copy(path, part)
    return target


def refuse_unknown(found: str | None, *, of: str = "the database") -> None:
    """Raises SchemaTooNew for a schema that this program does not know."""
    if found is not None and found not in _known():
        raise SchemaTooNew(
            f"{of} has schema {found!r}, which this program does not know (its newest is {head()!r}); "
            "start the newer Lamplighter that wrote it, or restore a backup"
        )


def _current(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found
