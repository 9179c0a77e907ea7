"""SQL about alerts: open ones, their changes, and cleared ones."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.alert import Alert, AlertFinding, AlertState, Severity
from lamplighter.model.fields import loaded
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import alerts

_COLUMNS = [alerts.c[each.name] for each in fields(Alert)]
_IS_OPEN = alerts.c.cleared_at.is_(None)
_HAS_FIRED = alerts.c.fired_at.is_not(None)
_STATE = {
    AlertState.PENDING: sa.and_(_IS_OPEN, ~_HAS_FIRED),
    AlertState.FIRING: sa.and_(_IS_OPEN, _HAS_FIRED),
    AlertState.CLEARED: sa.not_(_IS_OPEN),
}
_GRAVITY = sa.case({Severity.CRITICAL: 0, Severity.WARNING: 1}, value=alerts.c.severity, else_=2)
_OPEN = sa.select(*_COLUMNS).where(_IS_OPEN)
_GRAVEST = (
    sa.select(*_COLUMNS, sa.func.count().over().label("total"))
    .where(_STATE[AlertState.FIRING])
    .order_by(_GRAVITY, alerts.c.since, alerts.c.id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFilter:
    """Which alerts; None means any."""

    state: AlertState | None = None
    rule: str | None = None
    severity: Severity | None = None
    subject: str | None = None


async def open_ones(db: Connection) -> list[Alert]:
    """The open alerts, pending or firing, the oldest first."""
    # Sorted here: to sort the few open alerts, the database would scan the index of all alerts.
    found = [_alert(row) for row in await db.execute(_OPEN)]
    return sorted(found, key=lambda alert: (alert.since, alert.id))


async def gravest(db: Connection, *, limit: int) -> tuple[list[Alert], int]:
    """The firing alerts by severity, then age, and how many fire."""
    rows = (await db.execute(_GRAVEST, {"most": limit})).all()
    return [_alert(row) for row in rows], rows[0].total if rows else 0


async def begin(
    db: Connection, *, rule: str, severity: Severity, finding: AlertFinding, now: datetime, fires: bool
) -> Alert | None:
    """Opens an alert, firing at once with `fires`; None when another process has just done so."""
    row = {"public_id": str(uuid4()), "rule": rule, "severity": severity, "since": now, **asdict(finding)}
    new = insert(db, alerts).values(fired_at=now if fires else None, **row)
    new = new.on_conflict_do_nothing(index_elements=["rule", "subject"], index_where=_IS_OPEN)
    return await queries.one(db, new.returning(*_COLUMNS), _alert)


async def fire(db: Connection, alert: Alert, *, now: datetime) -> Alert | None:
    """Stores that it fires; None when another process did so before."""
    return await _change(db, alert, sa.not_(_HAS_FIRED), fired_at=now)


async def clear(db: Connection, alert: Alert, *, now: datetime) -> Alert | None:
    """Stores that it is over; None when another process did so before."""
    return await _change(db, alert, cleared_at=now)


async def forget(db: Connection, alert: Alert) -> None:
    """Removes an alert that ended before it fired."""
    await db.execute(sa.delete(alerts).where(alerts.c.id == alert.id, _STATE[AlertState.PENDING]))


async def forget_subjects(db: Connection, subjects: Collection[str]) -> None:
    """Removes all alerts about subjects that are no more."""
    await db.execute(sa.delete(alerts).where(alerts.c.subject.in_(subjects)))


async def quiet(db: Connection, alert: Alert, *, since: datetime | None) -> None:
    """Stores since when the rule no longer holds; None when it holds again."""
    await _change(db, alert, quiet_since=since)


async def update_finding(db: Connection, alert: Alert, finding: AlertFinding) -> None:
    """Stores the latest finding."""
    await _change(db, alert, value=finding.value, detail=finding.detail)


async def listed(db: Connection, wanted: AlertFilter, *, limit: int, offset: int) -> tuple[list[Alert], int]:
    """One page of the matching alerts, the latest first, and how many there are."""
    query = sa.select(*_COLUMNS).where(*_which(wanted)).order_by(alerts.c.since.desc(), alerts.c.id.desc())
    rows, total = await queries.page(db, query, limit=limit, offset=offset)
    return [_alert(row) for row in rows], total


async def last_cleared(db: Connection, rule: str) -> datetime | None:
    """When an alert of a rule was last cleared; None when none was."""
    over = sa.select(alerts.c.cleared_at).where(alerts.c.rule == rule, sa.not_(_IS_OPEN))
    found: datetime | None = await db.scalar(over.order_by(alerts.c.since.desc(), alerts.c.id.desc()).limit(1))
    return found


async def _change(db: Connection, alert: Alert, *conditions: sa.ColumnElement[bool], **values: Any) -> Alert | None:
    # A cleared alert stays as it is: a second process changes nothing, and sends no notice.
    mine = sa.update(alerts).where(alerts.c.id == alert.id, _IS_OPEN, *conditions)
    return await queries.one(db, mine.values(**values).returning(*_COLUMNS), _alert)


def _which(wanted: AlertFilter) -> list[sa.ColumnElement[bool]]:
    names = ("rule", "severity", "subject")
    which = [alerts.c[name] == getattr(wanted, name) for name in names if getattr(wanted, name) is not None]
    return which if wanted.state is None else [*which, _STATE[wanted.state]]


def _alert(row: Any) -> Alert:
    return Alert(**loaded(row._mapping, Alert))
