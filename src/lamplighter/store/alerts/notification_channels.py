"""SQL about notification channels, with their targets encrypted."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.fields import loaded
from lamplighter.model.notification import Channel, ChannelUpdate, SealedChannel
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import notification_channels as channels

#: the span of a channel's rate
MINUTE = timedelta(minutes=1)


async def add(db: Connection, new: ChannelUpdate, *, now: datetime) -> int:
    """Stores a channel, and returns its id."""
    row = {"public_id": str(uuid4()), "created_at": now, "updated_at": now} | new.columns()
    return int((await db.execute(sa.insert(channels).values(row).returning(channels.c.id))).scalar_one())


async def change(db: Connection, channel_id: int, change: ChannelUpdate, *, now: datetime) -> None:
    """Changes a channel."""
    changed = sa.update(channels).where(channels.c.id == channel_id)
    await db.execute(changed.values({**change.columns(), "updated_at": now}))


async def remove(db: Connection, channel_id: int) -> None:
    """Deletes a channel, with its rules and notifications."""
    await db.execute(sa.delete(channels).where(channels.c.id == channel_id))


async def listed(db: Connection) -> list[Channel]:
    """All channels, by name."""
    return [_channel(row) for row in await db.execute(sa.select(channels).order_by(channels.c.name))]


async def many(db: Connection, ids: Iterable[int]) -> dict[int, Channel]:
    """The channels with these ids."""
    rows = await db.execute(sa.select(channels).where(channels.c.id.in_(sorted(set(ids)))))
    return {row.id: _channel(row) for row in rows}


async def by_public_id(db: Connection, public_id: str) -> Channel | None:
    """The channel with this public id; None when there is none."""
    return await queries.one(db, sa.select(channels).where(channels.c.public_id == public_id), _channel)


async def by_name(db: Connection, name: str) -> Channel | None:
    """The channel with this name; None when there is none."""
    return await queries.one(db, sa.select(channels).where(channels.c.name == name), _channel)


async def sealed(db: Connection, channel_id: int) -> SealedChannel | None:
    """A channel with its encrypted target and secret; None when it is gone."""
    return await queries.one(db, sa.select(channels).where(channels.c.id == channel_id), _sealed)


def _sealed(row: Any) -> SealedChannel:
    return SealedChannel(channel=_channel(row), target=row.encrypted_target, secret=row.encrypted_secret)


async def lock(db: Connection, channel_id: int) -> bool:
    """Whether the channel exists; if so, it is locked until the transaction ends."""
    # Without its key: notifications may be added to it meanwhile.
    query = sa.select(channels.c.id).where(channels.c.id == channel_id).with_for_update(key_share=True)
    return await db.scalar(query) is not None


async def left_this_minute(db: Connection, channel_id: int, *, now: datetime) -> int | None:
    """How many tries a channel may still make in this minute; None means without a limit. It is locked."""
    names = ("max_per_minute", "minute_began_at", "minute_count")
    query = sa.select(*(channels.c[name] for name in names)).where(channels.c.id == channel_id)
    row = (await db.execute(query.with_for_update(key_share=True))).one_or_none()
    if row is None or row.max_per_minute is None:
        return None
    is_over = row.minute_began_at is None or row.minute_began_at <= now - MINUTE
    return int(row.max_per_minute) - (0 if is_over else row.minute_count)


async def count_try(db: Connection, channel_id: int, *, now: datetime) -> None:
    """Counts a try in the channel's minute, which begins with the first."""
    is_over = sa.or_(channels.c.minute_began_at.is_(None), channels.c.minute_began_at <= now - MINUTE)
    values = {
        "minute_count": sa.case((is_over, 1), else_=channels.c.minute_count + 1),
        "minute_began_at": sa.case(
            (is_over, sa.literal(now, channels.c.minute_began_at.type)), else_=channels.c.minute_began_at
        ),
    }
    await db.execute(sa.update(channels).where(channels.c.id == channel_id).values(values))


def may_send(now: datetime) -> sa.ColumnElement[bool]:
    """The condition of channels that may send now: neither held back nor at their rate."""
    is_free = sa.or_(channels.c.held_until.is_(None), channels.c.held_until <= now)
    has_left = sa.or_(
        channels.c.max_per_minute.is_(None),
        channels.c.minute_began_at.is_(None),
        channels.c.minute_began_at <= now - MINUTE,
        channels.c.minute_count < channels.c.max_per_minute,
    )
    return sa.and_(channels.c.enabled, is_free, has_left)


async def hold_back(db: Connection, channel_id: int, *, until: datetime) -> None:
    """Holds notifications of this channel back until then."""
    await db.execute(sa.update(channels).where(channels.c.id == channel_id).values(held_until=until))


async def note_sent(db: Connection, channel_id: int, *, now: datetime) -> None:
    """Stores that a delivery succeeded: nothing is held back any more."""
    fine = {"failure_count": 0, "last_sent_at": now, "last_error": None, "held_until": None}
    await db.execute(sa.update(channels).where(channels.c.id == channel_id).values(fine))


async def note_failed(db: Connection, channel_id: int, *, error: str) -> None:
    """Stores that a delivery failed."""
    values = {"failure_count": channels.c.failure_count + 1, "last_error": error}
    await db.execute(sa.update(channels).where(channels.c.id == channel_id).values(values))


def _channel(row: Any) -> Channel:
    has_secret = row.encrypted_secret is not None
    return Channel(**loaded(row._mapping, Channel, but=("has_secret",)), has_secret=has_secret)
