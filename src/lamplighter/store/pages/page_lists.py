"""SQL about lists of pages for operators: pages, filters, counts."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.model.page import PageStage, Phase
from lamplighter.model.reading import PageRole
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.pages import stands
from lamplighter.store.schema.tables import crawl_runs, hosts, page_orders, pages, proxies, sources
from lamplighter.store.schema.types import literal
from lamplighter.store.sources.sources import IS_SHOWN

#: totals are exact up to here; counting further costs more than it is worth
MOST_COUNTED = 100_000
#: a text is searched in the URLs of this many of the newest pages: no index helps
MOST_SEARCHED = 50_000
#: what lists may be sorted by. Page ids grow as pages are created, so sorting by id sorts by creation time.
SORTABLE: dict[str, sa.ColumnElement[Any]] = {
    "id": pages.c.id,
    "created_at": pages.c.id,
    "priority": pages.c.rank,
    # a page that is no task was due when it was found
    "scheduled_at": sa.func.coalesce(
        sa.case((pages.c.phase == Phase.PENDING, pages.c.due_at)), page_orders.c.scheduled_at, pages.c.created_at
    ),
    # a page that was fetched once may still be unfinished
    "completed_at": sa.case(
        (pages.c.phase == Phase.COMPLETED, pages.c.fetched_at), (pages.c.phase == Phase.FAILED, pages.c.failed_at)
    ),
    "response_time_ms": pages.c.took_ms,
    "status": pages.c.phase,
    "url": pages.c.url,
}
_PARENT = pages.alias("parent")
_HELD = hosts.alias("held")
_COLUMNS: tuple[Any, ...] = (
    pages,
    hosts.c.key.label("host"),
    sources.c.public_id.label("source_public_id"),
    sources.c.name.label("source_name"),
    sources.c.is_implicit,
    _PARENT.c.url.label("parent_url"),
    page_orders.c.page_id.label("order_id"),
    hosts.c.domain_name,
    *(page_orders.c[name] for name in ("frequency_seconds", "scheduled_at", "next_at", "visit_count", "created_by")),
    *(page_orders.c[name] for name in ("is_recurring", "parent_page_id", "batch_id", "channel_id")),
    crawl_runs.c.started_at.label("run_started_at"),
    crawl_runs.c.finished_at.label("run_finished_at"),
    *(proxies.c[name].label(f"proxy_{name}") for name in ("protocol", "address", "port")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """A filter of pages; None means any."""

    stages: Collection[PageStage] | None = None
    #: reasons of failed pages to include, or to exclude
    reasons: Collection[str] | None = None
    other_reasons: Collection[str] | None = None
    host_id: int | None = None
    source_id: int | None = None
    #: a part of the URL, in either case
    search: str | None = None
    #: ids greater than this
    after_id: int | None = None
    #: found on another page
    is_found: bool = False
    min_rank: int | None = None
    max_rank: int | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    #: tasks that recur; False for all other pages
    is_recurring: bool | None = None
    #: its role in its source
    role: PageRole | None = None
    #: it is a task
    is_submitted: bool = False
    #: it was submitted with this batch, or for this task
    batch_id: str | None = None
    parent_id: int | None = None
    #: its URL is a source's own; False for all others
    is_watched: bool | None = None


async def one(db: Connection, page_id: int, *, now: datetime) -> Any:
    """A page with its host, source, run and task; None if unknown."""
    return (await db.execute(_select(now).where(pages.c.id == page_id))).one_or_none()


async def hold(db: Connection, page_id: int) -> bool:
    """Locks a page until the transaction ends; False when there is none with this id."""
    held = sa.select(pages.c.id).where(pages.c.id == page_id).with_for_update()
    return (await db.execute(held)).one_or_none() is not None


async def listed(
    db: Connection,
    wanted: PageFilter,
    *,
    sort: str = "id",
    descending: bool = True,
    limit: int,
    offset: int,
    now: datetime,
) -> Sequence[Any]:
    """One page of this list."""
    column = SORTABLE[sort]
    query = _narrowed(pages.c.id, wanted, now, with_orders=sort == "scheduled_at")
    query = query.order_by(*_order(column, descending=descending)).limit(limit).offset(offset)
    # The joined columns are read only for the pages shown, not for all that are sorted.
    chosen = list(await db.scalars(query))
    rows = {row.id: row for row in await db.execute(_select(now).where(pages.c.id.in_(chosen)))}
    return [rows[page_id] for page_id in chosen if page_id in rows]


async def ids(db: Connection, wanted: PageFilter, *, after: int, limit: int, now: datetime) -> list[int]:
    """The next ids of the pages wanted after this id, the oldest first."""
    query = _narrowed(pages.c.id, wanted, now).where(pages.c.id > after)
    return list(await db.scalars(query.order_by(pages.c.id).limit(limit)))


async def hold_many(db: Connection, wanted: PageFilter, ids: Collection[int], *, now: datetime) -> list[int]:
    """Locks those of these pages that are wanted; skips those that other transactions have locked."""
    query = _narrowed(pages.c.id, wanted, now).where(pages.c.id.in_(ids)).order_by(pages.c.id)
    return list(await db.scalars(query.with_for_update(of=pages, skip_locked=True)))


async def not_searched(db: Connection, *, host_id: int | None, source_id: int | None) -> int | None:
    """The newest page too old for a text search in its URL; None when all are searched.

    MOST_SEARCHED pages are searched: of the host, of all, or of a source that has no more. No index orders the pages of
    a source: of a larger source, only the pages among the newest of all are searched.
    """
    newest = sa.select(pages.c.id).order_by(pages.c.id.desc())
    if host_id is not None:
        newest = newest.where(pages.c.host_id == host_id)
    elif source_id is not None:
        beyond = sa.select(pages.c.source_id).where(pages.c.source_id == source_id)
        if (await db.execute(beyond.limit(1).offset(MOST_SEARCHED))).first() is None:
            return None
    too_old: int | None = await db.scalar(newest.limit(1).offset(MOST_SEARCHED))
    return too_old


async def watched_urls(db: Connection, urls: Collection[str]) -> dict[str, str]:
    """URL -> public id of its source, for those of these URLs that sources watch."""
    query = sa.select(sources.c.url, sources.c.public_id).where(sources.c.url.in_(sorted(urls)), IS_SHOWN)
    return {row.url: row.public_id for row in await db.execute(query)}


async def count(db: Connection, wanted: PageFilter, *, now: datetime) -> int:
    """Counts the pages wanted, up to MOST_COUNTED + 1."""
    bounded = _narrowed(sa.literal(1).label("one"), wanted, now).limit(MOST_COUNTED + 1)
    return await queries.count(db, bounded.subquery())


def _narrowed(
    what: sa.ColumnElement[Any], wanted: PageFilter, now: datetime, *, with_orders: bool = False
) -> sa.Select[Any]:
    """Selects the pages wanted, with only the joins it needs."""
    query = sa.select(what).select_from(pages)
    if with_orders or wanted.is_recurring is not None:
        query = query.outerjoin(page_orders, page_orders.c.page_id == pages.c.id)
    return query.where(*_conditions(wanted, now))


def _order(column: sa.ColumnElement[Any], *, descending: bool) -> list[sa.ColumnElement[Any]]:
    """By this column, NULL last, then by id."""
    number = pages.c.id.desc() if descending else pages.c.id.asc()
    if column is pages.c.id:
        return [number]
    return [(column.desc() if descending else column.asc()).nulls_last(), number]


def _select(now: datetime) -> sa.Select[Any]:
    return (
        sa.select(*_COLUMNS, _stage(now).label("stage"))
        .join(hosts, hosts.c.id == pages.c.host_id)
        .join(sources, sources.c.id == pages.c.source_id)
        .outerjoin(page_orders, page_orders.c.page_id == pages.c.id)
        .outerjoin(_PARENT, _PARENT.c.id == pages.c.found_on)
        .outerjoin(crawl_runs, crawl_runs.c.id == pages.c.run_id)
        .outerjoin(proxies, proxies.c.id == pages.c.proxy_id)
    )


def _is_due(now: datetime) -> sa.ColumnElement[bool]:
    """Whether it may be fetched now: it does not wait for a retry or a proxy."""
    return sa.or_(pages.c.due_at.is_(None), pages.c.due_at <= now)


def _is_being_fetched(now: datetime) -> sa.ColumnElement[bool]:
    """Whether the page is due and its host is leased."""
    return sa.and_(_is_due(now), pages.c.host_id.in_(sa.select(_HELD.c.id).where(_HELD.c.lease_until > now)))


def _is_read(now: datetime) -> sa.ColumnElement[bool]:
    """Whether the page is leased to be parsed."""
    return sa.and_(pages.c.lease_until.is_not(None), pages.c.lease_until > now)


def _stage(now: datetime) -> sa.ColumnElement[str]:
    in_flight = (PageStage.CRAWLING, PageStage.QUEUED, PageStage.PARSING, PageStage.QUEUED_PARSE)
    return sa.case(*((_is_in(stage, now), sa.literal(str(stage))) for stage in in_flight), else_=pages.c.phase)


def _is_in(stage: PageStage, now: datetime) -> sa.ColumnElement[bool]:
    """Whether a page is in this stage; phases are literals, so that partial indexes apply."""
    match stage:
        case PageStage.PENDING:
            return sa.and_(stands(Phase.PENDING), ~_is_being_fetched(now))
        case PageStage.QUEUED:
            return sa.and_(stands(Phase.PENDING), _is_being_fetched(now), pages.c.requested_at.is_(None))
        case PageStage.CRAWLING:
            return sa.and_(stands(Phase.PENDING), _is_being_fetched(now), pages.c.requested_at.is_not(None))
        case PageStage.DOWNLOADED:
            return sa.and_(stands(Phase.DOWNLOADED), ~_is_read(now))
        case PageStage.QUEUED_PARSE:
            return sa.and_(stands(Phase.DOWNLOADED), _is_read(now), pages.c.parsing_since.is_(None))
        case PageStage.PARSING:
            return sa.and_(stands(Phase.DOWNLOADED), _is_read(now), pages.c.parsing_since.is_not(None))
        case _:
            return pages.c.phase.in_(literal(str(stage)))


def _conditions(wanted: PageFilter, now: datetime) -> list[sa.ColumnElement[bool]]:
    deleted = sa.select(sources.c.id).where(sources.c.deleted_at.is_not(None))
    conditions: list[sa.ColumnElement[bool]] = [pages.c.source_id.not_in(deleted)]
    if wanted.stages is not None:
        conditions.append(sa.or_(*(_is_in(stage, now) for stage in wanted.stages)))
    if wanted.reasons is not None:
        conditions.append(pages.c.reason.in_(sorted(wanted.reasons)))
    if wanted.other_reasons is not None:
        others = pages.c.reason.not_in(sorted(wanted.other_reasons))
        conditions.append(sa.or_(pages.c.reason.is_(None), others))
    for column, value in ((pages.c.host_id, wanted.host_id), (pages.c.source_id, wanted.source_id)):
        if value is not None:
            conditions.append(column == value)
    if wanted.search:
        conditions.append(pages.c.url.icontains(wanted.search, autoescape=True))
    if wanted.after_id is not None:
        conditions.append(pages.c.id > wanted.after_id)
    if wanted.is_found:
        conditions.append(pages.c.found_on.is_not(None))
    if wanted.role is not None:
        conditions.append(pages.c.role.in_(literal(wanted.role)))
    if wanted.is_submitted:
        conditions.append(pages.c.id.in_(sa.select(page_orders.c.page_id)))
    for of, key in ((page_orders.c.batch_id, wanted.batch_id), (page_orders.c.parent_page_id, wanted.parent_id)):
        if key is not None:
            conditions.append(pages.c.id.in_(sa.select(page_orders.c.page_id).where(of == key)))
    if wanted.is_watched is not None:
        is_watched = pages.c.url.in_(sa.select(sources.c.url).where(IS_SHOWN))
        conditions.append(is_watched if wanted.is_watched else ~is_watched)
    if wanted.is_recurring is not None:
        is_recurring = sa.func.coalesce(page_orders.c.is_recurring, sa.false())
        conditions.append(is_recurring if wanted.is_recurring else ~is_recurring)
    return [*conditions, *_bounds(wanted)]


def _bounds(wanted: PageFilter) -> Iterator[sa.ColumnElement[bool]]:
    for column, least, most in (
        (pages.c.rank, wanted.min_rank, wanted.max_rank),
        (pages.c.created_at, wanted.created_after, wanted.created_before),
    ):
        if least is not None:
            yield column >= least
        if most is not None:
            yield column <= most
