"""SQL about hosts that something is wrong with: left alone, without a robots.txt, short of proxies."""

from collections.abc import Sequence

import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.host import RobotsState
from lamplighter.model.watch_figures import DEFAULT_POOL, BrokenHost, ExitTotals, HostExits, LostRobots
from lamplighter.store.database import Connection
from lamplighter.store.tables import crawl_jobs, hosts, proxies, proxy_standings, robots_files, sources
from lamplighter.store.types import UtcTime, literal

#: a source is watched from there: nobody has put it aside
_IS_WATCHED = sa.and_(
    crawl_jobs.c.state.not_in([JobState.CANCELLED, JobState.COMPLETED, JobState.FAILED]),
    crawl_jobs.c.deleted_at.is_(None),
    sa.func.coalesce(crawl_jobs.c.pause_reason, "").not_in(
        [PauseReason.USER, PauseReason.SOURCE_DISABLED, PauseReason.TAKEDOWN, PauseReason.TASKS]
    ),
    sources.c.enabled,
    sources.c.deleted_at.is_(None),
)
_WATCHED = crawl_jobs.join(sources, sources.c.id == crawl_jobs.c.source_id)
#: one that has rested after failures is not known to work before somebody has tried it
_WORKS = sa.and_(proxies.c.enabled, proxies.c.quarantined_until.is_(None))
#: in the words of ix_hosts_exits
_IS_PROXIED = hosts.c.proxy_mode.in_(literal("only", "prefer"))


async def broken(db: Connection, *, breaker_at: int, limit: int) -> list[BrokenHost]:
    """Hosts with sources that have failed so often in a row that they are left alone; until they answer again."""
    count = sa.select(sa.func.count()).select_from(_WATCHED)
    watched = count.where(crawl_jobs.c.host_id == hosts.c.id, _IS_WATCHED).correlate(hosts).scalar_subquery()
    left_alone = sa.and_(hosts.c.blocked_until.is_not(None), hosts.c.failure_count >= breaker_at, hosts.c.enabled)
    columns = (hosts.c.key, hosts.c.failure_count, hosts.c.block_reason, watched.label("sources"))
    # Ordered as their index is, so that it is used.
    found = sa.select(*columns).where(left_alone, watched > 0).order_by(hosts.c.blocked_until, hosts.c.id)
    rows = await db.execute(found.limit(limit))
    return [BrokenHost._make(row) for row in rows]


async def lost_robots(db: Connection, *, limit: int) -> list[LostRobots]:
    """The robots.txt files that could not be had, of hosts that may be asked and have sources.

    A run that begins when what is known of a robots.txt has expired asks for it anew. So one that no source's latest
    run has left behind is asked for by nobody any more, as that of http:// when all sources have moved to https://.
    """
    columns = [robots_files.c[name] for name in ("origin", "detail", "fetched_at", "expires_at")]
    lost = sa.select(*columns).where(robots_files.c.state.in_(literal(RobotsState.UNREACHABLE))).subquery()
    on_host = sa.and_(crawl_jobs.c.host_id == hosts.c.id, _IS_WATCHED)
    count = sa.select(sa.func.count()).select_from(_WATCHED).where(on_host).correlate(hosts).scalar_subquery()
    looked_at = sa.func.coalesce(crawl_jobs.c.last_run_at, crawl_jobs.c.created_at, type_=UtcTime)
    is_asked_for = sa.select(1).select_from(_WATCHED).where(on_host, looked_at <= lost.c.expires_at)
    key = sa.func.replace(sa.func.replace(lost.c.origin, "https://", ""), "http://", "")
    query = (
        sa.select(lost.c.origin, hosts.c.key, lost.c.detail, lost.c.fetched_at, count.label("sources"))
        .select_from(lost.join(hosts, hosts.c.key == key))
        .where(hosts.c.enabled, is_asked_for.correlate(hosts, lost).exists())
    )
    return [LostRobots._make(row) for row in await db.execute(query.order_by(lost.c.origin).limit(limit))]


