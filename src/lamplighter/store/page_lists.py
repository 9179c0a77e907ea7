"""SQL about pages as people look at them: one by one, in lists, counted."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from lamplighter.model.page import Phase, Stage
from lamplighter.model.reading import Role
from lamplighter.store.database import Connection
from lamplighter.store.pages import in_turn, stands
from lamplighter.store.sources import IS_SHOWN
from lamplighter.store.tables import crawl_runs, hosts, page_orders, pages, proxies, sources
from lamplighter.store.types import literal

#: totals are exact up to here; beyond, counting costs more than anybody gains by it
MOST_COUNTED = 100_000
#: in so many URLs a text is looked for, those of the newest pages: no index helps with it
MOST_SEARCHED = 50_000
#: what lists may be sorted by. Pages are numbered as they are created, so their numbers stand for the times.
SORTABLE: dict[str, sa.ColumnElement[Any]] = {
    "id": pages.c.id,
    "created_at": pages.c.id,
    "priority": pages.c.rank,
    # what nobody submitted was due when it was found
    "scheduled_at": sa.func.coalesce(page_orders.c.scheduled_at, pages.c.created_at),
    # that a page was had once does not mean that it is done
    "completed_at": sa.case((pages.c.phase == Phase.COMPLETED, pages.c.fetched_at)),
    "response_time_ms": pages.c.took_ms,
    "status": pages.c.phase,
    "url": pages.c.url,
}
_PARENT = pages.alias("parent")
_NEXT = pages.alias("next")
_HELD = hosts.alias("held")
_COLUMNS = (
    pages,
    hosts.c.key.label("host"),
    sources.c.public_id.label("source_public_id"),
    sources.c.name.label("source_name"),
    sources.c.is_implicit,
    _PARENT.c.url.label("parent_url"),
    page_orders.c.page_id.label("order_id"),
    page_orders.c.frequency_seconds,
    page_orders.c.scheduled_at,
    page_orders.c.next_at,
    page_orders.c.visit_count,
    page_orders.c.created_by,
    crawl_runs.c.started_at.label("run_started_at"),
    crawl_runs.c.finished_at.label("run_finished_at"),
    proxies.c.protocol.label("proxy_protocol"),
    proxies.c.address.label("proxy_address"),
    proxies.c.port.label("proxy_port"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which pages; what is None may be anything."""

    stages: Collection[Stage] | None = None
    #: of failed pages: why, or why not
    reasons: Collection[str] | None = None
    other_reasons: Collection[str] | None = None
    host_id: int | None = None
    source_id: int | None = None
    #: somewhere in the URL, in any case
    search: str | None = None
    #: came after the page with this number
    after_id: int | None = None
    #: found on another page
    is_found: bool = False
    min_rank: int | None = None
    max_rank: int | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    #: submitted, to be visited again and again; False for all others
    is_recurring: bool | None = None
    #: what it is to its source
    role: Role | None = None
    #: somebody submitted it, or had it asked for again
    is_submitted: bool = False
    #: some source watches its URL as its own; False for all others
    is_watched: bool | None = None


async def one(db: Connection, page_id: int, *, now: datetime) -> Any:
    """A page with what surrounds it; None when there is none with this id."""
    return (await db.execute(_select(now).where(pages.c.id == page_id))).one_or_none()


async def hold(db: Connection, page_id: int) -> bool:
    """Keeps a page from being changed by others until the transaction ends; False when there is none with this id."""
    held = sa.select(pages.c.id).where(pages.c.id == page_id).with_for_update()
    return (await db.execute(held)).one_or_none() is not None


async def listed(
    db: Connection, wanted: Wanted, *, sort: str = "id", descending: bool = True, limit: int, offset: int, now: datetime
) -> Sequence[Any]:
    """A part of the pages wanted."""
    column = SORTABLE[sort]
    query = _narrowed(pages.c.id, wanted, now, with_orders=sort == "scheduled_at")
    query = query.order_by(*_order(column, descending=descending)).limit(limit).offset(offset)
    # What surrounds a page is looked up for those shown, not for all that are sorted.
    chosen = list(await db.scalars(query))
    rows = {row.id: row for row in await db.execute(_select(now).where(pages.c.id.in_(chosen)))}
    return [rows[page_id] for page_id in chosen if page_id in rows]


async def ids(db: Connection, wanted: Wanted, *, after: int, limit: int, now: datetime) -> list[int]:
    """The first of the pages wanted whose numbers come after this one, the oldest first."""
    query = _narrowed(pages.c.id, wanted, now).where(pages.c.id > after)
    return list(await db.scalars(query.order_by(pages.c.id).limit(limit)))


