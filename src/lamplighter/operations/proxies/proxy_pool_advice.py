"""Advice on how many proxies each host should have."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.operations.proxies import domain_proxies, proxies
from lamplighter.operations.proxies.domain_proxies import ProxiesOfDomain
from lamplighter.rules.proxies.hourly_use import PoolSize, pool_size
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_lists

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAdvice:
    """How many proxies a host should have."""

    host_id: int
    host: str
    #: requests; the greater of the last day's rate and of the planned rate
    per_hour: float
    asked_per_hour: float
    planned_per_hour: float
    #: requests an hour that each should make of the host
    per_proxy: int
    size: PoolSize
    #: those that it has, switched on
    has: int
    working: int
    #: it has none of its own and uses the default pool
    is_default_pool: bool

    @property
    def is_short(self) -> bool:
        """Whether it has fewer than it needs."""
        return self.working < self.size.enough

    @property
    def basis(self) -> str:
        """What it is derived from."""
        return "requests of the last day" if self.asked_per_hour >= self.planned_per_hour else "the schedule"

    @property
    def words(self) -> str:
        """The advice in a sentence."""
        if not self.size.ample:
            return "no requests in the last day, and none planned"
        pool = " in the default pool" if self.is_default_pool else ""
        rest = f", {self.working} of them working" if self.working < self.has else ""
        rate = f"{self.per_hour:.0f}" if self.per_hour >= 1 else "fewer than 1"
        unit = "requests" if rate != "1" else "request"
        return (
            f"about {rate} {unit} per hour, {self.per_proxy} per proxy: {self.size.words}; has {self.has}{pool}{rest}"
        )


async def of_proxies(
    db: Connection, domain_pool: Sequence[ProxiesOfDomain], *, per_proxy: int, now: datetime
) -> list[PoolAdvice]:
    """Advice for these hosts, one after the other; `per_proxy` is what a proxy should ask of one host in an hour."""
    ids = [each.domain_id for each in domain_pool]
    sent = await host_lists.requests_per_hour(db, ids, since=now - _DAY, until=now)
    planned = await host_lists.planned_per_hour(db, ids)
    pool = await proxies.default_pool(db, now=now) if any(not each.proxies for each in domain_pool) else []
    default = (sum(each.enabled for each in pool), sum(each.is_working for each in pool))
    advice = []
    for each in domain_pool:
        rates = sent.get(each.domain_id, 0.0), planned.get(each.domain_id, 0.0)
        # A proxy may be allowed less than what is usual.
        limit = min([per_proxy, *(one.max_requests_per_hour for one in each.proxies if one.is_active)])
        has, working = (each.active, each.working) if each.proxies else default
        advice.append(
            PoolAdvice(
                host_id=each.domain_id,
                host=each.domain_name,
                per_hour=max(rates),
                asked_per_hour=rates[0],
                planned_per_hour=rates[1],
                per_proxy=limit,
                size=pool_size(per_hour=max(rates), per_proxy=limit),
                has=has,
                working=working,
                is_default_pool=not each.proxies,
            )
        )
    return advice


async def of_names(db: Connection, names: Sequence[str], *, per_proxy: int, now: datetime) -> list[PoolAdvice]:
    """Advice for the hosts with these names; BadInput for one that we have not met."""
    ids = [await domain_proxies.host_called(db, name) for name in names]
    return await of_proxies(db, await domain_proxies.of_hosts(db, ids, now=now), per_proxy=per_proxy, now=now)
