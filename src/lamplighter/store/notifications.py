"""SQL about notifications: the outbox of all channels, and the log of what became of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.notification import Notification, NotificationState
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import notification_channels as channels
from lamplighter.store.tables import notifications
from lamplighter.store.types import literal

_COLUMNS = tuple(each.name for each in fields(Notification) if each.name != "state")
#: as the index of what is due has it
_OPEN = notifications.c.state.in_(literal(NotificationState.PENDING, NotificationState.GATHERING))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which notifications are asked for; None means any."""

    channel_id: int | None = None
    state: str | None = None
    kind: str | None = None


async def add(db: Connection, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Stores notifications that are to be sent, and returns their ids in the same order."""
    if not rows:
        return []
    given = [{"public_id": str(uuid4()), **row} for row in rows]
    added = await db.execute(
        sa.insert(notifications).returning(notifications.c.id, sort_by_parameter_order=True), given
    )
    return [row.id for row in added]


async def gathering(db: Connection, rule_ids: Collection[int]) -> dict[int, tuple[int, dict[str, Any]]]:
    """The digests that rules still add to, by rule: id and payload; held until the transaction ends."""
    of_rules = notifications.c.rule_id.in_(sorted(rule_ids))
    query = sa.select(notifications.c.rule_id, notifications.c.id, notifications.c.payload)
    query = query.where(_OPEN, notifications.c.state == NotificationState.GATHERING, of_rules).with_for_update()
    return {row.rule_id: (row.id, row.payload) for row in await db.execute(query)}


async def extend(db: Connection, payloads: Mapping[int, dict[str, Any]]) -> None:
    """Replaces what digests have gathered, by notification."""
    for notification_id, payload in payloads.items():
        await db.execute(sa.update(notifications).where(notifications.c.id == notification_id).values(payload=payload))


async def due_channels(db: Connection, *, now: datetime) -> list[int]:
    """The channels in use, and not held back, for which something is due."""
    query = sa.select(notifications.c.channel_id).distinct().where(_is_due(now))
    is_free = sa.or_(channels.c.held_until.is_(None), channels.c.held_until <= now)
    query = query.join(channels, channels.c.id == notifications.c.channel_id).where(channels.c.enabled, is_free)
    return list(await db.scalars(query.order_by(notifications.c.channel_id)))


async def claim(db: Connection, channel_id: int, *, now: datetime, until: datetime) -> Notification | None:
    """The notification of a channel that has been due for longest, ours alone until then; None when nothing is due."""
    first = (
        sa.select(notifications.c.id)
        .where(_is_due(now), notifications.c.channel_id == channel_id)
        .order_by(notifications.c.due_at, notifications.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    # What is under way gathers no more, and counts as tried: who dies over it has used up a try.
    ours = {
        "state": NotificationState.PENDING,
        "lease_until": until,
        "try_count": notifications.c.try_count + 1,
    }
    claimed = sa.update(notifications).where(notifications.c.id.in_(first)).values(ours).returning(notifications)
    row = (await db.execute(claimed)).one_or_none()
    return _notification(row) if row is not None else None


async def settle(db: Connection, claimed: Notification, **values: Any) -> bool:
    """Writes down what came of it; False when somebody else has it by now, or it was cancelled."""
    mine = sa.and_(
        notifications.c.id == claimed.id,
        notifications.c.lease_until == claimed.lease_until,
        notifications.c.state == NotificationState.PENDING,
    )
    written = await db.execute(sa.update(notifications).where(mine).values(lease_until=None, **values))
    return rows_written(written) == 1


async def cancel_open(db: Connection, channel_id: int, *, detail: str) -> int:
    """What waits for a channel is not sent; returns how many."""
    values = {"state": NotificationState.CANCELLED, "detail": detail, "lease_until": None}
    left = sa.and_(_OPEN, notifications.c.channel_id == channel_id)
    return rows_written(await db.execute(sa.update(notifications).where(left).values(values)))


async def revive(db: Connection, ids: Collection[int], *, now: datetime) -> int:
    """Dead notifications are due at once, with all their tries before them; returns how many were dead."""
    anew = {"state": NotificationState.PENDING, "due_at": now, "try_count": 0, "lease_until": None}
    dead = sa.and_(notifications.c.id.in_(sorted(ids)), notifications.c.state == NotificationState.DEAD)
    return rows_written(await db.execute(sa.update(notifications).where(dead).values(anew)))


async def by_id(db: Connection, notification_id: int) -> Notification:
    """The notification that was just stored."""
    return _notification(
        (await db.execute(sa.select(notifications).where(notifications.c.id == notification_id))).one()
    )


async def get(db: Connection, public_id: str) -> Notification | None:
    """The notification with this id, or None."""
    row = (await db.execute(sa.select(notifications).where(notifications.c.public_id == public_id))).one_or_none()
    return _notification(row) if row is not None else None


async def listed(db: Connection, wanted: Wanted, *, limit: int, offset: int) -> list[Notification]:
    """A part of what is wanted, the newest first."""
    query = sa.select(notifications).where(*_conditions(wanted)).order_by(notifications.c.id.desc())
    return [_notification(row) for row in await db.execute(query.limit(limit).offset(offset))]


async def count(db: Connection, wanted: Wanted) -> int:
    """How many are wanted."""
    return int(await db.scalar(sa.select(sa.func.count()).select_from(notifications).where(*_conditions(wanted))))


async def dead_ids(db: Connection, *, channel_id: int | None, limit: int) -> list[int]:
    """Those that were given up by channels in use, the oldest first."""
    query = sa.select(notifications.c.id).where(
        *_conditions(Wanted(channel_id=channel_id, state=NotificationState.DEAD))
    )
    query = query.join(channels, channels.c.id == notifications.c.channel_id).where(channels.c.enabled)
    return list(await db.scalars(query.order_by(notifications.c.id).limit(limit)))


async def count_by_state(db: Connection) -> dict[str, int]:
    """State -> how many."""
    query = sa.select(notifications.c.state, sa.func.count().label("many")).group_by(notifications.c.state)
    return {row.state: row.many for row in await db.execute(query)}


def _is_due(now: datetime) -> sa.ColumnElement[bool]:
    is_free = sa.or_(notifications.c.lease_until.is_(None), notifications.c.lease_until <= now)
    return sa.and_(_OPEN, notifications.c.due_at <= now, is_free)


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    names = ("channel_id", "state", "kind")
    return [notifications.c[name] == getattr(wanted, name) for name in names if getattr(wanted, name) is not None]


def _notification(row: Any) -> Notification:
    return Notification(state=NotificationState(row.state), **{name: getattr(row, name) for name in _COLUMNS})
