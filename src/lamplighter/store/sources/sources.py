"""SQL for sources."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model import window_json
from lamplighter.model.fields import columns_of, plain
from lamplighter.model.source import Source, SourceOptions
from lamplighter.store.engine import queries
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.jobs import tallies
from lamplighter.store.schema.tables import source_tags, sources
from lamplighter.store.sources import list_positions

#: the field that `source_of` itself converts, and the field without a column
_WINDOWS, _FAULTS = "windows", "window_faults"
#: after a change of these the pages are judged anew
_READ_BY = frozenset({"url", "kind", "recipe"})
_KEPT = tuple(each for each in columns_of(Source) if each.field != _FAULTS)
_FIELDS = tuple(each.field for each in _KEPT)
_LOADED = tuple((each.field, each.load) for each in _KEPT if each.load is not None and each.field != _WINDOWS)
COLUMNS: tuple[sa.ColumnElement[Any], ...] = tuple(sources.c[each.name] for each in _KEPT)


def source_of(row: Sequence[Any]) -> Source:
    """Converts a row of `COLUMNS` to a source; invalid windows become its faults, not an error."""
    values = dict(zip(_FIELDS, row, strict=True))
    for name, load in _LOADED:
        if values[name] is not None:
            values[name] = load(values[name])
    if values[_WINDOWS]:
        values[_WINDOWS], values[_FAULTS] = window_json.loaded(values[_WINDOWS])
    else:
        values[_WINDOWS] = ()
    return Source(**values)


_BY_ID = sa.select(*COLUMNS).where(Among(sources.c.id, "ids"))
_WITH_ID = sa.select(*COLUMNS).where(sources.c.id == sa.bindparam("source"))
_LOCKED = _WITH_ID.with_for_update()
_WITH_URL = sa.select(*COLUMNS).where(sources.c.url == sa.bindparam("address"))
_WITH_PUBLIC_ID = sa.select(*COLUMNS).where(sources.c.public_id == sa.bindparam("name"))
_BY_NAME = sa.select(*COLUMNS).order_by(sources.c.name, sources.c.id)
_TAGGED = _BY_NAME.join(source_tags).where(source_tags.c.tag == sa.bindparam("tag"))
#: neither deleted nor implicit
IS_SHOWN = sa.and_(sources.c.deleted_at.is_(None), sources.c.is_implicit.is_(sa.false()))


async def add(
    db: Connection,
    new: SourceOptions,
    *,
    public_id: str,
    now: datetime,
    tags: Iterable[str] = (),
    disabled_by: str | None = None,
    is_implicit: bool = False,
) -> int | None:
    """Stores a new source and returns its id; None when a source has its URL, even one added concurrently."""
    values = plain(new, SourceOptions) | {"public_id": public_id, "is_implicit": is_implicit}
    disabled = {"disabled_at": now, "disabled_by": disabled_by} if disabled_by is not None else {}
    statement = insert(db, sources).values({"created_at": now, "updated_at": now, **values, **disabled})
    result = await db.execute(statement.on_conflict_do_nothing(index_elements=["url"]).returning(sources.c.id))
    source_id: int | None = result.scalar_one_or_none()
    rows = [{"source_id": source_id, "tag": tag} for tag in sorted(set(tags))]
    if rows and source_id is not None:
        await db.execute(sa.insert(source_tags), rows)
    return source_id


async def get(db: Connection, source_id: int) -> Source | None:
    """The source with this id."""
    return await queries.one(db, _WITH_ID, source_of, {"source": source_id})


async def by_url(db: Connection, url: str) -> Source | None:
    """The source with this URL."""
    return await queries.one(db, _WITH_URL, source_of, {"address": url})


async def ids_of_urls(db: Connection, urls: Iterable[str]) -> dict[str, str]:
    """URL -> public id of the sources with these URLs, including deleted ones."""
    query = sa.select(sources.c.url, sources.c.public_id).where(sources.c.url.in_(sorted(set(urls))))
    return {row.url: row.public_id for row in await db.execute(query)}


async def by_public_id(db: Connection, public_id: str) -> Source | None:
    """The source with this public id."""
    return await queries.one(db, _WITH_PUBLIC_ID, source_of, {"name": public_id})


async def by_public_ids(db: Connection, public_ids: Iterable[str]) -> dict[str, Source]:
    """Public id -> source."""
    rows = await db.execute(sa.select(*COLUMNS).where(sources.c.public_id.in_(sorted(set(public_ids)))))
    return {row.public_id: source_of(row) for row in rows}


async def hold(db: Connection, ids: Iterable[int]) -> dict[int, Source]:
    """These sources by id, locked until the transaction ends against changes of them or their jobs.

    Locks in the order of ids, so that two transactions never deadlock; does not block inserts of pages, which refer
    to their source.
    """
    query = sa.select(*COLUMNS).where(sources.c.id.in_(sorted(set(ids)))).order_by(sources.c.id)
    return {row.id: source_of(row) for row in await db.execute(query.with_for_update(key_share=True))}


async def lock(db: Connection, source_id: int) -> Source | None:
    """The source, locked until the transaction ends."""
    return await queries.one(db, _LOCKED, source_of, {"source": source_id})


async def many(db: Connection, ids: Iterable[int]) -> dict[int, Source]:
    """These sources by id."""
    rows = await db.execute(_BY_ID, {"ids": sorted(set(ids))})
    return {row.id: source_of(row) for row in rows}


async def all_with_tag(db: Connection, tag: str | None) -> list[Source]:
    """Every source, or those with this tag, by name."""
    rows = await (db.execute(_BY_NAME) if tag is None else db.execute(_TAGGED, {"tag": tag}))
    return [source_of(row) for row in rows]


async def deeper_than(db: Connection, depth: int, *, named: int) -> tuple[int, list[str]]:
    """How many sources follow links further than this, or without limit, and the URLs of the first of them."""
    is_deep = sa.and_(sa.or_(sources.c.max_depth > depth, sources.c.max_depth < 0), sources.c.deleted_at.is_(None))
    count = await db.scalar(sa.select(sa.func.count()).select_from(sources).where(is_deep)) or 0
    query = sa.select(sources.c.url).where(is_deep).order_by(sources.c.id).limit(named)
    return count, list(await db.scalars(query)) if count else []


async def ids_after(db: Connection, source_id: int, *, limit: int) -> list[int]:
    """The next sources in the order of their ids."""
    query = sa.select(sources.c.id).where(sources.c.id > source_id).order_by(sources.c.id).limit(limit)
    return list(await db.scalars(query))


async def count(db: Connection) -> int:
    """How many sources there are, without deleted and implicit ones."""
    return await tallies.sources(db)


async def save(db: Connection, before: Source, after: Source, *, now: datetime) -> bool:
    """Stores the changes of a source; False when there is none with this id."""
    changed = difference(before, after)
    if not _READ_BY.isdisjoint(changed):
        await list_positions.forget(db, before.id)
    statement = sa.update(sources).where(sources.c.id == before.id)
    return rows_written(await db.execute(statement.values({**changed, "updated_at": now}))) > 0


def difference(before: Source, after: Source) -> dict[str, Any]:
    """The columns that change, with new values; a change of the faults rewrites the windows."""
    old, new = plain(before, Source), plain(after, Source)
    changed = {name: value for name, value in new.items() if value != old[name]}
    has_repaired = changed.pop(_FAULTS, None) is not None
    return changed | ({_WINDOWS: new[_WINDOWS]} if has_repaired else {})


async def remove(db: Connection, source_id: int) -> bool:
    """Deletes a source and all its data; False when there is none."""
    return rows_written(await db.execute(sa.delete(sources).where(sources.c.id == source_id))) > 0


async def public_id(db: Connection, source_id: int) -> str | None:
    """The public id of a source, for the log; None when there is no such source."""
    found: str | None = await db.scalar(sa.select(sources.c.public_id).where(sources.c.id == source_id))
    return found
