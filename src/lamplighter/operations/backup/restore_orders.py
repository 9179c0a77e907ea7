"""Takes the order to restore a backup and stops the service for it; the process that runs the service then restores.

A database in use cannot be replaced. So the order is only checked here, while the service runs, and carried out when
the service has closed the database.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lamplighter.errors import NotPossible
from lamplighter.model.access import Stamp
from lamplighter.operations.backup import backups
from lamplighter.operations.backup.backup_maker import BackupMaker
from lamplighter.rules.fleet import fleet
from lamplighter.store.access import audit_log
from lamplighter.store.backup.backup_files import Backup
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import instances

#: other processes that are named
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOrder:
    """A backup that is to take the place of the database."""

    backup: Backup
    ordered_by: str
    since: datetime


class RestoreOrders:
    """Where a restore is ordered."""

    def __init__(self, db: Database, *, maker: BackupMaker, me: str, stop: Callable[[], None]) -> None:
        """`me` is the name of this process among those that work on the database; `stop` ends the service."""
        self._db = db
        self._maker = maker
        self._me = me
        self._stop = stop
        #: what is carried out when the service has stopped; None when nothing is
        self.order: RestoreOrder | None = None
        #: why the one before this start came to nothing; None when it did not
        self.trouble: str | None = None

    async def take_order(self, name: str, *, stamp: Stamp) -> RestoreOrder:
        """Orders the restore of a backup: NotFound, BadInput when it cannot be used, NotPossible at present."""
        found = await self.check(name, now=stamp.now)
        after = {"backup": found.name, "schema": found.schema}
        await self._db.write(lambda db: audit_log.write(db, stamp, "database.restore_order", "database", after=after))
        if self.order is None:  # the first order wins
            self.order = RestoreOrder(backup=found, ordered_by=stamp.actor, since=stamp.now)
            self._stop()
        return self.order

    async def check(self, name: str, *, now: datetime) -> Backup:
        """Looks whether a backup could be restored, as `take_order` does."""
        if self.order is not None:
            raise NotPossible(
                f"{self.order.backup.name} is already being restored, started by {self.order.ordered_by}",
                code="restore_under_way",
            )
        if self._maker.order is not None:
            raise NotPossible("a backup is running; wait for it to end", code="backup_under_way")
        found = await backups.check(self._db, self._maker.backup_folder.find(name).path)
        async with self._db.read() as db:
            known = await instances.everyone(db)
        others = [each for each in known if each.id != self._me and not fleet.is_lost(each, now=now)]
        if others:
            named = ", ".join(f"{each.kind} {each.pid} on {each.machine}" for each in others[:_NAMED])
            raise NotPossible(
                f"{len(others)} other processes use the database ({named}); stop them first", code="database_in_use"
            )
        return found