async def exits(db: Connection, *, fewer_than: int, limit: int) -> list[HostExits]:
    """Hosts with proxies of their own, fewer than so many of which work; the pool for all, when it has fewer; and the
    hosts that are to be asked through it, when it has fewer for them. Hosts to which nobody ever gave proxies are not
    among them: the pool stands for these."""
    works = sa.and_(_WORKS, proxy_standings.c.enabled, proxy_standings.c.quarantined_until.is_(None))
    fits = sa.or_(hosts.c.proxy_country.is_(None), proxies.c.country_code == hosts.c.proxy_country)
    working = sa.func.sum(sa.case((sa.and_(works, fits), 1), else_=0))
    own = (
        sa.select(hosts.c.key, working.label("working"), sa.func.count().label("known"))
        .select_from(proxy_standings.join(hosts, hosts.c.id == proxy_standings.c.host_id))
        .join(proxies, proxies.c.id == proxy_standings.c.proxy_id)
        .where(hosts.c.enabled, sa.func.coalesce(hosts.c.proxy_mode, "") != "never")
        .group_by(hosts.c.id, hosts.c.key)
        .having(working < fewer_than)
    )
    rows = (await db.execute(own.order_by(hosts.c.key).limit(limit))).all()
    return [
        *(HostExits(row.key, int(row.working), row.known) for row in rows),
        *await _pool(db, fewer_than),
        *await _of_pool(db, fewer_than, limit),
    ]


async def _pool(db: Connection, fewer_than: int) -> Sequence[HostExits]:
    """The proxies of hosts without any of their own; whoever names but one or two is not short while these work."""
    working = sa.func.coalesce(sa.func.sum(sa.case((_WORKS, 1), else_=0)), 0)
    pool = sa.select(working.label("working"), sa.func.count().label("known")).where(proxies.c.in_default_pool)
    row = (await db.execute(pool)).one()
    is_short = row.working < min(fewer_than, row.known)
    return [HostExits(DEFAULT_POOL, int(row.working), row.known)] if is_short else []


async def _of_pool(db: Connection, fewer_than: int, limit: int) -> Sequence[HostExits]:
    """Hosts that are to be asked through proxies and have none of their own."""
    fits = sa.or_(hosts.c.proxy_country.is_(None), proxies.c.country_code == hosts.c.proxy_country)
    pool = sa.select(sa.func.count()).select_from(proxies).where(proxies.c.in_default_pool, fits).correlate(hosts)
    known, working = pool.scalar_subquery(), pool.where(_WORKS).scalar_subquery()
    has_own = sa.exists().where(proxy_standings.c.host_id == hosts.c.id)
    short = sa.select(hosts.c.key, working.label("working"), known.label("known")).where(
        _IS_PROXIED, hosts.c.enabled, ~has_own, working < fewer_than
    )
    return [HostExits._make(row) for row in await db.execute(short.order_by(hosts.c.id).limit(limit))]


async def exit_totals(db: Connection) -> list[ExitTotals]:
    """Requests through the proxies of each host, ever, and through the pool for all; hosts without any are left out."""
    totals = {"succeeded": proxy_standings.c.success_total, "failed": proxy_standings.c.failure_total}
    sums = [sa.func.sum(column).label(name) for name, column in totals.items()]
    query = (
        sa.select(hosts.c.key, *sums)
        .select_from(proxy_standings.join(hosts, hosts.c.id == proxy_standings.c.host_id))
        .where(proxy_standings.c.last_used_at.is_not(None))
        .group_by(hosts.c.id, hosts.c.key)
    )
    through_pool = [sa.func.sum(proxies.c[column.name]).label(name) for name, column in totals.items()]
    used = sa.and_(proxies.c.in_default_pool, proxies.c.last_used_at.is_not(None))
    pool = sa.select(sa.literal(DEFAULT_POOL).label("key"), *through_pool).where(used).having(sa.func.count() > 0)
    rows = [*await db.execute(query), *await db.execute(pool)]
    return [ExitTotals(row.key, int(row.succeeded), int(row.failed)) for row in rows]
