"""SQL about hosts: policies, leases, learnt delays and failures."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.host import Host, HostChange, HostPolicy
from lamplighter.model.proxy import ProxyMode
from lamplighter.store.engine import queries
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.pages.pages import in_frontier
from lamplighter.store.schema.tables import hosts, pages, proxies, proxy_standings, takedowns


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A host that we have leased."""

    host: Host
    #: end of the previous holder's lease if it did not give the host back; None if it did
    abandoned_until: datetime | None


class CurrentRules(NamedTuple):
    """What an operator may have changed since the last request to a host."""

    policy: HostPolicy
    #: number of takedowns, and time of the newest
    takedowns: tuple[int, datetime | None]
    #: whether it has proxies of its own, or there is a default pool
    has_proxies: bool


class HostDemand(NamedTuple):
    """Hosts that have pages to fetch."""

    #: due and not leased
    waiting: int
    #: of those, how many have been due for too long
    overdue: int
    #: leased to a worker
    leased: int


_IDS = sa.select(hosts.c.key, hosts.c.id).where(Among(hosts.c.key, "keys"))
_BY_KEY = sa.select(hosts).where(hosts.c.key == sa.bindparam("host_key"))
_WAKE = (
    sa.update(hosts)
    .where(Among(hosts.c.id, "ids"))
    .where(sa.or_(hosts.c.due_at.is_(None), hosts.c.due_at > sa.bindparam("now")))
    .values(due_at=sa.bindparam("now"))
)
_HOLD_WOKEN = (
    sa.select(hosts.c.id)
    .where(Among(hosts.c.id, "ids"))
    .order_by(hosts.c.id)
    .with_for_update(read=True, key_share=True)
)
_IS_MINE = sa.and_(hosts.c.id == sa.bindparam("host"), hosts.c.lease_token == sa.bindparam("token"))
_LOCK_MINE = sa.select(hosts.c.proxy_wait_until).where(_IS_MINE).with_for_update()
_RELEASE = (
    sa.update(hosts)
    .where(_IS_MINE)
    .values(lease_owner=None, lease_until=None, free_at=sa.bindparam("free"), due_at=sa.bindparam("due"))
)
# A host given back meanwhile keeps its token until a worker leases it: its ended lease must not be renewed.
_RENEW = sa.update(hosts).where(_IS_MINE, hosts.c.lease_until.is_not(None)).values(lease_until=sa.bindparam("until"))
_PENDING = in_frontier(sa.bindparam("host"))
_READY = (
    sa.select(pages.c.id)
    .where(_PENDING, sa.or_(pages.c.due_at.is_(None), pages.c.due_at <= sa.bindparam("now")))
    .limit(sa.literal_column("1"))
)
_FIRST_DUE = sa.select(pages.c.due_at).where(_PENDING).order_by(pages.c.due_at).limit(sa.literal_column("1"))
_TOKENS = (
    sa.select(hosts.c.id, hosts.c.lease_token)
    .where(Among(hosts.c.id, "ids"))
    .order_by(hosts.c.id)
    .with_for_update(read=True)
)
_LEARNT = ("learnt_delay_ms", "failure_count", "blocked_until", "block_reason", "updated_at")
_SAVE_LEARNT = (
    sa.update(hosts)
    .where(hosts.c.id == sa.bindparam("host"))
    .values({name: sa.bindparam(f"new_{name}") for name in _LEARNT})
)
_SAVE_CRAWL_DELAY = (
    sa.update(hosts).where(hosts.c.id == sa.bindparam("host")).values(crawl_delay_ms=sa.bindparam("delay"))
)


_TAKEDOWNS = (sa.func.count(), sa.func.max(takedowns.c.created_at))
_CURRENT = sa.select(
    hosts,
    *(
        sa.select(value).select_from(takedowns).scalar_subquery().label(name)
        for name, value in zip(("takedown_count", "takedown_at"), _TAKEDOWNS, strict=True)
    ),
    sa.or_(
        sa.exists().where(proxy_standings.c.host_id == hosts.c.id),
        sa.exists().where(proxies.c.in_default_pool),
    ).label("has_proxies"),
).where(Among(hosts.c.id, "ids"))


