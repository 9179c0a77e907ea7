"""Carries out an ordered restore while nobody has the database open: between two services of one process."""

import asyncio
from datetime import UTC, datetime

from lamplighter import telemetry
from lamplighter.app.engines import vault_of
from lamplighter.errors import NotPossible
from lamplighter.operations import backups
from lamplighter.operations.restore_desk import RestoreOrder
from lamplighter.settings import Settings
from lamplighter.store.database import Database

log = telemetry.logger("backups")
#: sessions that were just closed may be seen for a moment: so often, and so long apart, is looked whether they are gone
_LOOKS, _APART_SECONDS = 4, 0.5


async def restore(settings: Settings, order: RestoreOrder) -> str | None:
    """Puts the backup in the place of the database; returns why it could not be done, None when it was."""
    name = order.backup.name
    try:
        db = Database(settings.resolved_database_url)
        await _wait_until_free(db)
        done = await backups.restore(
            db, order.backup, vault=vault_of(settings), actor=order.ordered_by, now=datetime.now(UTC)
        )
    except Exception as error:
        # Whatever it was, the service is to start again, with the database as it is.
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
            await asyncio.sleep(_APART_SECONDS)
    return await backups.refuse_to_replace(db, may_replace=True)
