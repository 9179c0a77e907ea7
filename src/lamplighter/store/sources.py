"""SQL about sources."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.record import RecordKind
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import source_tags, sources


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
    def asks_since(self) -> bool:
        """Whether it is an API that is asked only for what changed since the last run."""
        return bool((self.recipe.get("api") or {}).get("since"))

    @property
    def record_kind(self) -> RecordKind | None:
        """What its records are; None lets the pages tell."""
        return RecordKind(self.kind) if self.kind else None


def _span(seconds: int | None) -> timedelta | None:
    return timedelta(seconds=seconds) if seconds is not None else None


_COLUMNS = tuple(sources.c[name] for name in SourceRow._fields)


async def add(db: Connection, *, now: datetime, tags: Iterable[str] = (), **values: Any) -> int:
    """Stores a new source and returns its id."""
    result = await db.execute(
        sa.insert(sources).values(created_at=now, updated_at=now, **values).returning(sources.c.id)
    )
    source_id: int = result.scalar_one()
    rows = [{"source_id": source_id, "tag": tag} for tag in sorted(set(tags))]
    if rows:
        await db.execute(sa.insert(source_tags), rows)
    return source_id


async def get(db: Connection, source_id: int) -> SourceRow | None:
    """The source with this id."""
    return await _one(db, sources.c.id == source_id)


async def by_url(db: Connection, url: str) -> SourceRow | None:
    """The source that watches this URL."""
    return await _one(db, sources.c.url == url)


async def _one(db: Connection, which: sa.ColumnElement[bool]) -> SourceRow | None:
    row = (await db.execute(sa.select(*_COLUMNS).where(which))).one_or_none()
    return SourceRow._make(row) if row is not None else None


async def many(db: Connection, ids: Iterable[int]) -> dict[int, SourceRow]:
    """These sources by id."""
    rows = await db.execute(sa.select(*_COLUMNS).where(sources.c.id.in_(sorted(set(ids)))))
    return {row.id: SourceRow._make(row) for row in rows}


async def all_with_tag(db: Connection, tag: str | None) -> list[SourceRow]:
    """Every source, or those with this tag, by name."""
    query = sa.select(*_COLUMNS).order_by(sources.c.name, sources.c.id)
    if tag is not None:
        query = query.join(source_tags).where(source_tags.c.tag == tag)
    return [SourceRow._make(row) for row in await db.execute(query)]


async def ids_after(db: Connection, source_id: int, *, limit: int) -> list[int]:
    """The next sources in the order of their ids."""
    query = sa.select(sources.c.id).where(sources.c.id > source_id).order_by(sources.c.id).limit(limit)
    return list(await db.scalars(query))


async def count(db: Connection) -> int:
    """How many sources there are."""
    return int((await db.execute(sa.select(sa.func.count()).select_from(sources))).scalar_one())


async def change(db: Connection, source_id: int, *, now: datetime, **values: Any) -> bool:
    """Changes a source; False when there is none with this id."""
    statement = sa.update(sources).where(sources.c.id == source_id).values(updated_at=now, **values)
    return rows_written(await db.execute(statement)) > 0


async def remove(db: Connection, source_id: int) -> bool:
    """Removes a source and everything found through it; False when there is none."""
    return rows_written(await db.execute(sa.delete(sources).where(sources.c.id == source_id))) > 0