async def current_rules(db: Connection, ids: Sequence[int], *, defaults: HostPolicy) -> dict[int, CurrentRules]:
    """The policies of these hosts, whether they have proxies and whether there are new takedowns."""
    return {
        row.id: CurrentRules(
            host_of(row, defaults).policy, (row.takedown_count, row.takedown_at), bool(row.has_proxies)
        )
        for row in await db.execute(_CURRENT, {"ids": ids})
    }


async def ensure(db: Connection, keys: Iterable[str], *, now: datetime) -> dict[str, int]:
    """The ids of these hosts; adds those that are new."""
    wanted = sorted(set(keys))
    known = await _ids(db, wanted)
    new = [key for key in wanted if key not in known]
    if new:
        statement = insert(db, hosts).on_conflict_do_nothing(index_elements=["key"])
        await db.execute(statement, [{"key": key, "updated_at": now} for key in new])
        known |= await _ids(db, new)
    return known


async def _ids(db: Connection, keys: Sequence[str]) -> dict[str, int]:
    return {row.key: row.id for row in await db.execute(_IDS, {"keys": keys})}


async def get(db: Connection, key: str, *, defaults: HostPolicy) -> Host | None:
    """The host with this key; None when it is unknown."""
    return await queries.one(db, _BY_KEY, lambda row: host_of(row, defaults), {"host_key": key})


async def set_policy(db: Connection, key: str, change: HostChange, *, now: datetime) -> None:
    """Changes the host policy: delay, limits, windows, budget."""
    await ensure(db, [key], now=now)
    await db.execute(sa.update(hosts).where(hosts.c.key == key).values({**change.columns(), "updated_at": now}))
    signal(Signal.HOSTS, Signal.JOBS)


async def wake(db: Connection, host_ids: Iterable[int], *, now: datetime) -> None:
    """Makes these hosts due now; call it after their pages were made pending."""
    wanted = sorted(host_ids)
    if db.dialect.name != "sqlite":
        # A worker that gives a host back meanwhile must see our pages, or we must see that it gave the host back.
        # The UPDATE alone would not wait for that worker: a host that is being fetched is due already.
        await db.execute(_HOLD_WOKEN, {"ids": wanted})
    await db.execute(_WAKE, {"ids": wanted, "now": now})


async def wait_for_proxy(db: Connection, host_id: int, *, until: datetime, reason: str) -> None:
    """Stores that a host needs a proxy and has none that can be used before then."""
    values = {"proxy_wait_until": until, "proxy_wait_reason": reason}
    await db.execute(sa.update(hosts).where(hosts.c.id == host_id).values(values))


async def end_proxy_waits(db: Connection, host_ids: Iterable[int] | None) -> None:
    """Stores that these hosts, or all, wait for no proxy; call it after a change, and before reading their pages."""
    waits = hosts.c.proxy_wait_until.is_not(None)
    concerned: sa.ColumnElement[bool] = sa.or_(waits, hosts.c.lease_until.is_not(None))
    if host_ids is not None:
        concerned = hosts.c.id.in_(sorted(host_ids))
    if db.dialect.name != "sqlite":
        # Whoever stores a wait holds the host meanwhile: it has committed, or will see what was changed.
        locked = sa.select(hosts.c.id).where(concerned).order_by(hosts.c.id)
        await db.execute(locked.with_for_update(key_share=True))
    await db.execute(sa.update(hosts).where(concerned, waits).values(proxy_wait_until=None, proxy_wait_reason=None))


async def wake_forgotten(db: Connection, *, now: datetime) -> int:
    """Wakes hosts with pending pages that are neither due nor leased; there should be none."""
    pending = sa.exists().where(in_frontier(hosts.c.id))
    forgotten = sa.update(hosts).where(hosts.c.due_at.is_(None), hosts.c.lease_until.is_(None), pending)
    woken = rows_written(await db.execute(forgotten.values(due_at=now)))
    if woken:
        signal(Signal.HOSTS)
    return woken


def _claimable(now: datetime) -> sa.ColumnElement[bool]:
    return sa.and_(
        hosts.c.enabled,
        sa.or_(hosts.c.lease_until.is_(None), hosts.c.lease_until <= now),
        sa.or_(hosts.c.free_at.is_(None), hosts.c.free_at <= now),
        sa.or_(hosts.c.blocked_until.is_(None), hosts.c.blocked_until <= now),
    )


