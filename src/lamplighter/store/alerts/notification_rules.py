"""SQL about notification rules: which notices each channel gets."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from lamplighter.model.fields import loaded
from lamplighter.model.notification import NoticeKind, NotificationRule, RuleUpdate
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import notification_channels as channels
from lamplighter.store.schema.tables import notification_rules as rules
from lamplighter.store.schema.tables import sources

_IN_FORCE = sa.and_(rules.c.enabled, channels.c.enabled)
#: a rule with the names of its channel and its source
_NAMED = (
    sa.select(
        rules,
        *(channels.c[name].label(f"channel_{name}") for name in ("public_id", "name")),
        *(sources.c[name].label(f"source_{name}") for name in ("public_id", "name")),
    )
    .join(channels, channels.c.id == rules.c.channel_id)
    .outerjoin(sources, sources.c.id == rules.c.source_id)
)


async def add(db: Connection, new: RuleUpdate, *, now: datetime) -> str:
    """Stores a rule, and returns its public id."""
    public_id = str(uuid4())
    await db.execute(sa.insert(rules).values({**new.columns(), "public_id": public_id, "created_at": now}))
    return public_id


async def change(db: Connection, rule_id: int, change: RuleUpdate) -> None:
    """Changes a rule."""
    await db.execute(sa.update(rules).where(rules.c.id == rule_id).values(change.columns()))


async def remove(db: Connection, rule_id: int) -> None:
    """Deletes a rule."""
    await db.execute(sa.delete(rules).where(rules.c.id == rule_id))


async def named(db: Connection, *, channel_id: int | None = None) -> list[Any]:
    """Rules with the names of channel and source, by channel and kind."""
    query = _NAMED.order_by(channels.c.name, rules.c.kind, rules.c.id)
    if channel_id is not None:
        query = query.where(rules.c.channel_id == channel_id)
    return list((await db.execute(query)).all())


async def one_named(db: Connection, public_id: str) -> Any:
    """One rule with these names; None when there is none."""
    return (await db.execute(_NAMED.where(rules.c.public_id == public_id))).one_or_none()


async def in_force(db: Connection, *, kinds: Collection[str], source_ids: Collection[int]) -> list[NotificationRule]:
    """The enabled rules of these kinds that name one of these sources or none; their channels are locked."""
    is_about = sa.or_(rules.c.source_id.is_(None), rules.c.source_id.in_(sorted(source_ids)))
    query = sa.select(rules).join(channels, channels.c.id == rules.c.channel_id)
    query = query.where(_IN_FORCE, rules.c.kind.in_(sorted(kinds)), is_about)
    # A channel cannot be removed before its notifications are stored.
    query = query.with_for_update(of=channels, read=True, key_share=True)
    return [rule_of(row) for row in await db.execute(query.order_by(rules.c.id))]


async def wanted_kinds(db: Connection) -> dict[NoticeKind, bool]:
    """The kinds of notices that some enabled rule subscribes to, and whether one of them wants baselines too."""
    query = sa.select(rules.c.kind, rules.c.with_baseline).join(channels, channels.c.id == rules.c.channel_id)
    wanted: dict[NoticeKind, bool] = {}
    for row in await db.execute(query.where(_IN_FORCE).distinct()):
        kind = NoticeKind(row.kind)
        wanted[kind] = wanted.get(kind, False) or row.with_baseline
    return wanted


def rule_of(row: Any) -> NotificationRule:
    """The rule in a row."""
    return NotificationRule(**loaded(row._mapping, NotificationRule))
