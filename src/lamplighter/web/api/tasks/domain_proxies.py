"""The proxies of a domain."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from lamplighter.operations.proxies import domain_proxies, proxy_pool_advice
from lamplighter.operations.proxies.domain_proxies import ProxiesOfDomain
from lamplighter.web.api.envelope import DoneOut, Pagination, done, pagination
from lamplighter.web.api.tasks.shapes_proxies import AdviceLine, DomainProxyOut, ProxyNumber
from lamplighter.web.api.tasks.shapes_tasks import inside
from lamplighter.web.problems import Family
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, PageNumber, PerPage, RowId
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/admin/domains", tag="domain proxies", family=Family.ENVELOPE)
_AT_ONCE = 1000


class ProxyAssignment(Given):
    """Proxies to assign to a domain."""

    proxy_ids: list[ProxyNumber] = Field(min_length=1, max_length=_AT_ONCE)
    #: 1 (highest) to 10
    priority: int = 5


class ProxiesAssigned(BaseModel):
    """Assigned proxies."""

    domain_id: int
    domain_name: str
    proxies_assigned: int
    proxy_ids: list[int]
    total_proxies: int


class DomainProxies(BaseModel):
    """One page of a domain's proxies."""

    domain_id: int
    domain_name: str
    total_proxies: int
    active_proxies: int
    proxies: list[DomainProxyOut]


class ListedDomainProxy(DoneOut[DomainProxies]):
    """A domain's proxies, with paging."""

    pagination: Pagination


class DomainProxyRemoved(BaseModel):
    """A proxy that was removed from a domain."""

    domain_id: int
    proxy_id: int
    remaining_proxies: int


class DomainProxySwitched(BaseModel):
    """A proxy switched on or off for a domain."""

    domain_id: int
    proxy_id: int
    is_active: bool
    failure_count: int


class ProxiesStats(BaseModel):
    """Figures of a domain's proxies."""

    domain_id: int
    domain_name: str
    total_proxies: int
    active_proxies: int
    failing_proxies: int
    #: per cent of all requests
    overall_success_rate: float | None
    avg_response_time_ms: float | None
    total_requests: int
    total_success: int
    total_failures: int
    #: country -> number of proxies
    proxy_distribution: dict[str, int]
    #: enabled, and not backing off
    working_proxies: int
    alerts: list[str]
    #: in the order in which they will be used
    next_proxy_ids: list[int]
    advice: AdviceLine


@ROUTES.post("/{domain_id}/proxies", status=201, response_model=DoneOut[ProxiesAssigned])
async def assign(domain_id: RowId, submitted: ProxyAssignment, view: View, caller: Asking) -> Any:
    """Assigns proxies to the domain; one that is assigned already gets the new priority."""
    priority = inside(submitted.priority)
    assigned = await view.db.write(
        lambda db: domain_proxies.assign(
            db, domain_id, submitted.proxy_ids, priority=priority, stamp=view.stamp(caller)
        )
    )
    domain_pool = await view.read(lambda db: domain_proxies.of_domain(db, domain_id, now=view.clock.now()))
    return done(
        _named(domain_pool) | {"proxies_assigned": len(assigned), "proxy_ids": assigned}, "The proxies were assigned."
    )


@ROUTES.get("/{domain_id}/proxies", response_model=ListedDomainProxy)
async def list_proxies(
    domain_id: RowId,
    view: View,
    is_active: Annotated[
        bool | None, Query(description="Only proxies that are enabled, for the domain and in general, or only others.")
    ] = None,
    sort_by: Literal[
        "success_rate", "priority", "success_count", "failure_count", "avg_response_time_ms", "last_used_at"
    ] = "success_rate",
    sort_order: Literal["asc", "desc"] = "desc",
    page: PageNumber = 1,
    per_page: PerPage = 20,
) -> Any:
    """The domain's proxies and the health of each; the totals count all, whatever the filter."""
    async with view.db.read() as db:
        domain_pool = await domain_proxies.of_domain(
            db, domain_id, now=view.clock.now(), sort=sort_by, descending=_falls(sort_by, sort_order)
        )
    wanted = [each for each in domain_pool.proxies if is_active in (None, each.is_active)]
    start, total = (page - 1) * per_page, len(wanted)
    data = _named(domain_pool) | {"proxies": wanted[start : start + per_page]}
    return done(data, f"{total} proxies.", pagination=pagination(page=page, per_page=per_page, total=total))


