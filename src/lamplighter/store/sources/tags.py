"""Queries for tags: the sources that have them, and their settings."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model import window_json
from lamplighter.model.fields import columns_of, plain
from lamplighter.model.schedule import PolicyName
from lamplighter.model.source import InheritedOptions, TagOptions
from lamplighter.store.engine import queries
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import source_tags, sources, tags


class CountedTag(NamedTuple):
    """A tag, and how many sources have it."""

    settings: TagOptions
    source_count: int


_CARRIED = (
    sa.select(source_tags.c.tag).distinct().order_by(source_tags.c.tag).limit(sa.bindparam("most", type_=sa.Integer))
)
_OF_SOURCES = (
    sa.select(source_tags.c.source_id, source_tags.c.tag)
    .where(source_tags.c.source_id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(source_tags.c.tag)
)
_KEPT = tuple(each for each in columns_of(TagOptions) if each.field not in ("tag", "window_faults"))
_COLUMNS: tuple[sa.ColumnElement[Any], ...] = tuple(tags.c[each.name] for each in _KEPT)
_SETTINGS = sa.select(source_tags.c.source_id, tags.c.tag, *_COLUMNS).join(tags, tags.c.tag == source_tags.c.tag)
_SETTINGS_OF_SOME = _SETTINGS.where(Among(source_tags.c.source_id, "sources"))


def settings_of(row: Sequence[Any]) -> TagOptions:
    """Converts a row (name, then `_COLUMNS`) to a tag's settings; invalid windows become its faults."""
    tag, *stored = row
    values = {
        each.field: each.load(value) if each.load is not None and value is not None else value
        for each, value in zip(_KEPT, stored, strict=True)
        if each.field != "windows"
    }
    windows, faults = window_json.loaded(stored[_WINDOWS] or [])
    return TagOptions(tag=tag, windows=windows, window_faults=faults, **values)


_WINDOWS = [each.field for each in _KEPT].index("windows")


async def set_policy(db: Connection, tag: str, policy: PolicyName | None, *, now: datetime) -> None:
    """Sets the scheduling policy of sources with this tag; None takes the installation's."""
    await _put(db, tag, {"policy": policy, "updated_at": now})


async def put(db: Connection, tag: str, settings: InheritedOptions, *, now: datetime) -> None:
    """Sets what sources with a tag inherit."""
    await _put(db, tag, {**stored_values(settings), "updated_at": now})


def stored_values(settings: InheritedOptions) -> dict[str, Any]:
    """A tag's settings as columns; an empty list of windows is NULL."""
    values = plain(settings, InheritedOptions)
    return values | {"windows": values["windows"] or None}


async def _put(db: Connection, tag: str, values: Mapping[str, Any]) -> None:
    statement = insert(db, tags).values(tag=tag, **values)
    await db.execute(statement.on_conflict_do_update(index_elements=["tag"], set_=values))


async def counted(db: Connection, *, limit: int, offset: int) -> list[CountedTag]:
    """Tags that a source has or that have settings, sorted; deleted sources do not count."""
    names = _names().order_by("tag").limit(limit).offset(offset).subquery()
    return [_counted(row) for row in await db.execute(_with_settings(names).order_by(names.c.tag))]


async def count(db: Connection) -> int:
    """How many tags there are."""
    return await queries.count(db, _names().subquery())


async def names(db: Connection, *, limit: int) -> list[str]:
    """Tags that sources have, sorted."""
    return list(await db.scalars(_CARRIED, {"most": limit}))


async def get(db: Connection, tag: str) -> CountedTag | None:
    """A tag, if a source has it or it has settings."""
    names = sa.select(_names().subquery().c.tag).where(sa.column("tag") == tag).subquery()
    return await queries.one(db, _with_settings(names), _counted)


async def remove(db: Connection, tag: str) -> int:
    """Removes a tag from all sources, and its settings; returns from how many."""
    await db.execute(sa.delete(tags).where(tags.c.tag == tag))
    return rows_written(await db.execute(sa.delete(source_tags).where(source_tags.c.tag == tag)))


async def rename(db: Connection, tag: str, to: str) -> int:
    """Replaces a tag by another on every source; the other keeps its own settings. Returns on how many."""
    mine = source_tags.c.tag == tag
    carried = sa.select(source_tags.c.source_id, sa.literal(to)).where(mine)
    await db.execute(insert(db, source_tags).from_select(["source_id", "tag"], carried).on_conflict_do_nothing())
    count = rows_written(await db.execute(sa.delete(source_tags).where(mine)))
    if await db.scalar(sa.select(tags.c.tag).where(tags.c.tag == to)) is None:
        await db.execute(sa.update(tags).where(tags.c.tag == tag).values(tag=to))
    await db.execute(sa.delete(tags).where(tags.c.tag == tag))
    return count


async def of_sources(db: Connection, source_ids: Sequence[int]) -> dict[int, list[str]]:
    """Source -> its tags, sorted."""
    found: dict[int, list[str]] = {}
    rows: Iterable[Sequence[Any]] = await db.execute(_OF_SOURCES, {"ids": list(source_ids)})
    for source_id, tag in rows:
        found.setdefault(source_id, []).append(tag)
    return found


async def settings_of_sources(db: Connection, source_ids: Iterable[int]) -> dict[int, list[TagOptions]]:
    """Source -> settings of its tags, sorted by tag; sources without such tags are omitted."""
    return _by_source(await db.execute(_SETTINGS_OF_SOME, {"sources": sorted(set(source_ids))}))


async def settings_of_all(db: Connection) -> dict[int, list[TagOptions]]:
    """The same for all sources."""
    return _by_source(await db.execute(_SETTINGS))


def _by_source(rows: Iterable[Any]) -> dict[int, list[TagOptions]]:
    by_source: dict[int, list[TagOptions]] = {}
    for row in rows:
        by_source.setdefault(row.source_id, []).append(settings_of(row[1:]))
    # Sorted here, because databases sort names differently.
    return {source_id: sorted(orders, key=lambda order: order.tag) for source_id, orders in by_source.items()}


async def label(db: Connection, source_ids: Iterable[int], tag: str) -> None:
    """Adds a tag to sources; some may have it already."""
    rows = [{"source_id": source_id, "tag": tag} for source_id in source_ids]
    if rows:
        await db.execute(insert(db, source_tags).on_conflict_do_nothing(), rows)


async def unlabel(db: Connection, source_ids: Sequence[int], tag: str) -> None:
    """Untags these sources."""
    mine = source_tags.c.source_id.in_(source_ids)
    await db.execute(sa.delete(source_tags).where(source_tags.c.tag == tag, mine))


def _names() -> sa.CompoundSelect[Any]:
    return sa.union(sa.select(source_tags.c.tag), sa.select(tags.c.tag))


def _with_settings(names: sa.Subquery) -> sa.Select[Any]:
    """These tags with their settings, and how many undeleted sources have each."""
    carried = (
        sa.select(sa.func.count())
        .select_from(source_tags.join(sources, sources.c.id == source_tags.c.source_id))
        .where(source_tags.c.tag == names.c.tag, sources.c.deleted_at.is_(None))
    )
    columns = (names.c.tag, *_COLUMNS, carried.scalar_subquery().label("source_count"))
    return sa.select(*columns).outerjoin_from(names, tags, tags.c.tag == names.c.tag)


def _counted(row: Any) -> CountedTag:
    return CountedTag(settings_of(row[:-1]), row.source_count)
