"""Opens the database with its clock."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from lamplighter import telemetry
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.settings import Settings
from lamplighter.store.backup import restore_marker
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import changed_settings
from lamplighter.store.schema import migrate

log = telemetry.logger("app")


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """The migrated database and its clock."""

    db: Database
    clock: DatabaseClock


@asynccontextmanager
async def open_store(settings: Settings, *, clock: DatabaseClock | None = None) -> AsyncIterator[Store]:
    """Opens the database, migrates it, takes the settings changed in it, and starts its clock unless there is one."""
    async with Database(settings.resolved_database_url) as db:
        backup = await migrate.upgrade(db)
        if backup is not None:
            log.info("db.migrated", backup=str(backup))
        async with db.read() as connection:
            is_unsettled = await restore_marker.marked(connection) is not None
            await changed_settings.take_into(settings, connection)
        opened = Store(db=db, clock=clock or DatabaseClock(await database_time(db)))
        if is_unsettled:
            await _settle_restore(opened)
        yield opened


async def _settle_restore(store: Store) -> None:
    from lamplighter.operations.backup import backups  # hardly any start needs it

    backup = await backups.settle_if_cut_short(store.db, now=store.clock.now())
    log.warning("restore.settled", file=backup, remedy="restore it again to repeat what was purged since")


async def database_time(db: Database) -> datetime | None:
    """PostgreSQL's own time; None on SQLite, whose time is this machine's."""
    if db.is_sqlite:
        return None
    async with db.read() as connection:
        now: datetime = (await connection.execute(sa.text("SELECT clock_timestamp()"))).scalar_one()
        return now
