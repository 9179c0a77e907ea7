"""Takes the order to go back to a backup, and has the service stop for it: who runs the service restores, and goes on.

A database that is in use cannot be replaced. So the order is only looked into here, while everything goes on, and
carried out when the service has given the database back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lamplighter.errors import NotPossible
from lamplighter.operations import backups
from lamplighter.operations.backup_maker import BackupMaker
from lamplighter.rules import fleet
from lamplighter.store import audit_log, instances
from lamplighter.store.backup_files import Backup
from lamplighter.store.database import Connection, Database

#: other processes that are named
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOrder:
    """A backup that is to take the place of the database."""

    backup: Backup
    ordered_by: str
    since: datetime


class RestoreDesk:
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

    async def take_order(self, name: str, *, actor: str, now: datetime) -> RestoreOrder:
        """Has a backup of the shelf restored: NotFound, BadInput when it cannot be used, NotPossible at present."""
        found = await self.check(name, now=now)
        await self._db.write(lambda db: _note(db, found, actor=actor, now=now))
        if self.order is None:  # whoever was quicker has it
            self.order = RestoreOrder(backup=found, ordered_by=actor, since=now)
            self._stop()
        return self.order

    async def check(self, name: str, *, now: datetime) -> Backup:
        """Looks whether a backup could be restored, as `take_order` does."""
        if self.order is not None:
            raise NotPossible(
                f"{self.order.backup.name} is being restored already, ordered by {self.order.ordered_by}",
                code="restore_under_way",
            )
        if self._maker.order is not None:
            raise NotPossible("a backup is being made; wait for it to end", code="backup_under_way")
        found = await backups.check(self._db, self._maker.shelf.find(name).path)
        async with self._db.read() as db:
            known = await instances.everyone(db)
        others = [each for each in known if each.id != self._me and not fleet.is_lost(each, now=now)]
        if others:
            named = ", ".join(f"{each.kind} {each.pid} on {each.machine}" for each in others[:_NAMED])
            raise NotPossible(
                f"{len(others)} more of our processes use the database ({named}); stop them first",
                code="database_in_use",
            )
        return found


async def _note(db: Connection, found: Backup, *, actor: str, now: datetime) -> None:
    after = {"backup": found.name, "schema": found.schema}
    await audit_log.write(db, actor=actor, action="database.restore_order", subject="database", now=now, after=after)
