"""SQL about hosts with problems: blocked, without a robots.txt, short of proxies."""

from collections.abc import Sequence

import sqlalchemy as sa

from lamplighter.model.alert_figures import DEFAULT_POOL, BrokenHost, HostProxies, LostRobots, ProxyTotals
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.host import RobotsState
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_jobs, hosts, proxies, proxy_standings, robots_files, sources
from lamplighter.store.schema.types import UtcTime, literal

#: its source is crawled: no operator has disabled, paused or deleted it
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
#: a proxy after a quarantine counts as working only when a request has succeeded
_WORKS = sa.and_(proxies.c.enabled, proxies.c.quarantined_until.is_(None))
#: the condition of ix_hosts_exits, word for word
_IS_PROXIED = hosts.c.proxy_mode.in_(literal("only", "prefer"))


async def broken(db: Connection, *, breaker_at: int, limit: int) -> list[BrokenHost]:
    """Hosts with sources that are blocked after so many failures in a row, until they respond again."""
    count = sa.select(sa.func.count()).select_from(_WATCHED)
    watched = count.where(crawl_jobs.c.host_id == hosts.c.id, _IS_WATCHED).correlate(hosts).scalar_subquery()
    left_alone = sa.and_(hosts.c.blocked_until.is_not(None), hosts.c.failure_count >= breaker_at, hosts.c.enabled)
    columns = (hosts.c.key, hosts.c.failure_count, hosts.c.block_reason, watched.label("sources"))
    # In the order of their index, so that it is used.
    found = sa.select(*columns).where(left_alone, watched > 0).order_by(hosts.c.blocked_until, hosts.c.id)
    rows = await db.execute(found.limit(limit))
    return [BrokenHost._make(row) for row in rows]


async def lost_robots(db: Connection, *, limit: int) -> list[LostRobots]:
    """The robots.txt files that could not be fetched, of enabled hosts with sources.

    A run that begins after a robots.txt has expired fetches it again. So a file that expired before the latest run of
    every source is no longer in use, such as that of http:// when all sources have moved to https://.
    """
    columns = [robots_files.c[name] for name in ("origin", "detail", "fetched_at", "expires_at")]
    lost = sa.select(*columns).where(robots_files.c.state.in_(literal(RobotsState.UNREACHABLE))).subquery()
    on_host = sa.and_(crawl_jobs.c.host_id == hosts.c.id, _IS_WATCHED)
    count = sa.select(sa.func.count()).select_from(_WATCHED).where(on_host).correlate(hosts).scalar_subquery()
    looked_at = sa.func.coalesce(crawl_jobs.c.last_run_at, crawl_jobs.c.created_at, type_=UtcTime)
    is_needed = sa.select(1).select_from(_WATCHED).where(on_host, looked_at <= lost.c.expires_at)
    key = sa.func.replace(sa.func.replace(lost.c.origin, "https://", ""), "http://", "")
    query = (
        sa.select(lost.c.origin, hosts.c.key, lost.c.detail, lost.c.fetched_at, count.label("sources"))
        .select_from(lost.join(hosts, hosts.c.key == key))
        .where(hosts.c.enabled, is_needed.correlate(hosts, lost).exists())
    )
    return [LostRobots._make(row) for row in await db.execute(query.order_by(lost.c.origin).limit(limit))]


async def short_of_proxies(db: Connection, *, fewer_than: int, limit: int) -> list[HostProxies]:
    """Hosts with fewer than so many working proxies of their own; the default pool, when it has fewer; and hosts set
    to use the pool, when it has fewer for them. Other hosts without proxies are left out: the pool represents them."""
    works = sa.and_(_WORKS, proxy_standings.c.enabled, proxy_standings.c.quarantined_until.is_(None))
    fits = sa.or_(hosts.c.proxy_country.is_(None), proxies.c.country_code == hosts.c.proxy_country)
    working = queries.count_if(sa.and_(works, fits))
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
        *(HostProxies(row.key, int(row.working), row.known) for row in rows),
        *await _pool(db, fewer_than),
        *await _of_pool(db, fewer_than, limit),
    ]


async def _pool(db: Connection, fewer_than: int) -> Sequence[HostProxies]:
    """The default pool if it is short; a pool of only one or two proxies is not short while these work."""
    working = sa.func.coalesce(queries.count_if(_WORKS), 0)
    pool = sa.select(working.label("working"), sa.func.count().label("known")).where(proxies.c.in_default_pool)
    row = (await db.execute(pool)).one()
    is_short = row.working < min(fewer_than, row.known)
    return [HostProxies(DEFAULT_POOL, int(row.working), row.known)] if is_short else []


async def _of_pool(db: Connection, fewer_than: int, limit: int) -> Sequence[HostProxies]:
    """Hosts set to use proxies, with none of their own and a short pool."""
    fits = sa.or_(hosts.c.proxy_country.is_(None), proxies.c.country_code == hosts.c.proxy_country)
    pool = sa.select(sa.func.count()).select_from(proxies).where(proxies.c.in_default_pool, fits).correlate(hosts)
    known, working = pool.scalar_subquery(), pool.where(_WORKS).scalar_subquery()
    has_own = sa.exists().where(proxy_standings.c.host_id == hosts.c.id)
    short = sa.select(hosts.c.key, working.label("working"), known.label("known")).where(
        _IS_PROXIED, hosts.c.enabled, ~has_own, working < fewer_than
    )
    return [HostProxies._make(row) for row in await db.execute(short.order_by(hosts.c.id).limit(limit))]


async def proxy_totals(db: Connection) -> list[ProxyTotals]:
    """All requests so far through the proxies of each host and through the default pool; without unused ones."""
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
    return [ProxyTotals(row.key, int(row.succeeded), int(row.failed)) for row in rows]