@ROUTES.get("/{domain_id}/proxies/stats", response_model=DoneOut[ProxiesStats])
async def stats(domain_id: RowId, view: View) -> Any:
    """Figures of the domain's proxies together, and how many it should have."""
    now, per_proxy = view.clock.now(), view.settings.proxy_requests_per_hour
    async with view.db.read() as db:
        domain_pool = await domain_proxies.of_domain(db, domain_id, now=now)
        (advice,) = await proxy_pool_advice.of_proxies(db, [domain_pool], per_proxy=per_proxy, now=now)
    data = _named(domain_pool) | {
        "failing_proxies": domain_pool.failing,
        "overall_success_rate": domain_pool.success_rate,
        "avg_response_time_ms": domain_pool.average_took_ms,
        "total_requests": domain_pool.success_total + domain_pool.failure_total,
        "total_success": domain_pool.success_total,
        "total_failures": domain_pool.failure_total,
        "proxy_distribution": domain_pool.by_country,
        "working_proxies": domain_pool.working,
        "alerts": domain_pool.alerts(usual=view.source_defaults.host.proxy_mode),
        "next_proxy_ids": [each.proxy_id for each in domain_pool.in_turn],
        "advice": advice,
    }
    return done(data, f"{len(domain_pool.proxies)} proxies.")


@ROUTES.delete("/{domain_id}/proxies/{proxy_id}", response_model=DoneOut[DomainProxyRemoved])
async def remove(domain_id: RowId, proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Unassigns a domain's proxy."""
    await view.db.write(lambda db: domain_proxies.remove(db, domain_id, proxy_id, stamp=view.stamp(caller)))
    domain_pool = await view.read(lambda db: domain_proxies.of_domain(db, domain_id, now=view.clock.now()))
    data = {"domain_id": domain_id, "proxy_id": proxy_id, "remaining_proxies": len(domain_pool.proxies)}
    return done(data, "Proxy removed from the domain")


@ROUTES.post("/{domain_id}/proxies/{proxy_id}/enable", response_model=DoneOut[DomainProxySwitched])
async def enable(domain_id: RowId, proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Enables the proxy for the domain and resets its failures in a row."""
    await view.db.write(lambda db: domain_proxies.enable(db, domain_id, proxy_id, stamp=view.stamp(caller)))
    return done(await _switched(view, domain_id, proxy_id), "Proxy enabled for the domain")


@ROUTES.post("/{domain_id}/proxies/{proxy_id}/disable", response_model=DoneOut[DomainProxySwitched])
async def disable(domain_id: RowId, proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Disables the proxy for the domain."""
    await view.db.write(lambda db: domain_proxies.disable(db, domain_id, proxy_id, stamp=view.stamp(caller)))
    return done(await _switched(view, domain_id, proxy_id), "Proxy disabled for the domain")


def _named(domain_pool: ProxiesOfDomain) -> dict[str, Any]:
    """The domain, and how many proxies it has."""
    counts = {"total_proxies": len(domain_pool.proxies), "active_proxies": domain_pool.active}
    return {"domain_id": domain_pool.domain_id, "domain_name": domain_pool.domain_name} | counts


def _falls(sort_by: str, sort_order: str) -> bool:
    """Whether to sort descending inside: priority 1 here is 100 there."""
    return (sort_order == "desc") != (sort_by == "priority")


async def _switched(view: ServiceView, domain_id: int, proxy_id: int) -> dict[str, Any]:
    found = await view.read(lambda db: domain_proxies.health(db, domain_id, proxy_id, now=view.clock.now()))
    state = {"is_active": found.enabled, "failure_count": found.failure_count}
    return {"domain_id": domain_id, "proxy_id": proxy_id} | state
