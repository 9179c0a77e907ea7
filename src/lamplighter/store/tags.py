"""SQL about tags: which sources carry them, and what those inherit."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.schedule import PolicyName
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import source_tags, sources, tags
from lamplighter.store.upsert import insert


class TagRow(NamedTuple):
    """What sources with a tag inherit where they say nothing themselves."""

    tag: str
    policy: str | None = None
    interval_seconds: int | None = None
    min_interval_seconds: int | None = None
    max_interval_seconds: int | None = None
    windows: Any = None
    max_pages: int | None = None
    updated_at: datetime | None = None


class CountedTag(NamedTuple):
    """A tag, and how many sources carry it."""

    settings: TagRow
    source_count: int


_CARRIED = (
    sa.select(source_tags.c.tag).distinct().order_by(source_tags.c.tag).limit(sa.bindparam("most", type_=sa.Integer))
)
_OF_SOURCES = (
    sa.select(source_tags.c.source_id, source_tags.c.tag)
    .where(source_tags.c.source_id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(source_tags.c.tag)
)
_SETTINGS = tuple(tags.c[name] for name in TagRow._fields if name != "tag")


async def set_policy(db: Connection, tag: str, policy: PolicyName | None, *, now: datetime) -> None:
    """Says how the intervals of sources with this tag are chosen; None leaves it to the installation."""
    await put(db, tag, {"policy": policy}, now=now)


async def put(db: Connection, tag: str, settings: Mapping[str, Any], *, now: datetime) -> None:
    """Says what sources with this tag inherit; what is not given stays."""
    values = {**settings, "updated_at": now}
    statement = insert(db, tags).values(tag=tag, **values)
    await db.execute(statement.on_conflict_do_update(index_elements=["tag"], set_=values))


async def counted(db: Connection, *, limit: int, offset: int) -> list[CountedTag]:
    """Tags that a source carries or that say something, in their order; deleted sources do not count."""
    names = _names().order_by("tag").limit(limit).offset(offset).subquery()
    carried = _carried(names.c.tag)
    query = sa.select(names.c.tag, *_SETTINGS, carried).outerjoin_from(names, tags, tags.c.tag == names.c.tag)
    return [_counted(row) for row in await db.execute(query.order_by(names.c.tag))]


async def count(db: Connection) -> int:
    """How many tags there are."""
    return int(await db.scalar(sa.select(sa.func.count()).select_from(_names().subquery())))


async def names(db: Connection, *, limit: int) -> list[str]:
    """Tags that sources carry, in their order."""
    return list(await db.scalars(_CARRIED, {"most": limit}))


async def get(db: Connection, tag: str) -> CountedTag | None:
    """A tag, if a source carries it or it says something."""
    names = sa.select(_names().subquery().c.tag).where(sa.column("tag") == tag).subquery()
    query = sa.select(names.c.tag, *_SETTINGS, _carried(names.c.tag)).outerjoin_from(
        names, tags, tags.c.tag == names.c.tag
    )
    row = (await db.execute(query)).one_or_none()
    return _counted(row) if row is not None else None


async def remove(db: Connection, tag: str) -> int:
    """Takes a tag from all sources and forgets what it said; returns from how many."""
    await db.execute(sa.delete(tags).where(tags.c.tag == tag))
    return rows_written(await db.execute(sa.delete(source_tags).where(source_tags.c.tag == tag)))


async def rename(db: Connection, tag: str, to: str) -> int:
    """Gives every source of one tag another in its place, which keeps what it says; returns how many had the first."""
    mine = source_tags.c.tag == tag
    carried = sa.select(source_tags.c.source_id, sa.literal(to)).where(mine)
    await db.execute(insert(db, source_tags).from_select(["source_id", "tag"], carried).on_conflict_do_nothing())
    count = rows_written(await db.execute(sa.delete(source_tags).where(mine)))
    if await db.scalar(sa.select(tags.c.tag).where(tags.c.tag == to)) is None:
        await db.execute(sa.update(tags).where(tags.c.tag == tag).values(tag=to))
    await db.execute(sa.delete(tags).where(tags.c.tag == tag))
    return count


async def of_sources(db: Connection, source_ids: Sequence[int]) -> dict[int, list[str]]:
    """Source -> its tags, in their order."""
    found: dict[int, list[str]] = {}
    rows: Iterable[Sequence[Any]] = await db.execute(_OF_SOURCES, {"ids": list(source_ids)})
    for source_id, tag in rows:
        found.setdefault(source_id, []).append(tag)
    return found


async def label(db: Connection, source_ids: Iterable[int], tag: str) -> None:
    """Gives a tag to sources that may have it already."""
    rows = [{"source_id": source_id, "tag": tag} for source_id in source_ids]
    if rows:
        await db.execute(insert(db, source_tags).on_conflict_do_nothing(), rows)


async def unlabel(db: Connection, source_ids: Sequence[int], tag: str) -> None:
    """Takes a tag from sources."""
    mine = source_tags.c.source_id.in_(source_ids)
    await db.execute(sa.delete(source_tags).where(source_tags.c.tag == tag, mine))


def _names() -> sa.CompoundSelect[Any]:
    return sa.union(sa.select(source_tags.c.tag), sa.select(tags.c.tag))


def _carried(tag: sa.ColumnElement[str]) -> sa.Label[int]:
    """How many sources carry it that are not deleted."""
    query = (
        sa.select(sa.func.count())
        .select_from(source_tags.join(sources, sources.c.id == source_tags.c.source_id))
        .where(source_tags.c.tag == tag, sources.c.deleted_at.is_(None))
    )
    return query.scalar_subquery().label("source_count")


def _counted(row: Any) -> CountedTag:
    return CountedTag(TagRow._make(row[:-1]), row.source_count)
