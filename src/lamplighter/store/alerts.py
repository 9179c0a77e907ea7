"""SQL about alerts: those that are open, what becomes of them, and those of old."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.alert import Alert, AlertState, Finding, Severity
from lamplighter.store.database import Connection
from lamplighter.store.tables import alerts
from lamplighter.store.upsert import insert

_NAMES = [each.name for each in fields(Alert)]
_COLUMNS = [alerts.c[name] for name in _NAMES]
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
class Wanted:
    """Which alerts are looked for; None does not narrow them."""

    state: AlertState | None = None
    rule: str | None = None
    severity: Severity | None = None
    subject: str | None = None


async def open_ones(db: Connection) -> list[Alert]:
    """Those that hold, whether they have fired or not, the longest first."""
    # Sorted here: in the database, the index of all that ever were would be walked for the order of the few.
    found = [_alert(row) for row in await db.execute(_OPEN)]
    return sorted(found, key=lambda alert: (alert.since, alert.id))


async def gravest(db: Connection, *, limit: int) -> tuple[list[Alert], int]:
    """The first of those that fire, the gravest and longest first, and how many fire."""
    rows = (await db.execute(_GRAVEST, {"most": limit})).all()
    return [_alert(row[:-1]) for row in rows], rows[0].total if rows else 0


async def begin(
    db: Connection, *, rule: str, severity: Severity, finding: Finding, now: datetime, fires: bool
) -> Alert | None:
    """Opens an alert, which fires at once if it may; None when another process has just done so."""
    row = {
        "public_id": str(uuid4()),
        "rule": rule,
        "subject": finding.subject,
        "severity": severity,
        "since": now,
        "fired_at": now if fires else None,
        "value": finding.value,
        "detail": finding.detail,
    }
    new = (
        insert(db, alerts)
        .values(**row)
        .on_conflict_do_nothing(index_elements=["rule", "subject"], index_where=_IS_OPEN)
    )
    begun = (await db.execute(new.returning(*_COLUMNS))).one_or_none()
    return _alert(begun) if begun is not None else None


async def fire(db: Connection, alert: Alert, *, now: datetime) -> Alert | None:
    """Notes that it has held for long enough; None when another process did so before."""
    return await _change(db, alert, sa.not_(_HAS_FIRED), fired_at=now)


async def clear(db: Connection, alert: Alert, *, now: datetime) -> Alert | None:
    """Notes that it is over; None when another process did so before."""
    return await _change(db, alert, cleared_at=now)


async def forget(db: Connection, alert: Alert) -> None:
    """Removes one that is over before it fired."""
    await db.execute(sa.delete(alerts).where(alerts.c.id == alert.id, _STATE[AlertState.PENDING]))


async def quiet(db: Connection, alert: Alert, *, since: datetime | None) -> None:
    """Notes since when it holds no more; None when it does again."""
    await _change(db, alert, quiet_since=since)


async def retell(db: Connection, alert: Alert, finding: Finding) -> None:
    """Notes what is found by now."""
    await _change(db, alert, value=finding.value, detail=finding.detail)


async def listed(db: Connection, wanted: Wanted, *, limit: int, offset: int) -> tuple[list[Alert], int]:
    """One page of them, the latest first, and how many there are."""
    which = _which(wanted)
    order = (alerts.c.since.desc(), alerts.c.id.desc())
    rows = await db.execute(sa.select(*_COLUMNS).where(*which).order_by(*order).limit(limit).offset(offset))
    total = await db.scalar(sa.select(sa.func.count()).select_from(alerts).where(*which))
    return [_alert(row) for row in rows], int(total)


async def last_cleared(db: Connection, rule: str) -> datetime | None:
    """When an alert of a rule was last over; None when none was."""
    over = sa.select(alerts.c.cleared_at).where(alerts.c.rule == rule, sa.not_(_IS_OPEN))
    found: datetime | None = await db.scalar(over.order_by(alerts.c.since.desc(), alerts.c.id.desc()).limit(1))
    return found


async def _change(db: Connection, alert: Alert, *conditions: sa.ColumnElement[bool], **values: Any) -> Alert | None:
    # What is over stays as it is: whoever comes second changes nothing, and tells nobody.
    mine = sa.update(alerts).where(alerts.c.id == alert.id, _IS_OPEN, *conditions)
    row = (await db.execute(mine.values(**values).returning(*_COLUMNS))).one_or_none()
    return _alert(row) if row is not None else None


def _which(wanted: Wanted) -> Sequence[sa.ColumnElement[bool]]:
    exact = {"rule": wanted.rule, "severity": wanted.severity, "subject": wanted.subject}
    which: Iterable[sa.ColumnElement[bool]] = (
        alerts.c[name] == value for name, value in exact.items() if value is not None
    )
    return [*which, *([_STATE[wanted.state]] if wanted.state is not None else [])]


def _alert(row: Sequence[Any]) -> Alert:
    said = dict(zip(_NAMES, row, strict=True))
    return Alert(**{**said, "severity": Severity(said["severity"])})
