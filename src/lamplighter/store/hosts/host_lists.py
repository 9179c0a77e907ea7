"""SQL about lists of hosts for operators: states, waiting pages, sources, request rates."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.model.reading import PageRole
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages.pages import OPEN_PHASES, in_frontier
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, hosts, pages, sources
from lamplighter.store.schema.types import literal
from lamplighter.store.sources.window_lists import says

_HOUR = timedelta(hours=1)
_WATCHED = (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING)
#: what lists may be sorted by
SORTABLE = {"host": hosts.c.key, "updated_at": hosts.c.updated_at, "min_request_interval_ms": hosts.c.min_delay_ms}
#: waiting pages of one host are counted up to here
MOST_WAITING = 1_000


class HostState(StrEnum):
    """The state of a host, as far as lists filter by it."""

    BLOCKED = "blocked"  # no requests until some time
    FAILING = "failing"  # its last requests failed
    SLOWED = "slowed"  # it asked us to slow down
    DISABLED = "disabled"  # an operator disabled it
    OWN = "own"  # an operator set something for it


class LastResponse(NamedTuple):
    """The result of fetching one of the start pages on a host."""

    url: str
    fetched_at: datetime
    status: int | None
    took_ms: int | None
    #: why there is no response; None when there is
    detail: str | None


async def by_key(db: Connection, key: str) -> Any:
    """The host's row; None when it is unknown."""
    return (await db.execute(sa.select(hosts).where(hosts.c.key == key))).one_or_none()


async def listed(
    db: Connection,
    *,
    search: str | None,
    sort: str,
    descending: bool,
    limit: int,
    offset: int,
    state: HostState | None = None,
    now: datetime | None = None,
) -> tuple[Sequence[Any], int]:
    """One page of the hosts whose names contain `search`, and how many there are; `state` needs `now`."""
    query = sa.select(hosts)
    if search:
        query = query.where(hosts.c.key.contains(search.lower(), autoescape=True))
    if state is not None:
        query = query.where(_is_in(state, now))
    order = SORTABLE[sort].desc() if descending else SORTABLE[sort]
    return await queries.page(db, query.order_by(order, hosts.c.id), limit=limit, offset=offset)


_OWN = (
    *("max_concurrency", "min_delay_ms", "max_pages", "max_page_kb", "allow_js", "user_agent"),
    *("proxy_mode", "proxy_country", "budget_per_hour"),
)


def _is_in(state: HostState, now: datetime | None) -> sa.ColumnElement[bool]:
    match state:
        case HostState.BLOCKED:
            return hosts.c.blocked_until > now
        case HostState.FAILING:
            return hosts.c.failure_count > 0
        case HostState.SLOWED:
            return hosts.c.learnt_delay_ms > 0
        case HostState.DISABLED:
            return ~hosts.c.enabled
        case HostState.OWN:
            return sa.or_(says(hosts.c.windows), *(hosts.c[name].is_not(None) for name in _OWN))


async def waiting(db: Connection, host_ids: Iterable[int]) -> dict[int, int]:
    """How many pages of each of these hosts wait to be fetched; MOST_WAITING + 1 when they are more than that."""
    some = sa.select(pages.c.id).where(in_frontier(hosts.c.id)).correlate(hosts).limit(MOST_WAITING + 1).subquery()
    count = sa.select(sa.func.count()).select_from(some).scalar_subquery()
    rows = await db.execute(sa.select(hosts.c.id, count.label("pages")).where(hosts.c.id.in_(sorted(host_ids))))
    return {row.id: int(row.pages) for row in rows}


async def source_counts(db: Connection, host_ids: Iterable[int]) -> dict[int, int]:
    """How many sources start on each of these hosts."""
    mine = crawl_jobs.c.host_id.in_(sorted(host_ids))
    watched = sa.and_(crawl_jobs.c.deleted_at.is_(None), mine)
    query = sa.select(crawl_jobs.c.host_id, sa.func.count().label("known")).where(watched)
    return {row.host_id: int(row.known) for row in await db.execute(query.group_by(crawl_jobs.c.host_id))}


