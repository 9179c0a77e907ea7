"""Domains."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from lamplighter.model.access import Caller
from lamplighter.operations.hosts import domains, robots
from lamplighter.operations.hosts.domains import Domain, DomainDefaults
from lamplighter.rules.urls import urls
from lamplighter.web.api.envelope import DoneList, DoneOut, done, pagination
from lamplighter.web.api.tasks import shapes_domains as shapes
from lamplighter.web.problems import Family
from lamplighter.web.routes import Routes
from lamplighter.web.values import PageNumber, PerPage, RowId
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/admin/domains", tag="domains", family=Family.ENVELOPE)


class DomainSwitched(BaseModel):
    """A domain switched on or off."""

    domain_id: int
    is_active: bool


class UpdatedSettings(BaseModel):
    """The delay in force."""

    crawl_delay_seconds: float


class RefreshedRobots(BaseModel):
    """The result of fetching a robots.txt."""

    domain_id: int
    robots_txt_url: str
    robots_txt_last_fetched: datetime
    #: seconds; null when it sets no Crawl-delay
    crawl_delay_found: float | None
    updated_settings: UpdatedSettings


@ROUTES.post("", status=201, errors=(409,), response_model=DoneOut[shapes.AddedDomain])
async def add(new: shapes.NewDomain, view: View, caller: Asking) -> Any:
    """Adds a domain for which pages can be submitted; a host known from crawling becomes one."""
    around, settings = around_of(view), new.settings()
    domain_id = await view.db.write(
        lambda db: domains.add(db, new.domain_name, settings, stamp=view.stamp(caller), around=around)
    )
    return done(shapes.whole(await _get(view, domain_id)), "Domain added")


@ROUTES.get("", response_model=DoneList[shapes.DomainLine])
async def list_domains(
    view: View,
    is_active: Annotated[bool | None, Query(description="Only enabled domains, or only disabled ones.")] = None,
    page: PageNumber = 1,
    per_page: PerPage = 20,
) -> Any:
    """The domains, by name."""
    async with view.db.read() as db:
        found, total = await domains.listed(
            db, is_active=is_active, limit=per_page, offset=(page - 1) * per_page, around=around_of(view)
        )
    where = pagination(page=page, per_page=per_page, total=total)
    return done(found, f"{total} domains.", pagination=where)


@ROUTES.get("/{domain_id}", response_model=DoneOut[shapes.WholeDomain])
async def show(domain_id: RowId, view: View) -> Any:
    """A domain, and its figures."""
    return done(shapes.whole(await _get(view, domain_id)), "Domain")


@ROUTES.patch("/{domain_id}", response_model=DoneOut[shapes.WholeDomain])
async def change(domain_id: RowId, submitted: shapes.DomainChange, view: View, caller: Asking) -> Any:
    """Changes the given fields and keeps the others; null restores a default. It takes effect with the next request."""
    around, settings = around_of(view), submitted.changes()
    await view.db.write(lambda db: domains.change(db, domain_id, settings, stamp=view.stamp(caller), around=around))
    await view.sites.door.turns.refresh_policies()
    return done(shapes.whole(await _get(view, domain_id)), "Domain changed")


@ROUTES.post("/{domain_id}/enable", response_model=DoneOut[DomainSwitched])
async def enable(domain_id: RowId, view: View, caller: Asking) -> Any:
    """Enables the domain; its waiting tasks continue."""
    await _switch(view, domain_id, True, caller)
    return done({"domain_id": domain_id, "is_active": True}, "Domain enabled")


@ROUTES.post("/{domain_id}/disable", response_model=DoneOut[DomainSwitched])
async def disable(domain_id: RowId, view: View, caller: Asking) -> Any:
    """Disables the domain: no requests are sent until it is enabled; tasks wait."""
    await _switch(view, domain_id, False, caller)
    return done({"domain_id": domain_id, "is_active": False}, "Domain disabled: no requests are sent to it")


@ROUTES.post("/{domain_id}/refresh-robots", errors=(409,), response_model=DoneOut[RefreshedRobots])
async def refresh_robots(domain_id: RowId, view: View, caller: Asking) -> Any:
    """Fetches the domain's robots.txt now, in its turn; a longer delay than ours applies from then on."""
    domain = await _get(view, domain_id)
    target = urls.parse(domain.base_url)
    found = await robots.refresh(
        view.db, view.sites.door.robots, target.host_key, stamp=view.stamp(caller), scheme=target.scheme
    )
    refreshed = await _get(view, domain_id)
    data = {
        "domain_id": domain_id,
        "robots_txt_url": refreshed.robots_url,
        "robots_txt_last_fetched": found.file.fetched_at,
        "crawl_delay_found": None if found.crawl_delay is None else found.crawl_delay.total_seconds(),
        "updated_settings": {"crawl_delay_seconds": refreshed.crawl_delay.total_seconds()},
    }
    return done(data, "robots.txt fetched")


def around_of(view: ServiceView) -> DomainDefaults:
    """The defaults of a domain."""
    return DomainDefaults(
        defaults=view.source_defaults.host, agent=view.settings.resolved_user_agent, run_deadline=view.run_deadline
    )


async def _get(view: ServiceView, domain_id: int) -> Domain:
    return await view.read(lambda db: domains.get(db, domain_id, around=around_of(view)))


async def _switch(view: ServiceView, domain_id: int, enabled: bool, caller: Caller) -> None:
    around, stamp = around_of(view), view.stamp(caller)
    await view.db.write(lambda db: domains.set_enabled(db, domain_id, enabled, stamp=stamp, around=around))
    await view.sites.door.turns.refresh_policies()