async def any_due(db: Connection, *, now: datetime) -> bool:
    """Whether a host is due and free."""
    query = sa.select(hosts.c.id).where(hosts.c.due_at <= now, _claimable(now)).limit(1)
    return (await db.execute(query)).first() is not None


async def demand(db: Connection, *, now: datetime, overdue_since: datetime) -> HostDemand:
    """Counts the waiting and the leased hosts."""
    counts = (sa.func.count().label("waiting"), queries.count_if(hosts.c.due_at <= overdue_since).label("overdue"))
    row = (await db.execute(sa.select(*counts).where(hosts.c.due_at <= now, _claimable(now)))).one()
    leased = await queries.count(db, hosts, hosts.c.lease_until > now)
    return HostDemand(waiting=row.waiting, overdue=row.overdue or 0, leased=leased)


async def unknown(db: Connection, ids: Iterable[int]) -> set[int]:
    """Which of these hosts do not exist."""
    wanted = set(ids)
    return wanted - set(await db.scalars(sa.select(hosts.c.id).where(hosts.c.id.in_(sorted(wanted)))))


async def claim_due(
    db: Connection,
    *,
    owner: str,
    now: datetime,
    until: datetime,
    limit: int,
    defaults: HostPolicy,
    among: Iterable[int] | None = None,
    held: Collection[int] = (),
) -> list[Lease]:
    """Leases up to `limit` hosts that are due and may be fetched; only these with `among`.

    Hosts in `held` are the owner's already, even if their leases seem expired because the clock was set forward.
    """
    chosen = sa.select(hosts).where(hosts.c.due_at <= now, _claimable(now))
    if among is not None:
        chosen = chosen.where(hosts.c.id.in_(sorted(among)))
    chosen = chosen.order_by(hosts.c.due_at).limit(limit).with_for_update(skip_locked=True)
    return await _lease(db, chosen, owner=owner, now=now, until=until, defaults=defaults, held=held)


async def claim_one(
    db: Connection, key: str, *, owner: str, now: datetime, until: datetime, defaults: HostPolicy
) -> Lease | None:
    """Leases this one host, with or without pages to fetch; None while another worker has it."""
    await ensure(db, [key], now=now)
    free = sa.or_(hosts.c.lease_until.is_(None), hosts.c.lease_until <= now)
    chosen = sa.select(hosts).where(hosts.c.key == key, free).with_for_update(skip_locked=True)
    leases = await _lease(db, chosen, owner=owner, now=now, until=until, defaults=defaults)
    return leases[0] if leases else None


async def _lease(
    db: Connection,
    chosen: sa.Select[Any],
    *,
    owner: str,
    now: datetime,
    until: datetime,
    defaults: HostPolicy,
    held: Collection[int] = (),
) -> list[Lease]:
    rows = {row.id: row for row in await db.execute(chosen) if row.id not in held}
    if not rows:
        return []
    # The condition is there twice on purpose: after waiting for a lock PostgreSQL re-checks only the outer WHERE.
    free = sa.or_(hosts.c.lease_until.is_(None), hosts.c.lease_until <= now)
    taken = await db.execute(
        sa.update(hosts)
        .where(hosts.c.id.in_(list(rows)), free)
        .values(lease_owner=owner, lease_token=hosts.c.lease_token + 1, lease_until=until)
        .returning(hosts.c.id, hosts.c.lease_token)
    )
    return [
        Lease(host=host_of(rows[row.id], defaults, token=row.lease_token), abandoned_until=rows[row.id].lease_until)
        for row in taken
    ]


async def renew(db: Connection, leases: Mapping[int, int], *, until: datetime, defaults: HostPolicy) -> dict[int, Host]:
    """Renews our leases (host id -> token) and returns the hosts that are still ours, with their current policy."""
    mine = [{"host": host, "token": token, "until": until} for host, token in sorted(leases.items())]
    await db.execute(_RENEW, mine)
    rows = await db.execute(sa.select(hosts).where(hosts.c.id.in_(list(leases))))
    return {row.id: host_of(row, defaults) for row in rows if row.lease_token == leases[row.id]}


