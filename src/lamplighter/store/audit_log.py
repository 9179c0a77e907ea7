"""SQL about the audit log: who did what."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.tables import audit_log


async def write(
    db: Connection,
    *,
    actor: str,
    action: str,
    subject: str,
    now: datetime,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Notes an action, in the transaction of its effect."""
    row = {"at": now, "actor": actor, "action": action, "subject": subject, "detail": dict(detail or {})}
    await db.execute(sa.insert(audit_log).values(**row))
