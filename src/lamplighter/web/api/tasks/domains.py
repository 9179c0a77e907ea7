"""Domains."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from lamplighter.operations import domains, robots
from lamplighter.operations.domains import Around, Domain
from lamplighter.rules import urls
from lamplighter.web.api.envelope import Done, DoneList, done
from lamplighter.web.api.paging import PageNumber, PerPage, pagination
from lamplighter.web.api.problems import Family
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.tasks.shapes_domains import (
    EXAMPLE,
    LINE_EXAMPLE,
    WHOLE_EXAMPLE,
    AddedDomain,
    DomainChange,
    DomainLine,
    NewDomain,
    WholeDomain,
    line_of,
    whole,
)
from lamplighter.web.api.values import RowId
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/admin/domains", tag="domains", family=Family.ENVELOPE)


class Switched(BaseModel):
    """A domain that was switched on or off."""

    domain_id: int
    is_active: bool


class UpdatedSettings(BaseModel):
    """What is kept to since."""

    crawl_delay_seconds: float


class RefreshedRobots(BaseModel):
    """What the robots.txt of a domain says by now."""

    domain_id: int
    robots_txt_url: str
    robots_txt_last_fetched: datetime
    #: seconds; null when it asks for no delay
    crawl_delay_found: float | None
    updated_settings: UpdatedSettings


@ROUTES.post(
    "",
    status=201,
    errors=(409,),
    response_model=Done[AddedDomain],
    example=done(EXAMPLE, "The domain was added."),
)
async def add(new: NewDomain, view: View, caller: Asking) -> Any:
    """Adds a domain for which pages can be submitted; a host known only from crawling becomes one."""
    around, settings = around_of(view), new.settings()
    domain_id = await view.db.write(
        lambda db: domains.add(db, new.domain_name, settings, actor=caller.name, now=view.clock.now(), around=around)
    )
    return done(whole(await _get(view, domain_id)), "The domain was added.")


@ROUTES.get(
    "",
    response_model=DoneList[DomainLine],
    example=done([LINE_EXAMPLE], "", pagination=pagination(page=1, per_page=20, total=1)),
)
async def list_domains(
    view: View,
    is_active: Annotated[bool | None, Query(description="Only those that may be asked, or may not.")] = None,
    page: PageNumber = 1,
    per_page: PerPage = 20,
) -> Any:
    """The domains, by name."""
    async with view.db.read() as db:
        found, total = await domains.listed(
            db, is_active=is_active, limit=per_page, offset=(page - 1) * per_page, around=around_of(view)
        )
    where = pagination(page=page, per_page=per_page, total=total)
    return done([line_of(each) for each in found], f"{total} domains.", pagination=where)


@ROUTES.get("/{domain_id}", response_model=Done[WholeDomain], example=done(WHOLE_EXAMPLE, "The domain."))
async def show(domain_id: RowId, view: View) -> Any:
    """A domain, and how it fares."""
    return done(whole(await _get(view, domain_id)), "The domain.")


@ROUTES.patch("/{domain_id}", response_model=Done[WholeDomain], example=done(WHOLE_EXAMPLE, "The domain was changed."))
async def change(domain_id: RowId, wish: DomainChange, view: View, caller: Asking) -> Any:
    """Changes what is given and leaves the rest, to the installation what is null; it takes effect within seconds."""
    around, settings = around_of(view), wish.changes()
    await view.db.write(
        lambda db: domains.change(db, domain_id, settings, actor=caller.name, now=view.clock.now(), around=around)
    )
    await view.door.turns.look_at_policies()
    view.hosts_changed()
    return done(whole(await _get(view, domain_id)), "The domain was changed.")


@ROUTES.post(
    "/{domain_id}/enable",
    response_model=Done[Switched],
    example=done({"domain_id": 7, "is_active": True}, "The domain may be asked."),
)
async def enable(domain_id: RowId, view: View, caller: Asking) -> Any:
    """Lets the domain be asked again; what waited goes on."""
    await _switch(view, domain_id, True, caller.name)
    return done({"domain_id": domain_id, "is_active": True}, "The domain may be asked.")


@ROUTES.post(
    "/{domain_id}/disable",
    response_model=Done[Switched],
    example=done({"domain_id": 7, "is_active": False}, "The domain is not asked any more."),
)
async def disable(domain_id: RowId, view: View, caller: Asking) -> Any:
    """Asks the domain for nothing until it is enabled; what was to be asked waits."""
    await _switch(view, domain_id, False, caller.name)
    return done({"domain_id": domain_id, "is_active": False}, "The domain is not asked any more.")


@ROUTES.post(
    "/{domain_id}/refresh-robots",
    errors=(409,),
    response_model=Done[RefreshedRobots],
    example=done(
        {
            "domain_id": 7,
            "robots_txt_url": "https://shop.example/robots.txt",
            "robots_txt_last_fetched": "2026-03-02T12:00:00Z",
            "crawl_delay_found": 5.0,
            "updated_settings": {"crawl_delay_seconds": 5.0},
        },
        "The robots.txt was read anew.",
    ),
)
async def refresh_robots(domain_id: RowId, view: View, caller: Asking) -> Any:
    """Asks the domain for its robots.txt now, in its turn; a longer delay than ours is kept to from then on."""
    domain = await _get(view, domain_id)
    target = urls.parse(domain.base_url)
    found = await robots.refresh(
        view.db, view.door.robots, target.host_key, actor=caller.name, now=view.clock.now(), scheme=target.scheme
    )
    refreshed = await _get(view, domain_id)
    data = {
        "domain_id": domain_id,
        "robots_txt_url": refreshed.robots_url,
        "robots_txt_last_fetched": found.file.fetched_at,
        "crawl_delay_found": None if found.crawl_delay is None else found.crawl_delay.total_seconds(),
        "updated_settings": {"crawl_delay_seconds": refreshed.crawl_delay.total_seconds()},
    }
    return done(data, "The robots.txt was read anew.")


def around_of(view: ServiceView) -> Around:
    """What holds where a domain says nothing."""
    return Around(
        defaults=view.norms.host,
        agent=view.settings.resolved_user_agent,
        run_deadline=timedelta(minutes=view.settings.run_deadline_minutes),
    )


async def _get(view: ServiceView, domain_id: int) -> Domain:
    async with view.db.read() as db:
        return await domains.get(db, domain_id, around=around_of(view))


async def _switch(view: ServiceView, domain_id: int, enabled: bool, actor: str) -> None:
    around = around_of(view)
    await view.db.write(
        lambda db: domains.set_enabled(db, domain_id, enabled, actor=actor, now=view.clock.now(), around=around)
    )
    await view.door.turns.look_at_policies()
    view.hosts_changed()
    view.jobs_changed()
