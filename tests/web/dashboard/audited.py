"""The audit log, as tests of the dashboard compare it."""

from lamplighter.app import Store
from lamplighter.store.access import audit_log


async def actions(store: Store) -> list[str]:
    """The last actions, the newest first."""
    async with store.db.read() as db:
        return [entry.action for entry in await audit_log.listed(db, audit_log.AuditFilter(), limit=20, offset=0)]