async def policies(
    db: Connection, ids: Iterable[int], *, changed_since: datetime, defaults: HostPolicy
) -> dict[int, HostPolicy]:
    """The current policies of those of these hosts whose rows were written since then."""
    changed = sa.select(hosts).where(hosts.c.id.in_(sorted(ids)), hosts.c.updated_at >= changed_since)
    return {row.id: host_of(row, defaults).policy for row in await db.execute(changed)}


async def release(db: Connection, host: Host, *, free_at: datetime, now: datetime) -> None:
    """Gives a leased host back; it is due when it is free, a page is due and it waits for no proxy."""
    # Locked first, so that the query for pending pages sees what other transactions committed while we waited.
    mine = {"host": host.id, "token": host.lease_token}
    if (row := (await db.execute(_LOCK_MINE, mine)).one_or_none()) is None:
        return
    earliest = await _earliest_pending(db, host.id, now=now)
    times = (free_at, earliest, host.blocked_until, row.proxy_wait_until)
    due_at = max(time for time in times if time is not None) if earliest else None
    await save_learnt(db, [host], now=now)
    await db.execute(_RELEASE, mine | {"free": free_at, "due": due_at})


async def _earliest_pending(db: Connection, host_id: int, *, now: datetime) -> datetime | None:
    """When the host's first pending page may be fetched; None when it has none."""
    if (await db.execute(_READY, {"host": host_id, "now": now})).first() is not None:
        return now
    first: datetime | None = await db.scalar(_FIRST_DUE, {"host": host_id})
    return first


async def lease_tokens(db: Connection, host_ids: Iterable[int]) -> dict[int, int]:
    """The current lease tokens of these hosts, locked until the transaction ends."""
    rows = await db.execute(_TOKENS, {"ids": sorted(set(host_ids))})
    return {row.id: row.lease_token for row in rows}


async def save_learnt(db: Connection, learnt: Iterable[Host], *, now: datetime) -> None:
    """Stores what was learnt about these hosts."""
    rows: list[dict[str, Any]] = []
    for host in learnt:
        values = (milliseconds(host.learnt_delay), host.failure_count, host.blocked_until, host.block_reason, now)
        rows.append({"host": host.id} | {f"new_{name}": value for name, value in zip(_LEARNT, values, strict=True)})
    if rows:
        await db.execute(_SAVE_LEARNT, rows)


async def save_crawl_delay(db: Connection, host_id: int, delay: timedelta | None) -> None:
    """Stores the Crawl-delay of the host's robots.txt."""
    value = milliseconds(delay) if delay is not None else None
    await db.execute(_SAVE_CRAWL_DELAY, {"host": host_id, "delay": value})


def milliseconds(delay: timedelta) -> int:
    """Whole milliseconds, rounded up: a delay is never shortened by storing it."""
    return -(-delay // timedelta(milliseconds=1)) if delay else 0


def host_of(row: Any, defaults: HostPolicy, *, token: int | None = None) -> Host:
    """The host of a row, with defaults where its operator set nothing."""
    return Host(
        id=row.id,
        key=row.key,
        policy=HostPolicy(
            max_concurrency=row.max_concurrency or defaults.max_concurrency,
            min_delay=defaults.min_delay if row.min_delay_ms is None else timedelta(milliseconds=row.min_delay_ms),
            max_pages=row.max_pages or defaults.max_pages,
            max_page_bytes=row.max_page_kb * 1024 if row.max_page_kb else defaults.max_page_bytes,
            allow_js=bool(row.allow_js),
            enabled=row.enabled,
            user_agent=row.user_agent,
            proxy_mode=ProxyMode(row.proxy_mode) if row.proxy_mode else defaults.proxy_mode,
            has_own_proxy_mode=row.proxy_mode is not None,
            proxy_country=row.proxy_country,
        ),
        crawl_delay=None if row.crawl_delay_ms is None else timedelta(milliseconds=row.crawl_delay_ms),
        learnt_delay=timedelta(milliseconds=row.learnt_delay_ms),
        free_at=row.free_at,
        blocked_until=row.blocked_until,
        block_reason=row.block_reason,
        failure_count=row.failure_count,
        lease_token=row.lease_token if token is None else token,
    )
