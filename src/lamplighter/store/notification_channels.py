"""SQL about channels: the ways by which people are told, with their targets encrypted."""

from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.notification import Channel, ChannelKind, SealedChannel
from lamplighter.store.database import Connection
from lamplighter.store.tables import notification_channels as channels

_COLUMNS = tuple(each.name for each in fields(Channel) if each.name not in ("kind", "has_secret"))


async def add(db: Connection, *, now: datetime, **values: Any) -> int:
    """Stores a channel, and returns its id."""
    row = {"public_id": str(uuid4()), "created_at": now, "updated_at": now} | values
    return int((await db.execute(sa.insert(channels).values(row).returning(channels.c.id))).scalar_one())


async def change(db: Connection, channel_id: int, *, now: datetime, **values: Any) -> None:
    """Changes columns of a channel."""
    await db.execute(sa.update(channels).where(channels.c.id == channel_id).values(**values, updated_at=now))


async def remove(db: Connection, channel_id: int) -> None:
    """Forgets a channel, and with it its rules and its notifications."""
    await db.execute(sa.delete(channels).where(channels.c.id == channel_id))


async def listed(db: Connection) -> list[Channel]:
    """All of them, by name."""
    return [_channel(row) for row in await db.execute(sa.select(channels).order_by(channels.c.name))]


async def many(db: Connection, ids: Iterable[int]) -> dict[int, Channel]:
    """The channels with these ids."""
    rows = await db.execute(sa.select(channels).where(channels.c.id.in_(sorted(set(ids)))))
    return {row.id: _channel(row) for row in rows}


async def by_public_id(db: Connection, public_id: str) -> Channel | None:
    """The channel with this id, or None."""
    row = (await db.execute(sa.select(channels).where(channels.c.public_id == public_id))).one_or_none()
    return _channel(row) if row is not None else None


async def by_name(db: Connection, name: str) -> Channel | None:
    """The channel with this name, or None."""
    row = (await db.execute(sa.select(channels).where(channels.c.name == name))).one_or_none()
    return _channel(row) if row is not None else None


async def sealed(db: Connection, channel_id: int) -> SealedChannel | None:
    """A channel with what opens it, or None when it is gone."""
    row = (await db.execute(sa.select(channels).where(channels.c.id == channel_id))).one_or_none()
    if row is None:
        return None
    return SealedChannel(channel=_channel(row), target=row.encrypted_target, secret=row.encrypted_secret)


async def lock(db: Connection, channel_id: int) -> bool:
    """Whether there is such a channel; if so, whoever changes or removes it waits until the transaction ends."""
    # Without its key: notifications may be added to it meanwhile.
    query = sa.select(channels.c.id).where(channels.c.id == channel_id).with_for_update(key_share=True)
    return await db.scalar(query) is not None


async def hold_back(db: Connection, channel_id: int, *, until: datetime) -> None:
    """Nothing is sent by this channel before then."""
    await db.execute(sa.update(channels).where(channels.c.id == channel_id).values(held_until=until))


async def note_sent(db: Connection, channel_id: int, *, now: datetime) -> None:
    """The channel works: nothing is held back any more."""
    fine = {"failure_count": 0, "last_sent_at": now, "last_error": None, "held_until": None}
    await db.execute(sa.update(channels).where(channels.c.id == channel_id).values(fine))


async def note_failed(db: Connection, channel_id: int, *, error: str) -> None:
    """The channel did not work, once more."""
    values = {"failure_count": channels.c.failure_count + 1, "last_error": error}
    await db.execute(sa.update(channels).where(channels.c.id == channel_id).values(values))


def _channel(row: Any) -> Channel:
    return Channel(
        kind=ChannelKind(row.kind),
        has_secret=row.encrypted_secret is not None,
        **{name: getattr(row, name) for name in _COLUMNS},
    )
