"""Which proxies a domain may be asked through, and how each of them stands with it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.errors import BadInput, NotFound
from lamplighter.operations.domains import row_of
from lamplighter.operations.proxies import Health, health_of, not_found
from lamplighter.rules.percent import percent
from lamplighter.store import audit_log, domains, proxies
from lamplighter.store.database import Connection
from lamplighter.store.proxies import FAILING_AT


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a proxy stands with a domain."""

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

    @property
    def is_active(self) -> bool:
        """Whether the domain may be asked through it now."""
        return self.enabled and self.is_enabled_anywhere

    @property
    def health(self) -> Health:
        """How it fares with this domain."""
        used = self.success_total + self.failure_total
        return health_of(enabled=self.is_active, failures_in_a_row=self.failure_count, used=used)

    @property
    def success_rate(self) -> float:
        """Per cent of all requests made for this domain."""
        return percent(self.success_total, self.failure_total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exits:
    """The proxies of a domain."""

    domain_id: int
    domain_name: str
    standings: tuple[Standing, ...]

    @property
    def active(self) -> int:
        """How many of them may be used now."""
        return sum(each.is_active for each in self.standings)

    @property
    def failing(self) -> int:
        """How many of them keep failing."""
        return sum(each.failure_count >= FAILING_AT for each in self.standings)

    @property
    def success_total(self) -> int:
        """Requests for this domain that succeeded."""
        return sum(each.success_total for each in self.standings)

    @property
    def failure_total(self) -> int:
        """Requests for this domain that failed."""
        return sum(each.failure_total for each in self.standings)

    @property
    def success_rate(self) -> float:
        """Per cent of all requests made for this domain."""
        return percent(self.success_total, self.failure_total)

    @property
    def average_took_ms(self) -> float | None:
        """Of a request, each proxy counted by how often it was used; None before the first."""
        timed = [
            (each.average_took_ms, max(1, each.success_total))
            for each in self.standings
            if each.average_took_ms is not None
        ]
        weight = sum(times for _, times in timed)
        return round(sum(took * times for took, times in timed) / weight, 2) if weight else None

    @property
    def by_country(self) -> dict[str, int]:
        """How many proxies there are of each country."""
        return dict(sorted(Counter(each.country_code or "unknown" for each in self.standings).items()))


async def of_domain(
    db: Connection,
    domain_id: int,
    *,
    is_active: bool | None = None,
    sort: str = "success_rate",
    descending: bool = True,
) -> Exits:
    """The proxies of a domain, or those of them that are switched on or off for it."""
    row = await row_of(db, domain_id)
    rows = await proxies.of_host(db, domain_id, is_active=is_active, sort=sort, descending=descending)
    return Exits(domain_id=domain_id, domain_name=row.key, standings=tuple(_standing(each) for each in rows))


async def listed(db: Connection, *, limit: int, offset: int) -> tuple[list[Exits], int]:
    """One page of the domains that have proxies, each with all of them, and how many such domains there are."""
    page, total = await proxies.hosts_with_any(db, limit=limit, offset=offset)
    found: dict[int, list[Standing]] = {domain_id: [] for domain_id, _ in page}
    for row in await proxies.of_hosts(db, found):
        found[row.host_id].append(_standing(row))
    exits = [Exits(domain_id=each, domain_name=name, standings=tuple(found[each])) for each, name in page]
    return exits, total


async def of_proxy(db: Connection, proxy_id: int) -> list[tuple[int, str, Standing]]:
    """The domains that may be asked through a proxy, by id and name, and how it stands with each."""
    return [(row.host_id, row.host, _standing(row)) for row in await proxies.of_proxy(db, proxy_id)]


async def without_exit(db: Connection, *, limit: int) -> list[str]:
    """The domains whose proxies are all switched off."""
    return await proxies.hosts_without_exit(db, limit=limit)


async def domain_names(db: Connection, *, limit: int) -> list[str]:
    """Domains that proxies can be assigned to."""
    return await domains.names(db, limit=limit)


async def domain_called(db: Connection, name: str) -> int:
    """The id of the domain with this name; BadInput when there is none."""
    domain_id = await domains.id_of(db, name.strip().lower()) if name.isprintable() else None
    if domain_id is None:
        raise BadInput(
            f"{name[:200]!r} is no domain; one that pages are submitted for is added by POST /api/admin/domains",
            field="domain",
        )
    return domain_id


async def assign(
    db: Connection, domain_id: int, proxy_ids: Sequence[int], *, priority: int, actor: str, now: datetime
) -> list[int]:
    """Lets a domain be asked through these proxies; all of them, or NotFound. Returns them, each once."""
    domain = await row_of(db, domain_id)
    wanted = sorted(set(proxy_ids))
    if not wanted:
        raise BadInput("proxy_ids is empty; give the ids of proxies", field="proxy_ids")
    if not 0 <= priority <= 100:
        raise BadInput(f"priority {priority} is out of range; use 0 to 100, the higher the sooner", field="priority")
    missing = set(wanted) - await proxies.among(db, wanted)
    if missing:
        raise not_found(min(missing))
    await proxies.assign(db, domain_id, wanted, priority=priority)
    after = {"proxy_ids": wanted, "priority": priority}
    await audit_log.write(db, actor=actor, action="domain.assign_proxies", subject=domain.key, now=now, after=after)
    return wanted


async def remove(db: Connection, domain_id: int, proxy_id: int, *, actor: str, now: datetime) -> None:
    """Takes a proxy from a domain."""
    domain = await row_of(db, domain_id)
    if not await proxies.unassign(db, domain_id, proxy_id):
        raise _not_assigned(domain.key, proxy_id)
    before = {"proxy_id": proxy_id}
    await audit_log.write(db, actor=actor, action="domain.remove_proxy", subject=domain.key, now=now, before=before)


async def enable(db: Connection, domain_id: int, proxy_id: int, *, actor: str, now: datetime) -> None:
    """Lets a proxy be used for a domain again, its failures in a row forgotten."""
    values = {"enabled": True, "failure_count": 0, "quarantined_until": None}
    await _switch(db, domain_id, proxy_id, values, actor=actor, now=now)


async def disable(db: Connection, domain_id: int, proxy_id: int, *, actor: str, now: datetime) -> None:
    """Does not use a proxy for a domain until somebody enables it."""
    await _switch(db, domain_id, proxy_id, {"enabled": False}, actor=actor, now=now)


async def standing(db: Connection, domain_id: int, proxy_id: int) -> Standing:
    """How one proxy stands with a domain."""
    exits = await of_domain(db, domain_id)
    for each in exits.standings:
        if each.proxy_id == proxy_id:
            return each
    raise _not_assigned(exits.domain_name, proxy_id)


async def _switch(
    db: Connection, domain_id: int, proxy_id: int, values: dict[str, Any], *, actor: str, now: datetime
) -> None:
    domain = await row_of(db, domain_id)
    if not await proxies.change_standing(db, domain_id, proxy_id, **values):
        raise _not_assigned(domain.key, proxy_id)
    action = "domain.enable_proxy" if values["enabled"] else "domain.disable_proxy"
    after = {"proxy_id": proxy_id}
    await audit_log.write(db, actor=actor, action=action, subject=domain.key, now=now, after=after)


def _not_assigned(domain: str, proxy_id: int) -> NotFound:
    return NotFound(f"proxy {proxy_id} is none of those of {domain}", code="proxy_not_found")


def _standing(row: Any) -> Standing:
    return Standing(
        proxy_id=row.proxy_id,
        address=row.address,
        port=row.port,
        country_code=row.country_code,
        enabled=row.enabled,
        is_enabled_anywhere=row.is_enabled_anywhere,
        priority=row.priority,
        failure_count=row.failure_count,
        failure_total=row.failure_total,
        success_total=row.success_total,
        average_took_ms=row.average_took_ms,
        last_used_at=row.last_used_at,
    )
