"""The proxies of a host, and the health of each with that host.

The task API knows hosts as domains; any other host, one where a source starts, has proxies just as well.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from lamplighter.errors import BadInput, NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.proxy import ProxyMode, ProxyPairChange
from lamplighter.operations.proxies import proxy_waits
from lamplighter.operations.proxies.proxies import (
    FORGIVEN,
    NEVER,
    ProxyHealth,
    cooling_until,
    health_of,
    not_found,
    reason_alone,
)
from lamplighter.rules.formats.percent import percent
from lamplighter.rules.proxies import hourly_use
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.proxies import proxies, proxy_lists
from lamplighter.store.proxies.proxies import FAILING_AT
from lamplighter.store.proxies.proxy_lists import PooledHost, ProxyAllowance

#: a pool with fewer working proxies is one failure away from trouble
FEW = 3
#: per cent of requests; more is trouble
MOST_FAILURES = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainProxyHealth:
    """The health of a proxy with a domain."""

    proxy_id: int
    address: str
    port: int
    country_code: str | None
    #: may be used for this domain
    enabled: bool
    #: may be used at all
    is_enabled_anywhere: bool
    priority: int
    #: in a row
    failure_count: int
    failure_total: int
    success_total: int
    average_took_ms: float | None
    last_used_at: datetime | None
    #: why it last failed here
    last_error: str | None
    #: end of its cool-down, here or for all hosts; None if it has none
    resting_until: datetime | None
    #: the cool-down is for all hosts
    is_cooling_anywhere: bool
    max_requests_per_hour: int
    #: that count towards that, to whatever host
    requests_this_hour: int

    @property
    def is_active(self) -> bool:
        """Whether it is switched on, for this domain and altogether."""
        return self.enabled and self.is_enabled_anywhere

    @property
    def is_working(self) -> bool:
        """Whether it may be used for the domain now."""
        is_used_up = self.requests_this_hour >= self.max_requests_per_hour
        return self.is_active and self.resting_until is None and not is_used_up

    @property
    def health(self) -> ProxyHealth:
        """Its health with this domain."""
        used = self.success_total + self.failure_total
        return health_of(
            enabled=self.is_active,
            is_cooling_down=self.resting_until is not None,
            failures_in_a_row=self.failure_count,
            used=used,
        )

    @property
    def success_rate(self) -> float | None:
        """Per cent of all requests made for this domain; None before the first."""
        return percent(self.success_total, self.failure_total)


_MADE_UP = ("last_error", "resting_until", "is_cooling_anywhere", "max_requests_per_hour", "requests_this_hour")
_COLUMNS = tuple(each.name for each in fields(DomainProxyHealth) if each.name not in _MADE_UP)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxiesOfDomain:
    """The proxies of a domain."""

    domain_id: int
    domain_name: str
    #: None as the installation says
    proxy_mode: ProxyMode | None
    #: only proxies of this country; None of any
    proxy_country: str | None
    proxies: tuple[DomainProxyHealth, ...]

    @property
    def active(self) -> int:
        """How many of them are switched on."""
        return sum(each.is_active for each in self.proxies)

    @property
    def working(self) -> int:
        """How many of them may be used now."""
        return sum(self._may_use(each) for each in self.proxies)

    @property
    def in_turn(self) -> tuple[DomainProxyHealth, ...]:
        """Those that may be used now, in the order in which they will be: best priority first, then longest unused."""
        usable = (each for each in self.proxies if self._may_use(each))
        return tuple(sorted(usable, key=lambda each: (-each.priority, each.last_used_at or NEVER, each.proxy_id)))

    def alerts(self, *, usual: ProxyMode) -> tuple[str, ...]:
        """What an operator should look at; `usual` is the default proxy mode."""
        return tuple(self._alerts(self.proxy_mode or usual))

    def _alerts(self, mode: ProxyMode) -> Iterator[str]:
        if mode is ProxyMode.NEVER:
            return
        if not self.working:
            waits = mode is ProxyMode.ONLY
            yield "none working: its pages wait" if waits else "none working: requests go directly"
        elif self.working < FEW:
            yield f"fewer than {FEW} working"
        if self.success_rate is not None and 100 - self.success_rate > MOST_FAILURES:
            yield f"more than {MOST_FAILURES:g} % fail"

    def _may_use(self, health: DomainProxyHealth) -> bool:
        wanted = (self.proxy_country or "").upper()
        return health.is_working and wanted in ("", (health.country_code or "").upper())

    @property
    def failing(self) -> int:
        """How many of them keep failing."""
        return sum(each.failure_count >= FAILING_AT for each in self.proxies)

    @property
    def success_total(self) -> int:
        """Requests for this domain that succeeded."""
        return sum(each.success_total for each in self.proxies)

    @property
    def failure_total(self) -> int:
        """Requests for this domain that failed."""
        return sum(each.failure_total for each in self.proxies)

    @property
    def success_rate(self) -> float | None:
        """Per cent of all requests made for this domain; None before the first."""
        return percent(self.success_total, self.failure_total)

    @property
    def average_took_ms(self) -> float | None:
        """Of a request, each proxy counted by how often it was used; None before the first."""
        timed = [
            (each.average_took_ms, max(1, each.success_total))
            for each in self.proxies
            if each.average_took_ms is not None
        ]
        weight = sum(times for _, times in timed)
        return round(sum(took * times for took, times in timed) / weight, 2) if weight else None

    @property
    def by_country(self) -> dict[str, int]:
        """How many proxies there are of each country."""
        return dict(sorted(Counter(each.country_code or "unknown" for each in self.proxies).items()))


async def of_domain(
    db: Connection, domain_id: int, *, now: datetime, sort: str = "success_rate", descending: bool = True
) -> ProxiesOfDomain:
    """The proxies of a domain."""
    host = await host_of(db, domain_id)
    rows = await proxies.of_host(db, domain_id, sort=sort, descending=descending)
    return _pool(host, [each for _, each in await _with_health(db, rows, now)])


async def listed(db: Connection, *, limit: int, offset: int, now: datetime) -> tuple[list[ProxiesOfDomain], int]:
    """One page of the domains that have proxies, each with all of them, and how many such domains there are."""
    page, total = await proxies.hosts_with_any(db, limit=limit, offset=offset)
    return await of_hosts(db, [domain_id for domain_id, _ in page], now=now), total


async def of_hosts(db: Connection, host_ids: Sequence[int], *, now: datetime) -> list[ProxiesOfDomain]:
    """The proxies of these hosts, one after the other."""
    found: dict[int, list[DomainProxyHealth]] = {host_id: [] for host_id in host_ids}
    for row, health in await _with_health(db, await proxies.of_hosts(db, found), now):
        found[row.host_id].append(health)
    known = await proxy_lists.hosts_of(db, found)
    return [_pool(known[host_id], found[host_id]) for host_id in host_ids if host_id in known]


async def of_proxy(db: Connection, proxy_id: int, *, now: datetime) -> list[tuple[int, str, DomainProxyHealth]]:
    """The domains of a proxy, by id and name, and its health with each."""
    rows = await proxies.of_proxy(db, proxy_id)
    return [(row.host_id, row.host, health) for row, health in await _with_health(db, rows, now)]


async def host_called(db: Connection, name: str) -> int:
    """The id of the host with this name; BadInput when we have not met it."""
    key = name.strip().lower()
    found = await proxy_lists.host_ids(db, [key]) if key.isprintable() else {}
    if key not in found:
        raise BadInput(
            f"{name[:200]!r} is not a known host; add a source or a domain there first, or search for it on /hosts",
            field="domain",
        )
    return found[key]


async def assign(db: Connection, domain_id: int, proxy_ids: Sequence[int], *, priority: int, stamp: Stamp) -> list[int]:
    """Assigns proxies to a domain; all of them, or NotFound. Returns them, each once."""
    domain = await host_of(db, domain_id)
    wanted = sorted(set(proxy_ids))
    if not wanted:
        raise BadInput("proxy_ids is empty; give the ids of proxies", field="proxy_ids")
    if not 0 <= priority <= 100:
        raise BadInput(f"priority {priority} is out of range; use 0 to 100, higher is used first", field="priority")
    missing = set(wanted) - await proxies.among(db, wanted)
    if missing:
        raise not_found(min(missing))
    await proxies.assign(db, domain_id, wanted, priority=priority)
    await proxy_waits.end(db, [domain_id], now=stamp.now)
    after = {"proxy_ids": wanted, "priority": priority}
    await audit_log.write(db, stamp, "domain.assign_proxies", domain.key, after=after)
    return wanted


async def remove(db: Connection, domain_id: int, proxy_id: int, *, stamp: Stamp) -> None:
    """Takes a proxy from a domain."""
    domain = await host_of(db, domain_id)
    if not await proxies.unassign(db, domain_id, proxy_id):
        raise _not_assigned(domain.key, proxy_id)
    await audit_log.write(db, stamp, "domain.remove_proxy", domain.key, before={"proxy_id": proxy_id})


async def enable(db: Connection, domain_id: int, proxy_id: int, *, stamp: Stamp) -> None:
    """Lets a proxy be used for a domain again, its failures in a row forgotten."""
    await _switch(db, domain_id, proxy_id, ProxyPairChange(enabled=True, **FORGIVEN.said()), stamp=stamp)


async def disable(db: Connection, domain_id: int, proxy_id: int, *, stamp: Stamp) -> None:
    """Disables a proxy for a domain."""
    await _switch(db, domain_id, proxy_id, ProxyPairChange(enabled=False), stamp=stamp)


async def health(db: Connection, domain_id: int, proxy_id: int, *, now: datetime) -> DomainProxyHealth:
    """The health of one proxy with a domain."""
    domain_pool = await of_domain(db, domain_id, now=now)
    for each in domain_pool.proxies:
        if each.proxy_id == proxy_id:
            return each
    raise _not_assigned(domain_pool.domain_name, proxy_id)


async def _switch(db: Connection, domain_id: int, proxy_id: int, change: ProxyPairChange, *, stamp: Stamp) -> None:
    domain = await host_of(db, domain_id)
    if not await proxies.change_pair(db, domain_id, proxy_id, change):
        raise _not_assigned(domain.key, proxy_id)
    await proxy_waits.end(db, [domain_id], now=stamp.now)
    action = "domain.enable_proxy" if change.enabled is True else "domain.disable_proxy"
    await audit_log.write(db, stamp, action, domain.key, after={"proxy_id": proxy_id})


async def host_of(db: Connection, host_id: int) -> PooledHost:
    """The host with this id; NotFound when there is none."""
    host = await proxy_lists.host(db, host_id)
    if host is None:
        raise NotFound(f"there is no domain {host_id}; GET /api/admin/domains lists them", code="domain_not_found")
    return host


def _pool(host: PooledHost, proxies: Iterable[DomainProxyHealth]) -> ProxiesOfDomain:
    return ProxiesOfDomain(
        domain_id=host.id,
        domain_name=host.key,
        proxy_mode=ProxyMode(host.proxy_mode) if host.proxy_mode else None,
        proxy_country=host.proxy_country,
        proxies=tuple(proxies),
    )


def _not_assigned(domain: str, proxy_id: int) -> NotFound:
    return NotFound(f"proxy {proxy_id} is not assigned to {domain}", code="proxy_not_found")


async def _with_health(db: Connection, rows: Sequence[Any], now: datetime) -> list[tuple[Any, DomainProxyHealth]]:
    """Each row, and the proxy's health with its host."""
    allowed = await proxy_lists.allowances(db, {row.proxy_id for row in rows})
    return [(row, _health(row, allowed[row.proxy_id], now)) for row in rows]


def _health(row: Any, allowed: ProxyAllowance, now: datetime) -> DomainProxyHealth:
    return DomainProxyHealth(
        **{name: getattr(row, name) for name in _COLUMNS},
        last_error=reason_alone(row.last_error) if row.last_error else None,
        resting_until=cooling_until(row.quarantined_until, allowed.quarantined_until, now=now),
        is_cooling_anywhere=cooling_until(allowed.quarantined_until, now=now) is not None,
        max_requests_per_hour=allowed.max_requests_per_hour,
        requests_this_hour=hourly_use.count(hourly_use.from_json(allowed.hour_uses), now=now),
    )
