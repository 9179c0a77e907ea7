"""The proxies of a domain."""

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from lamplighter.operations import domain_proxies, pool_advice
from lamplighter.web.api.envelope import Done, Pagination, done
from lamplighter.web.api.paging import PageNumber, PerPage, pagination
from lamplighter.web.api.problems import Family
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.tasks.shapes_proxies import (
    STANDING_EXAMPLE,
    AdviceLine,
    StandingLine,
    advice_line,
    standing_line,
)
from lamplighter.web.api.tasks.shapes_tasks import inside
from lamplighter.web.api.tasks.shapes_trials import ProxyNumber
from lamplighter.web.api.values import RowId
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/admin/domains", tag="domain proxies", family=Family.ENVELOPE)
_AT_ONCE = 1000


class Assignment(BaseModel):
    """Proxies to be used for a domain."""

    model_config = ConfigDict(extra="forbid")

    proxy_ids: list[ProxyNumber] = Field(min_length=1, max_length=_AT_ONCE)
    #: 1 (highest) to 10
    priority: int = 5


class Assigned(BaseModel):
    """What is used since."""

    domain_id: int
    domain_name: str
    proxies_assigned: int
    proxy_ids: list[int]
    total_proxies: int


class DomainProxies(BaseModel):
    """The proxies of a domain, a page of them."""

    domain_id: int
    domain_name: str
    total_proxies: int
    active_proxies: int
    proxies: list[StandingLine]


class Listed(Done[DomainProxies]):
    """The same, and where in the list that is."""

    pagination: Pagination


class Removed(BaseModel):
    """A proxy that is not used for a domain any more."""

    domain_id: int
    proxy_id: int
    remaining_proxies: int


class Switched(BaseModel):
    """A proxy that was switched on or off for a domain."""

    domain_id: int
    proxy_id: int
    is_active: bool
    failure_count: int


class ProxiesStats(BaseModel):
    """How the proxies of a domain fare."""

    domain_id: int
    domain_name: str
    total_proxies: int
    active_proxies: int
    failing_proxies: int
    #: per cent of all requests
    overall_success_rate: float
    avg_response_time_ms: float | None
    total_requests: int
    total_success: int
    total_failures: int
    #: country -> how many
    proxy_distribution: dict[str, int]
    #: switched on, and not resting
    working_proxies: int
    alerts: list[str]
    #: in the order in which they will be used
    next_proxy_ids: list[int]
    advice: AdviceLine


@ROUTES.post(
    "/{domain_id}/proxies",
    status=201,
    response_model=Done[Assigned],
    example=done(
        {
            "domain_id": 7,
            "domain_name": "shop.example",
            "proxies_assigned": 2,
            "proxy_ids": [3, 4],
            "total_proxies": 2,
        },
        "The proxies were assigned.",
    ),
)
async def assign(domain_id: RowId, wish: Assignment, view: View, caller: Asking) -> Any:
    """Lets the domain be asked through these proxies; one that it has already takes the priority."""
    priority = inside(wish.priority)
    assigned = await view.db.write(
        lambda db: domain_proxies.assign(
            db, domain_id, wish.proxy_ids, priority=priority, actor=caller.name, now=view.clock.now()
        )
    )
    async with view.db.read() as db:
        exits = await domain_proxies.of_domain(db, domain_id, now=view.clock.now())
    data = {
        "domain_id": domain_id,
        "domain_name": exits.domain_name,
        "proxies_assigned": len(assigned),
        "proxy_ids": assigned,
        "total_proxies": len(exits.standings),
    }
    return done(data, "The proxies were assigned.")


