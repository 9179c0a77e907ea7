"""Carries out an ordered restore while the database is closed: between two services of one process."""

import asyncio
from datetime import UTC, datetime

from lamplighter import telemetry
from lamplighter.app.engines import vault_of
from lamplighter.errors import NotPossible
from lamplighter.model.access import Stamp
from lamplighter.operations.backup import backups
from lamplighter.operations.backup.restore_orders import RestoreOrder
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database

log = telemetry.logger("backups")
#: closed sessions may stay visible for a moment: how often, and at which interval, they are checked
_LOOKS, APART_SECONDS = 4, 0.5


async def restore(settings: Settings, order: RestoreOrder) -> str | None:
    """Replaces the database with the backup; returns why it failed, None on success."""
    name = order.backup.name
    try:
        db = Database(settings.resolved_database_url)
        await _wait_until_free(db)
        done = await backups.restore(
            db, order.backup, vault=vault_of(settings), stamp=Stamp(order.ordered_by, datetime.now(UTC))
        )
    except Exception as error:
        # After any error the service must start again, with the database as it is.
        log.exception("restore.failed", file=name)
        return str(error)
    figures = {**done.settled, "carried_over": done.carried_over}
    log.warning("restore.made", file=name, unreadable_secrets=len(done.unreadable), **figures)
    return None


async def _wait_until_free(db: Database) -> None:
    for _ in range(_LOOKS - 1):
        try:
            return await backups.refuse_to_replace(db, may_replace=True)
        except NotPossible:
            await asyncio.sleep(APART_SECONDS)
    return await backups.refuse_to_replace(db, may_replace=True)
