"""SQL about versions: which body a page had from when on."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.alert import PageTurn
from lamplighter.model.reading import PageRole
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import numbers
from lamplighter.store.schema.tables import bodies, crawl_runs, page_versions, pages
from lamplighter.store.schema.types import literal

#: ids checked in one statement
RANGE = 5_000
_LATEST = page_versions.c.superseded_at.is_(None)
_ENDED = (
    sa.update(page_versions)
    .where(page_versions.c.page_id == sa.bindparam("page"), _LATEST)
    .values(superseded_at=sa.bindparam("at"))
)
_ADD = sa.insert(page_versions)
_OF_VERSION, _OF_BODY = (
    ("number", "fetched_at", "superseded_at", "status"),
    ("hash", "key", "size_bytes", "stored_bytes"),
)
_SHOWN = sa.select(*(page_versions.c[name] for name in _OF_VERSION), *(bodies.c[name] for name in _OF_BODY)).join(
    bodies, bodies.c.id == page_versions.c.body_id
)


class Version(NamedTuple):
    """A version of a page."""

    number: int
    fetched_at: datetime
    #: None for the latest
    superseded_at: datetime | None
    status: int
    #: sha256 of the body
    hash: str
    #: where the archive keeps it
    key: str
    size_bytes: int
    stored_bytes: int


class NewVersion(NamedTuple):
    """A new body that was fetched for a page."""

    page_id: int
    body_id: int
    status: int
    at: datetime


class OldVersion(NamedTuple):
    """A version to remove."""

    id: int
    body_id: int


class ExportedVersion(NamedTuple):
    """A version with its page's URL."""

    id: int
    url: str
    fetched_at: datetime
    status: int
    body_id: int
    key: str


async def add(db: Connection, new: Sequence[NewVersion]) -> None:
    """Adds versions of pages that the transaction has locked, unless the latest version has the same body."""
    if not new:
        return
    before = await _latest(db, [version.page_id for version in new])
    changed = [each for each in new if each.page_id not in before or before[each.page_id].body_id != each.body_id]
    if ended := [{"page": each.page_id, "at": each.at} for each in changed if each.page_id in before]:
        await db.execute(_ENDED, ended)
    rows = []
    for each in changed:
        number = before[each.page_id].number + 1 if each.page_id in before else 1
        same = {"page_id": each.page_id, "body_id": each.body_id, "status": each.status}
        rows.append(same | {"number": number, "fetched_at": each.at})
    if rows:
        await db.execute(_ADD, rows)


async def take_back(db: Connection, fetched: Mapping[int, datetime]) -> None:
    """Deletes the versions that pages got at these times; the version before is the latest again."""
    for page_id, at in fetched.items():
        mine = page_versions.c.page_id == page_id
        gone = await db.execute(sa.delete(page_versions).where(mine, _LATEST, page_versions.c.fetched_at == at))
        if rows_written(gone):
            last = sa.select(sa.func.max(page_versions.c.number)).where(mine).scalar_subquery()
            again = sa.update(page_versions).where(mine, page_versions.c.number == last)
            await db.execute(again.values(superseded_at=None))


class _Latest(NamedTuple):
    number: int
    #: None when the latest version's body was lost, and the version with it
    body_id: int | None


async def _latest(db: Connection, page_ids: Sequence[int]) -> dict[int, _Latest]:
    """Page -> its greatest version number and its latest body, for pages with versions."""
    rows = await db.execute(_latest_query(db.dialect.name), {"pages": [[page_id] for page_id in page_ids]})
    return {row.page_id: _Latest(row.number, row.body_id) for row in rows}


@cache
def _latest_query(dialect: str) -> sa.Select[Any]:
    of_latest = sa.case((_LATEST, page_versions.c.body_id))
    number, body_id = sa.func.max(page_versions.c.number).label("number"), sa.func.max(of_latest).label("body_id")
    mine = page_versions.c.page_id.in_(sa.select(*numbers(dialect, "pages", count=1)))
    return sa.select(page_versions.c.page_id, number, body_id).where(mine).group_by(page_versions.c.page_id)


async def of_page(db: Connection, page_id: int, *, limit: int, offset: int) -> tuple[list[Version], int]:
    """The versions of a page, the latest first, and how many there are."""
    query = _SHOWN.where(page_versions.c.page_id == page_id).order_by(page_versions.c.number.desc())
    rows, total = await queries.page(db, query, limit=limit, offset=offset)
    return [Version._make(row) for row in rows], total


async def one(db: Connection, page_id: int, number: int) -> Version | None:
    """A version by its number."""
    query = _SHOWN.where(page_versions.c.page_id == page_id, page_versions.c.number == number)
    return await queries.one(db, query, Version._make)


async def records_after(db: Connection, page_id: int, source_id: int, *, limit: int) -> dict[int, int]:
    """Version -> how many records the source showed after the run that fetched it, for the latest versions."""
    began_before = sa.and_(crawl_runs.c.source_id == source_id, crawl_runs.c.started_at <= page_versions.c.fetched_at)
    run = sa.select(crawl_runs.c.records_shown).where(began_before).order_by(crawl_runs.c.started_at.desc()).limit(1)
    shown = run.correlate(page_versions).scalar_subquery().label("records")
    query = sa.select(page_versions.c.number, shown).where(page_versions.c.page_id == page_id)
    rows = await db.execute(query.order_by(page_versions.c.number.desc()).limit(limit))
    return {row.number: row.records for row in rows if row.records is not None}


