"""SQL about notifications: the outbox of all channels, and the delivery log."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.fields import loaded, plain
from lamplighter.model.notification import NewNotification, Notification, NotificationChange, NotificationState
from lamplighter.store.alerts.notification_channels import may_send
from lamplighter.store.engine import queries
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.schema.tables import notification_channels as channels
from lamplighter.store.schema.tables import notifications
from lamplighter.store.schema.types import literal

#: the condition of the index of due notifications
_OPEN = notifications.c.state.in_(literal(NotificationState.PENDING, NotificationState.GATHERING))


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationFilter:
    """Which notifications; None means any."""

    channel_id: int | None = None
    state: str | None = None
    kind: str | None = None


async def add(db: Connection, new: Sequence[NewNotification]) -> list[int]:
    """Stores notifications to be sent, and returns their ids in the same order."""
    if not new:
        return []
    given = [{"public_id": str(uuid4()), **plain(each, NewNotification)} for each in new]
    statement = sa.insert(notifications).returning(notifications.c.id, sort_by_parameter_order=True)
    signal(Signal.NOTIFICATIONS)
    return list((await db.execute(statement, given)).scalars())


async def gathering(db: Connection, rule_ids: Collection[int]) -> dict[int, tuple[int, dict[str, Any]]]:
    """The digests that rules still add to, by rule: id and payload; locks them."""
    of_rules = notifications.c.rule_id.in_(sorted(rule_ids))
    query = sa.select(notifications.c.rule_id, notifications.c.id, notifications.c.payload)
    query = query.where(_OPEN, notifications.c.state == NotificationState.GATHERING, of_rules).with_for_update()
    return {row.rule_id: (row.id, row.payload) for row in await db.execute(query)}


async def extend(db: Connection, payloads: Mapping[int, dict[str, Any]]) -> None:
    """Replaces the payloads of digests, by notification."""
    for notification_id, payload in payloads.items():
        await db.execute(sa.update(notifications).where(notifications.c.id == notification_id).values(payload=payload))


async def due_channels(db: Connection, *, now: datetime) -> list[int]:
    """The enabled channels, neither held back nor at their rate, that have a due notification."""
    query = sa.select(notifications.c.channel_id).distinct().where(_is_due(now))
    query = query.join(channels, channels.c.id == notifications.c.channel_id).where(may_send(now))
    return list(await db.scalars(query.order_by(notifications.c.channel_id)))


async def claim(db: Connection, channel_id: int, *, now: datetime, until: datetime) -> Notification | None:
    """Leases the notification of a channel that has been due for longest; None when none is due."""
    first = (
        sa.select(notifications.c.id)
        .where(_is_due(now), notifications.c.channel_id == channel_id)
        .order_by(notifications.c.due_at, notifications.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    # A digest that is being sent collects no more. The try counts at once, so also for a process that dies over it.
    tried = {"state": NotificationState.PENDING, "lease_until": until, "try_count": notifications.c.try_count + 1}
    claimed = sa.update(notifications).where(notifications.c.id.in_(first)).values(tried).returning(notifications)
    return await queries.one(db, claimed, _notification)


async def count_untried(db: Connection, channel_id: int, *, now: datetime) -> int:
    """How many due notifications of a channel were not tried yet."""
    query = sa.select(sa.func.count()).select_from(notifications).where(*_untried(channel_id, now))
    return int(await db.scalar(query))


async def gather(db: Connection, into: Notification, *, now: datetime) -> list[dict[str, Any]]:
    """Takes the payloads of the other due notifications of a channel and a kind that were not tried yet."""
    others = sa.and_(*_untried(into.channel_id, now), notifications.c.kind == into.kind, notifications.c.id != into.id)
    taken = await db.execute(
        sa.delete(notifications).where(others).returning(notifications.c.id, notifications.c.payload)
    )
    return [row.payload for row in sorted(taken, key=lambda row: row.id)]


async def settle(db: Connection, claimed: Notification, change: NotificationChange) -> bool:
    """Stores the result of a delivery; False when the lease is lost, or the notification was cancelled."""
    mine = sa.and_(
        notifications.c.id == claimed.id,
        notifications.c.lease_until == claimed.lease_until,
        notifications.c.state == NotificationState.PENDING,
    )
    written = await db.execute(sa.update(notifications).where(mine).values({**change.columns(), "lease_until": None}))
    return rows_written(written) == 1


async def cancel_open(db: Connection, channel_id: int, *, detail: str) -> int:
    """Cancels what waits for a channel; returns how many."""
    values = {"state": NotificationState.CANCELLED, "detail": detail, "lease_until": None}
    left = sa.and_(_OPEN, notifications.c.channel_id == channel_id)
    return rows_written(await db.execute(sa.update(notifications).where(left).values(values)))


async def revive(db: Connection, ids: Collection[int], *, now: datetime) -> int:
    """Makes dead notifications due at once, with all their tries; returns how many were dead."""
    anew = {"state": NotificationState.PENDING, "due_at": now, "try_count": 0, "lease_until": None}
    dead = sa.and_(notifications.c.id.in_(sorted(ids)), notifications.c.state == NotificationState.DEAD)
    signal(Signal.NOTIFICATIONS)
    return rows_written(await db.execute(sa.update(notifications).where(dead).values(anew)))


async def by_id(db: Connection, notification_id: int) -> Notification:
    """The notification that was just stored."""
    query = sa.select(notifications).where(notifications.c.id == notification_id)
    return _notification((await db.execute(query)).one())


async def get(db: Connection, public_id: str) -> Notification | None:
    """The notification with this public id; None when there is none."""
    return await queries.one(db, sa.select(notifications).where(notifications.c.public_id == public_id), _notification)


async def listed(
    db: Connection, wanted: NotificationFilter, *, limit: int, offset: int
) -> tuple[list[Notification], int]:
    """One page of the matching notifications, the newest first, and how many there are."""
    query = sa.select(notifications).where(*_conditions(wanted)).order_by(notifications.c.id.desc())
    rows, total = await queries.page(db, query, limit=limit, offset=offset)
    return [_notification(row) for row in rows], total


async def dead_ids(db: Connection, *, channel_id: int | None, limit: int) -> list[int]:
    """The dead notifications of enabled channels, the oldest first."""
    dead = NotificationFilter(channel_id=channel_id, state=NotificationState.DEAD)
    query = sa.select(notifications.c.id).join(channels, channels.c.id == notifications.c.channel_id)
    query = query.where(channels.c.enabled, *_conditions(dead)).order_by(notifications.c.id)
    return list(await db.scalars(query.limit(limit)))


async def count_by_state(db: Connection) -> dict[str, int]:
    """State -> how many."""
    query = sa.select(notifications.c.state, sa.func.count().label("many")).group_by(notifications.c.state)
    return {row.state: row.many for row in await db.execute(query)}


def _untried(channel_id: int, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return _is_due(now), notifications.c.channel_id == channel_id, notifications.c.try_count == 0


def _is_due(now: datetime) -> sa.ColumnElement[bool]:
    is_free = sa.or_(notifications.c.lease_until.is_(None), notifications.c.lease_until <= now)
    return sa.and_(_OPEN, notifications.c.due_at <= now, is_free)


def _conditions(wanted: NotificationFilter) -> list[sa.ColumnElement[bool]]:
    names = ("channel_id", "state", "kind")
    return [notifications.c[name] == getattr(wanted, name) for name in names if getattr(wanted, name) is not None]


def _notification(row: Any) -> Notification:
    return Notification(**loaded(row._mapping, Notification))