async def last_responses(db: Connection, host_ids: Iterable[int]) -> dict[int, LastResponse]:
    """The latest result of fetching start pages on each of these hosts."""
    latest_first = sa.func.row_number().over(partition_by=crawl_jobs.c.host_id, order_by=pages.c.fetched_at.desc())
    columns = [pages.c[name] for name in LastResponse._fields]
    is_start = sa.and_(pages.c.source_id == crawl_jobs.c.source_id, pages.c.role.in_(literal(PageRole.SEED)))
    ranked = (
        sa.select(crawl_jobs.c.host_id, latest_first.label("place"), *columns)
        .select_from(crawl_jobs.join(pages, is_start))
        .where(crawl_jobs.c.host_id.in_(sorted(host_ids)), pages.c.fetched_at.is_not(None))
        .subquery()
    )
    rows = await db.execute(sa.select(ranked).where(ranked.c.place == 1))
    return {row.host_id: LastResponse(*(getattr(row, name) for name in LastResponse._fields)) for row in rows}


async def start_pages(db: Connection, host_id: int, *, limit: int) -> Sequence[Any]:
    """Sources that start on this host, with the state of their job; those that run next first."""
    columns = (
        *(sources.c.id, sources.c.public_id, sources.c.name, sources.c.url),
        *(crawl_jobs.c.state, crawl_jobs.c.pause_reason, crawl_jobs.c.next_run_at),
    )
    query = sa.select(*columns).join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
    shown = query.where(crawl_jobs.c.host_id == host_id, sources.c.deleted_at.is_(None), ~sources.c.is_implicit)
    order = (crawl_jobs.c.next_run_at.is_(None), crawl_jobs.c.next_run_at, sources.c.id)
    return (await db.execute(shown.order_by(*order).limit(limit))).all()


async def give_time(db: Connection, host_id: int, *, deadline_at: datetime) -> None:
    """Extends the deadline of runs that have pages to fetch from this host."""
    waiting = sa.and_(in_frontier(host_id), pages.c.phase.in_(OPEN_PHASES))
    sooner = sa.and_(crawl_runs.c.finished_at.is_(None), crawl_runs.c.deadline_at < deadline_at)
    waits = sa.exists().where(pages.c.run_id == crawl_runs.c.id, waiting)
    await db.execute(sa.update(crawl_runs).where(sooner, waits).values(deadline_at=deadline_at))


async def start_url(db: Connection, host_id: int) -> str | None:
    """The start URL of a source on this host; None when there is none."""
    query = sa.select(sources.c.url).join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
    found: str | None = await db.scalar(query.where(crawl_jobs.c.host_id == host_id).order_by(sources.c.id).limit(1))
    return found


async def requests_per_hour(
    db: Connection, host_ids: Collection[int], *, since: datetime, until: datetime
) -> dict[int, float]:
    """Requests per hour to each of these hosts, by the runs that began in this period."""
    requests = crawl_runs.c.pages_fetched + crawl_runs.c.pages_unchanged + crawl_runs.c.pages_failed
    # Tasks belong to their host's implicit source, whose job has no host.
    whose = sa.or_(crawl_jobs.c.host_id == hosts.c.id, crawl_jobs.c.source_id == hosts.c.task_source_id)
    query = (
        sa.select(hosts.c.id, sa.func.sum(requests).label("requests"))
        .select_from(hosts.join(crawl_jobs, whose).join(crawl_runs, crawl_runs.c.source_id == crawl_jobs.c.source_id))
        .where(hosts.c.id.in_(sorted(host_ids)), crawl_runs.c.started_at >= since, crawl_runs.c.started_at < until)
        .group_by(hosts.c.id)
    )
    hours = (until - since) / _HOUR
    return {row.id: float(row.requests or 0) / hours for row in await db.execute(query)}


async def planned_per_hour(db: Connection, host_ids: Collection[int]) -> dict[int, float]:
    """Requests per hour to each of these hosts, by the current pace of its recurring jobs."""
    pace = sa.func.coalesce(crawl_jobs.c.pace_seconds, crawl_jobs.c.interval_seconds)
    rate = crawl_jobs.c.cost * _HOUR.total_seconds() / sa.func.nullif(pace, 0)
    is_watched = sa.and_(crawl_jobs.c.recurring, crawl_jobs.c.state.in_(_WATCHED))
    query = sa.select(crawl_jobs.c.host_id, sa.func.sum(rate).label("rate"))
    mine = query.where(crawl_jobs.c.host_id.in_(sorted(host_ids)), is_watched).group_by(crawl_jobs.c.host_id)
    return {row.host_id: float(row.rate or 0) for row in await db.execute(mine)}