async def turn(db: Connection, source_id: int, *, after: datetime, until: datetime) -> PageTurn | None:
    """The first change of a source's start page, or of the page it redirects to, within this time."""
    earlier = page_versions.alias("earlier")
    before = sa.and_(earlier.c.page_id == page_versions.c.page_id, earlier.c.number == page_versions.c.number - 1)
    query = (
        sa.select(page_versions.c.page_id, earlier.c.number, page_versions.c.number, page_versions.c.fetched_at)
        .join(pages, pages.c.id == page_versions.c.page_id)
        .join(earlier, before)
        .where(pages.c.source_id == source_id, pages.c.role.in_(literal(PageRole.SEED)))
        .where(page_versions.c.fetched_at > after, page_versions.c.fetched_at <= until)
        .order_by(page_versions.c.fetched_at)
        .limit(1)
    )
    return await queries.one(db, query, PageTurn._make)


async def count(db: Connection) -> int:
    """Counts all versions."""
    return await queries.count(db, page_versions)


async def superseded(db: Connection, *, before: datetime | None = None, limit: int) -> list[OldVersion]:
    """Superseded versions, the earliest superseded first; with `before`, only those superseded before then."""
    query = sa.select(page_versions.c.id, page_versions.c.body_id).where(page_versions.c.superseded_at.is_not(None))
    if before is not None:
        query = query.where(page_versions.c.superseded_at < before)
    rows = await db.execute(query.order_by(page_versions.c.superseded_at, page_versions.c.id).limit(limit))
    return [OldVersion._make(row) for row in rows]


async def how_many_make_up(db: Connection, old: Sequence[OldVersion], *, stored_bytes: int) -> int:
    """How many of these, from the first, make up this many stored bytes."""
    ids = sorted({version.body_id for version in old})
    rows = await db.execute(sa.select(bodies.c.id, bodies.c.stored_bytes).where(bodies.c.id.in_(ids)))
    sizes = {row.id: int(row.stored_bytes) for row in rows}
    total = 0
    for count, version in enumerate(old, start=1):
        total += sizes.pop(version.body_id, 0)
        if total >= stored_bytes:
            return count
    return len(old)


async def surplus(db: Connection, *, keep: int, after: int) -> list[OldVersion]:
    """Versions among the next ids that are not among the `keep` latest of their page."""
    latest = page_versions.alias("latest")
    query = (
        sa.select(page_versions.c.id, page_versions.c.body_id)
        .join(latest, sa.and_(latest.c.page_id == page_versions.c.page_id, latest.c.superseded_at.is_(None)))
        .where(page_versions.c.id > after, page_versions.c.id <= after + RANGE)
        .where(page_versions.c.number <= latest.c.number - keep)
    )
    return [OldVersion._make(row) for row in await db.execute(query)]


async def remove(db: Connection, versions: Iterable[OldVersion]) -> None:
    """Deletes versions, except those that became the latest meanwhile."""
    ids = sorted(version.id for version in versions)
    is_old = page_versions.c.superseded_at.is_not(None)
    await db.execute(sa.delete(page_versions).where(page_versions.c.id.in_(ids), is_old))


async def forget_page(db: Connection, page_id: int) -> set[int]:
    """Deletes all versions of a page; returns their bodies."""
    gone = sa.delete(page_versions).where(page_versions.c.page_id == page_id).returning(page_versions.c.body_id)
    return set(await db.scalars(gone))


async def bodies_of(db: Connection, page_ids: Iterable[int]) -> dict[int, str]:
    """The bodies of all versions of these pages: id -> key."""
    query = sa.select(bodies.c.id, bodies.c.key).join(page_versions, page_versions.c.body_id == bodies.c.id)
    rows = await db.execute(query.where(page_versions.c.page_id.in_(sorted(page_ids))).distinct())
    return {row.id: row.key for row in rows}


class VersionFilter(NamedTuple):
    """A filter of versions; None means any."""

    source_id: int | None = None
    since: datetime | None = None
    only_latest: bool = False


async def count_wanted(db: Connection, wanted: VersionFilter) -> int:
    """Counts these versions."""
    return int(await db.scalar(_filtered(sa.select(sa.func.count()), wanted)))


async def exported(db: Connection, wanted: VersionFilter, *, after: int, limit: int) -> list[ExportedVersion]:
    """The next of the wanted versions, in order of their ids."""
    columns = (
        *(page_versions.c.id, pages.c.url, page_versions.c.fetched_at, page_versions.c.status),
        *(page_versions.c.body_id, bodies.c.key),
    )
    query = _filtered(sa.select(*columns), wanted).where(page_versions.c.id > after)
    rows = await db.execute(query.order_by(page_versions.c.id).limit(limit))
    return [ExportedVersion._make(row) for row in rows]


def _filtered(query: sa.Select[Any], wanted: VersionFilter) -> sa.Select[Any]:
    query = (
        query.select_from(page_versions)
        .join(pages, pages.c.id == page_versions.c.page_id)
        .join(bodies, bodies.c.id == page_versions.c.body_id)
    )
    if wanted.source_id is not None:
        query = query.where(pages.c.source_id == wanted.source_id)
    if wanted.since is not None:
        query = query.where(page_versions.c.fetched_at >= wanted.since)
    return query.where(_LATEST) if wanted.only_latest else query
