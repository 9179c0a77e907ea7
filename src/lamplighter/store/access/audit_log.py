"""SQL about the audit log: who did what, and what it changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.access import Stamp
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import audit_log


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An entry of the audit log."""

    id: int
    at: datetime
    actor: str
    action: str
    subject: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """A filter of audit entries; None means any."""

    actor: str | None = None
    action: str | None = None
    subject: str | None = None
    #: from this moment on
    since: datetime | None = None
    #: before this moment
    until: datetime | None = None
    #: the start of the action, and parts of the actor and the subject, in either case
    action_start: str | None = None
    actor_part: str | None = None
    subject_part: str | None = None


async def write(
    db: Connection,
    stamp: Stamp,
    action: str,
    subject: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Logs an action, in the transaction of its effect."""
    change = {"action": action, "subject": subject, "before": before, "after": after}
    await db.execute(sa.insert(audit_log).values(at=stamp.now, actor=stamp.actor, **change))


async def listed(db: Connection, wanted: AuditFilter, *, limit: int, offset: int) -> list[AuditEntry]:
    """One page of these entries, newest first."""
    query = sa.select(audit_log).where(*_conditions(wanted)).order_by(audit_log.c.id.desc())
    return [AuditEntry(**row._mapping) for row in await db.execute(query.limit(limit).offset(offset))]


async def count(db: Connection, wanted: AuditFilter) -> int:
    """Counts the entries."""
    return await queries.count(db, audit_log, *_conditions(wanted))


def _conditions(wanted: AuditFilter) -> list[sa.ColumnElement[bool]]:
    names = ("actor", "action", "subject")
    given = [audit_log.c[name] == getattr(wanted, name) for name in names if getattr(wanted, name) is not None]
    if wanted.since is not None:
        given.append(audit_log.c.at >= wanted.since)
    if wanted.until is not None:
        given.append(audit_log.c.at < wanted.until)
    if wanted.action_start is not None:
        given.append(audit_log.c.action.startswith(wanted.action_start, autoescape=True))
    for name, part in (("actor", wanted.actor_part), ("subject", wanted.subject_part)):
        if part is not None:
            given.append(audit_log.c[name].icontains(part, autoescape=True))
    return given