@ROUTES.get(
    "/{domain_id}/proxies",
    response_model=Listed,
    example=done(
        {
            "domain_id": 7,
            "domain_name": "shop.example",
            "total_proxies": 1,
            "active_proxies": 1,
            "proxies": [STANDING_EXAMPLE],
        },
        "1 proxies.",
        pagination=pagination(page=1, per_page=20, total=1),
    ),
)
async def list_proxies(
    domain_id: RowId,
    view: View,
    is_active: Annotated[
        bool | None, Query(description="Only those switched on, for it and altogether, or off.")
    ] = None,
    sort_by: Literal[
        "success_rate", "priority", "success_count", "failure_count", "avg_response_time_ms", "last_used_at"
    ] = "success_rate",
    sort_order: Literal["asc", "desc"] = "desc",
    page: PageNumber = 1,
    per_page: PerPage = 20,
) -> Any:
    """The proxies of the domain, and how each stands with it; its totals are those of all, whichever are listed."""
    async with view.db.read() as db:
        exits = await domain_proxies.of_domain(
            db, domain_id, now=view.clock.now(), sort=sort_by, descending=_falls(sort_by, sort_order)
        )
    wanted = [each for each in exits.standings if is_active in (None, each.is_active)]
    start, total = (page - 1) * per_page, len(wanted)
    data = {
        "domain_id": domain_id,
        "domain_name": exits.domain_name,
        "total_proxies": len(exits.standings),
        "active_proxies": exits.active,
        "proxies": [standing_line(each) for each in wanted[start : start + per_page]],
    }
    return done(data, f"{total} proxies.", pagination=pagination(page=page, per_page=per_page, total=total))


@ROUTES.get("/{domain_id}/proxies/stats", response_model=Done[ProxiesStats])
async def stats(domain_id: RowId, view: View) -> Any:
    """How the proxies of the domain fare, taken together, and how many it should have."""
    now, per_proxy = view.clock.now(), view.settings.proxy_requests_per_hour
    async with view.db.read() as db:
        exits = await domain_proxies.of_domain(db, domain_id, now=now)
        (advice,) = await pool_advice.of_exits(db, [exits], per_proxy=per_proxy, now=now)
    data = {
        "domain_id": domain_id,
        "domain_name": exits.domain_name,
        "total_proxies": len(exits.standings),
        "active_proxies": exits.active,
        "failing_proxies": exits.failing,
        "overall_success_rate": exits.success_rate,
        "avg_response_time_ms": exits.average_took_ms,
        "total_requests": exits.success_total + exits.failure_total,
        "total_success": exits.success_total,
        "total_failures": exits.failure_total,
        "proxy_distribution": exits.by_country,
        "working_proxies": exits.working,
        "alerts": exits.alerts(usual=view.norms.host.proxy_mode),
        "next_proxy_ids": [each.proxy_id for each in exits.in_turn],
        "advice": advice_line(advice),
    }
    return done(data, f"{len(exits.standings)} proxies.")


@ROUTES.delete(
    "/{domain_id}/proxies/{proxy_id}",
    response_model=Done[Removed],
    example=done({"domain_id": 7, "proxy_id": 3, "remaining_proxies": 1}, "The proxy was taken from the domain."),
)
async def remove(domain_id: RowId, proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Takes the proxy from the domain."""
    await view.db.write(
        lambda db: domain_proxies.remove(db, domain_id, proxy_id, actor=caller.name, now=view.clock.now())
    )
    async with view.db.read() as db:
        exits = await domain_proxies.of_domain(db, domain_id, now=view.clock.now())
    data = {"domain_id": domain_id, "proxy_id": proxy_id, "remaining_proxies": len(exits.standings)}
    return done(data, "The proxy was taken from the domain.")


@ROUTES.post("/{domain_id}/proxies/{proxy_id}/enable", response_model=Done[Switched])
async def enable(domain_id: RowId, proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Lets the proxy be used for the domain again; its failures in a row are forgotten."""
    await view.db.write(
        lambda db: domain_proxies.enable(db, domain_id, proxy_id, actor=caller.name, now=view.clock.now())
    )
    return done(await _switched(view, domain_id, proxy_id), "The proxy may be used for the domain.")


@ROUTES.post("/{domain_id}/proxies/{proxy_id}/disable", response_model=Done[Switched])
async def disable(domain_id: RowId, proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Does not use the proxy for the domain until it is enabled."""
    await view.db.write(
        lambda db: domain_proxies.disable(db, domain_id, proxy_id, actor=caller.name, now=view.clock.now())
    )
    return done(await _switched(view, domain_id, proxy_id), "The proxy is not used for the domain any more.")


def _falls(sort_by: str, sort_order: str) -> bool:
    """Whether larger values come first inside: a priority of 1 is our 100."""
    return (sort_order == "desc") != (sort_by == "priority")


async def _switched(view: ServiceView, domain_id: int, proxy_id: int) -> dict[str, Any]:
    async with view.db.read() as db:
        found = await domain_proxies.standing(db, domain_id, proxy_id, now=view.clock.now())
    return {
        "domain_id": domain_id,
        "proxy_id": proxy_id,
        "is_active": found.enabled,
        "failure_count": found.failure_count,
    }
