"""SQL about sources."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.record import RecordKind
from lamplighter.store import tallies
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.lists import Among
from lamplighter.store.tables import source_tags, sources
from lamplighter.store.upsert import insert


class SourceRow(NamedTuple):
    """A source as stored; its recipe is still JSON."""

    id: int
    public_id: str
    name: str
    url: str
    kind: str | None
    recipe: Mapping[str, Any]
    max_depth: int
    max_pages: int | None
    interval_seconds: int | None
    priority: int
    enabled: bool
    recurring: bool
    policy: str | None
    min_interval_seconds: int | None
    max_interval_seconds: int | None
    windows: Any
    country: str | None
    organisation_type: str | None
    #: least time between two requests for it, over and above its host's policy
    min_delay_ms: int | None
    #: only holds pages that were submitted one by one
    is_implicit: bool
    #: None unless it was deleted, and is kept
    deleted_at: datetime | None
    #: why, since when and by whom it is disabled
    disabled_reason: str | None
    disabled_at: datetime | None
    disabled_by: str | None
    created_at: datetime
    updated_at: datetime

    @property
    def interval(self) -> timedelta | None:
        """The interval as the operator gave it."""
        return _span(self.interval_seconds)

    @property
    def min_interval(self) -> timedelta | None:
        """The least time between runs, where the operator set one."""
        return _span(self.min_interval_seconds)

    @property
    def max_interval(self) -> timedelta | None:
        """The most time between runs, where the operator set one."""
        return _span(self.max_interval_seconds)

    @property
    def min_delay(self) -> timedelta | None:
        """The least time between two requests for it, where the operator set one."""
        return span_of_ms(self.min_delay_ms)

    @property
    def asks_since(self) -> bool:
        """Whether it is an API that is asked only for what changed since the last run."""
        return bool((self.recipe.get("api") or {}).get("since"))

    @property
    def record_kind(self) -> RecordKind | None:
        """What its records are; None lets the pages tell."""
        return RecordKind(self.kind) if self.kind else None


def _span(seconds: int | None) -> timedelta | None:
    return timedelta(seconds=seconds) if seconds is not None else None


def span_of_ms(milliseconds: int | None) -> timedelta | None:
    """A column that ends in _ms, as a span of time."""
    return timedelta(milliseconds=milliseconds) if milliseconds is not None else None


_COLUMNS = tuple(sources.c[name] for name in SourceRow._fields)
_BY_ID = sa.select(*_COLUMNS).where(Among(sources.c.id, "ids"))
_WITH_ID = sa.select(*_COLUMNS).where(sources.c.id == sa.bindparam("source"))
_LOCKED = _WITH_ID.with_for_update()
_WITH_URL = sa.select(*_COLUMNS).where(sources.c.url == sa.bindparam("address"))
_WITH_PUBLIC_ID = sa.select(*_COLUMNS).where(sources.c.public_id == sa.bindparam("name"))
_BY_NAME = sa.select(*_COLUMNS).order_by(sources.c.name, sources.c.id)
_TAGGED = _BY_NAME.join(source_tags).where(source_tags.c.tag == sa.bindparam("tag"))
#: neither deleted nor one that only holds pages submitted one by one
IS_SHOWN = sa.and_(sources.c.deleted_at.is_(None), sources.c.is_implicit.is_(sa.false()))


async def add(db: Connection, *, now: datetime, tags: Iterable[str] = (), **values: Any) -> int | None:
    """Stores a new source and returns its id; None when its URL is watched already, even if only since a moment ago."""
    statement = insert(db, sources).values({"created_at": now, "updated_at": now, **values})
    result = await db.execute(statement.on_conflict_do_nothing(index_elements=["url"]).returning(sources.c.id))
    source_id: int | None = result.scalar_one_or_none()
    rows = [{"source_id": source_id, "tag": tag} for tag in sorted(set(tags))]
    if rows and source_id is not None:
        await db.execute(sa.insert(source_tags), rows)
    return source_id


async def get(db: Connection, source_id: int) -> SourceRow | None:
    """The source with this id."""
    return await _one(db, _WITH_ID, {"source": source_id})


async def by_url(db: Connection, url: str) -> SourceRow | None:
    """The source that watches this URL."""
    return await _one(db, _WITH_URL, {"address": url})


async def ids_of_urls(db: Connection, urls: Iterable[str]) -> dict[str, str]:
    """The public ids of the sources that watch these URLs, deleted ones included."""
    query = sa.select(sources.c.url, sources.c.public_id).where(sources.c.url.in_(sorted(set(urls))))
    return {row.url: row.public_id for row in await db.execute(query)}


async def by_public_id(db: Connection, public_id: str) -> SourceRow | None:
    """The source that the world outside knows by this id."""
    return await _one(db, _WITH_PUBLIC_ID, {"name": public_id})


async def by_public_ids(db: Connection, public_ids: Iterable[str]) -> dict[str, SourceRow]:
    """These sources by the ids under which the world outside knows them."""
    rows = await db.execute(sa.select(*_COLUMNS).where(sources.c.public_id.in_(sorted(set(public_ids)))))
    return {row.public_id: SourceRow._make(row) for row in rows}


async def hold(db: Connection, ids: Iterable[int]) -> dict[int, SourceRow]:
    """These sources by id, held until the transaction ends against those who would change them or match their jobs.

    In the order of their ids, so that two who hold several never wait for each other; and not against those who only
    add pages, which refer to their source.
    """
    query = sa.select(*_COLUMNS).where(sources.c.id.in_(sorted(set(ids)))).order_by(sources.c.id)
    return {row.id: SourceRow._make(row) for row in await db.execute(query.with_for_update(key_share=True))}


async def lock(db: Connection, source_id: int) -> SourceRow | None:
    """The source, held against other writers until the transaction ends."""
    return await _one(db, _LOCKED, {"source": source_id})


async def _one(db: Connection, query: sa.Select[Any], parameters: Mapping[str, Any]) -> SourceRow | None:
    row = (await db.execute(query, parameters)).one_or_none()
    return SourceRow._make(row) if row is not None else None


async def many(db: Connection, ids: Iterable[int]) -> dict[int, SourceRow]:
    """These sources by id."""
    rows = await db.execute(_BY_ID, {"ids": sorted(set(ids))})
    return {row.id: SourceRow._make(row) for row in rows}


async def all_with_tag(db: Connection, tag: str | None) -> list[SourceRow]:
    """Every source, or those with this tag, by name."""
    rows = await (db.execute(_BY_NAME) if tag is None else db.execute(_TAGGED, {"tag": tag}))
    return [SourceRow._make(row) for row in rows]


async def ids_after(db: Connection, source_id: int, *, limit: int) -> list[int]:
    """The next sources in the order of their ids."""
    query = sa.select(sources.c.id).where(sources.c.id > source_id).order_by(sources.c.id).limit(limit)
    return list(await db.scalars(query))


async def count(db: Connection) -> int:
    """How many sources are watched: without those that are deleted, or exist only for pages submitted one by one."""
    return await tallies.sources(db)


async def change(db: Connection, source_id: int, *, now: datetime, **values: Any) -> bool:
    """Changes a source; False when there is none with this id."""
    statement = sa.update(sources).where(sources.c.id == source_id).values(updated_at=now, **values)
    return rows_written(await db.execute(statement)) > 0


async def remove(db: Connection, source_id: int) -> bool:
    """Removes a source and everything found through it; False when there is none."""
    return rows_written(await db.execute(sa.delete(sources).where(sources.c.id == source_id))) > 0