async def hold_many(db: Connection, wanted: Wanted, ids: Collection[int], *, now: datetime) -> list[int]:
    """Those of these pages that are wanted, kept from being changed by others; without those that others hold."""
    query = _narrowed(pages.c.id, wanted, now).where(pages.c.id.in_(ids)).order_by(pages.c.id)
    return list(await db.scalars(query.with_for_update(of=pages, skip_locked=True)))


async def not_searched(db: Connection, *, host_id: int | None, source_id: int | None) -> int | None:
    """The newest page too old to be looked at for a text in its URL; None when the text is looked for in all.

    MOST_SEARCHED are looked at: of the host, of all, or a whole source that has no more. The pages of a source stand in
    no order of their own: of a greater one, those are looked at that are among the newest of all.
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
    """Those of these URLs that a source watches as its own, with that source's public id."""
    query = sa.select(sources.c.url, sources.c.public_id).where(sources.c.url.in_(sorted(urls)), IS_SHOWN)
    return {row.url: row.public_id for row in await db.execute(query)}


async def count(db: Connection, wanted: Wanted, *, now: datetime) -> int:
    """How many pages are wanted; MOST_COUNTED + 1 when they are more than that."""
    bounded = _narrowed(sa.literal(1).label("one"), wanted, now).limit(MOST_COUNTED + 1).subquery()
    return int(await db.scalar(sa.select(sa.func.count()).select_from(bounded)))


def _narrowed(
    what: sa.ColumnElement[Any], wanted: Wanted, now: datetime, *, with_orders: bool = False
) -> sa.Select[Any]:
    """The pages wanted, joined with nothing that has no say in it."""
    query = sa.select(what).select_from(pages)
    if with_orders or wanted.is_recurring is not None:
        query = query.outerjoin(page_orders, page_orders.c.page_id == pages.c.id)
    return query.where(*_conditions(wanted, now))


def _order(column: sa.ColumnElement[Any], *, descending: bool) -> list[sa.ColumnElement[Any]]:
    """By this column, what has none last, then by number."""
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


_COMES_FIRST = pages.c.id == (
    sa.select(_NEXT.c.id)
    .where(_NEXT.c.host_id == pages.c.host_id, stands(Phase.PENDING, _NEXT))
    .order_by(*in_turn(_NEXT))
    .limit(1)
    .scalar_subquery()
)


def _is_asked(now: datetime) -> sa.ColumnElement[bool]:
    """Whether a worker holds the page's host."""
    return pages.c.host_id.in_(sa.select(_HELD.c.id).where(_HELD.c.lease_until > now))


def _is_read(now: datetime) -> sa.ColumnElement[bool]:
    """Whether a worker holds the page itself, to read it."""
    return sa.and_(pages.c.lease_until.is_not(None), pages.c.lease_until > now)


def _stage(now: datetime) -> sa.ColumnElement[str]:
    in_flight = (Stage.CRAWLING, Stage.QUEUED, Stage.PARSING)
    return sa.case(*((_is_in(stage, now), sa.literal(str(stage))) for stage in in_flight), else_=pages.c.phase)


def _is_in(stage: Stage, now: datetime) -> sa.ColumnElement[bool]:
    """Whether a page stands there; the phases stand in the statement, so that partial indexes apply."""
    match stage:
        case Stage.PENDING:
            return sa.and_(stands(Phase.PENDING), ~_is_asked(now))
        case Stage.QUEUED:
            return sa.and_(stands(Phase.PENDING), _is_asked(now), ~_COMES_FIRST)
        case Stage.CRAWLING:
            return sa.and_(stands(Phase.PENDING), _is_asked(now), _COMES_FIRST)
        case Stage.DOWNLOADED:
            return sa.and_(stands(Phase.DOWNLOADED), ~_is_read(now))
        case Stage.PARSING:
            return sa.and_(stands(Phase.DOWNLOADED), _is_read(now))
        case _:
            return pages.c.phase.in_(literal(str(stage)))


def _conditions(wanted: Wanted, now: datetime) -> list[sa.ColumnElement[bool]]:
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
    if wanted.is_watched is not None:
        is_watched = pages.c.url.in_(sa.select(sources.c.url).where(IS_SHOWN))
        conditions.append(is_watched if wanted.is_watched else ~is_watched)
    if wanted.is_recurring is not None:
        is_recurring = page_orders.c.frequency_seconds.is_not(None)
        conditions.append(is_recurring if wanted.is_recurring else ~is_recurring)
    return conditions + _bounds(wanted)


def _bounds(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    given: list[tuple[sa.ColumnElement[Any], Any, Literal["least", "most"]]] = [
        (pages.c.rank, wanted.min_rank, "least"),
        (pages.c.rank, wanted.max_rank, "most"),
        (pages.c.created_at, wanted.created_after, "least"),
        (pages.c.created_at, wanted.created_before, "most"),
    ]
    return [
        column >= value if which == "least" else column <= value for column, value, which in given if value is not None
    ]
