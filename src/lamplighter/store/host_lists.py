"""SQL about hosts as operators look at them: one by one, in lists, switched on and off."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.reading import Role
from lamplighter.store.database import Connection
from lamplighter.store.pages import OPEN_PHASES, in_frontier
from lamplighter.store.tables import crawl_jobs, crawl_runs, hosts, pages, sources
from lamplighter.store.types import literal
from lamplighter.store.window_lists import says

#: what lists may be sorted by
SORTABLE = {"host": hosts.c.key, "updated_at": hosts.c.updated_at, "min_request_interval_ms": hosts.c.min_delay_ms}
#: waiting pages of one host that are counted; beyond, the number tells nobody more
MOST_WAITING = 1_000


class HostState(StrEnum):
    """How it stands with a host, as far as lists tell them apart."""

    BLOCKED = "blocked"  # left alone until some time
    FAILING = "failing"  # its last requests failed
    SLOWED = "slowed"  # it asked us to slow down
    DISABLED = "disabled"  # an operator says: not at all
    OWN = "own"  # an operator set something for it


class LastAnswer(NamedTuple):
    """What came of asking for one of the start pages on a host."""

    url: str
    fetched_at: datetime
    status: int | None
    took_ms: int | None
    #: why there is no answer; None when there is
    detail: str | None


async def by_key(db: Connection, key: str) -> Any:
    """The host's row; None when we have not met it."""
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
    """Hosts whose names contain `search`, one page of them, and how many there are; `state` needs `now`."""
    matching = hosts.c.key.contains(search.lower(), autoescape=True) if search else sa.true()
    if state is not None:
        matching = sa.and_(matching, _is_in(state, now))
    column = SORTABLE[sort]
    order = (column.desc() if descending else column, hosts.c.id)
    rows = await db.execute(sa.select(hosts).where(matching).order_by(*order).limit(limit).offset(offset))
    total = await db.scalar(sa.select(sa.func.count()).select_from(hosts).where(matching))
    return rows.all(), int(total)


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
    """How many pages of each of these hosts wait to be asked for; MOST_WAITING + 1 when they are more than that."""
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


async def last_answers(db: Connection, host_ids: Iterable[int]) -> dict[int, LastAnswer]:
    """The latest that came of asking for start pages on each of these hosts."""
    latest_first = sa.func.row_number().over(partition_by=crawl_jobs.c.host_id, order_by=pages.c.fetched_at.desc())
    columns = [pages.c[name] for name in LastAnswer._fields]
    is_start = sa.and_(pages.c.source_id == crawl_jobs.c.source_id, pages.c.role.in_(literal(Role.SEED)))
    ranked = (
        sa.select(crawl_jobs.c.host_id, latest_first.label("place"), *columns)
        .select_from(crawl_jobs.join(pages, is_start))
        .where(crawl_jobs.c.host_id.in_(sorted(host_ids)), pages.c.fetched_at.is_not(None))
        .subquery()
    )
    rows = await db.execute(sa.select(ranked).where(ranked.c.place == 1))
    return {row.host_id: LastAnswer(*(getattr(row, name) for name in LastAnswer._fields)) for row in rows}


async def start_pages(db: Connection, host_id: int, *, limit: int) -> Sequence[Any]:
    """Sources that start on this host, with how their job stands; those that run next first."""
    columns = (
        *(sources.c.public_id, sources.c.name, sources.c.url),
        *(crawl_jobs.c.state, crawl_jobs.c.pause_reason, crawl_jobs.c.next_run_at),
    )
    query = sa.select(*columns).join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
    shown = query.where(crawl_jobs.c.host_id == host_id, sources.c.deleted_at.is_(None), ~sources.c.is_implicit)
    order = (crawl_jobs.c.next_run_at.is_(None), crawl_jobs.c.next_run_at, sources.c.id)
    return (await db.execute(shown.order_by(*order).limit(limit))).all()


async def change(db: Connection, host_id: int, *, now: datetime, **values: Any) -> None:
    """Changes what the operator says of a host."""
    await db.execute(sa.update(hosts).where(hosts.c.id == host_id).values(updated_at=now, **values))


async def give_time(db: Connection, host_id: int, *, deadline_at: datetime) -> None:
    """Lets runs that have pages to ask of this host go on until then at least."""
    waiting = sa.and_(in_frontier(host_id), pages.c.phase.in_(OPEN_PHASES))
    sooner = sa.and_(crawl_runs.c.finished_at.is_(None), crawl_runs.c.deadline_at < deadline_at)
    waits = sa.exists().where(pages.c.run_id == crawl_runs.c.id, waiting)
    await db.execute(sa.update(crawl_runs).where(sooner, waits).values(deadline_at=deadline_at))


async def start_url(db: Connection, host_id: int) -> str | None:
    """A URL on this host from which somebody has us start; None when there is none."""
    query = sa.select(sources.c.url).join(crawl_jobs, crawl_jobs.c.source_id == sources.c.id)
    found: str | None = await db.scalar(query.where(crawl_jobs.c.host_id == host_id).order_by(sources.c.id).limit(1))
    return found
