"""Proxies."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from lamplighter.operations import proxies, proxy_trials
from lamplighter.operations.proxy_trials import Cell
from lamplighter.store.database import Connection
from lamplighter.web.api.envelope import Done, DoneList, done
from lamplighter.web.api.paging import PageNumber, PerPage, pagination
from lamplighter.web.api.problems import Family
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.tasks.shapes_proxies import (
    EXAMPLE,
    LINE_EXAMPLE,
    AddedProxy,
    Country,
    Place,
    ProxyFields,
    ProxyLine,
    WholeProxy,
    line_of,
    whole,
)
from lamplighter.web.api.tasks.shapes_trials import TRIAL_EXAMPLE, TrialLine, TrialWish, trial_line
from lamplighter.web.api.values import RowId
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/admin/proxies", tag="proxies", family=Family.ENVELOPE)


class Switched(BaseModel):
    """A proxy that was switched on or off."""

    proxy_id: int
    is_active: bool
    failure_count: int


class Removed(BaseModel):
    """A proxy that is no more."""

    proxy_id: int


@ROUTES.post(
    "", status=201, errors=(409,), response_model=Done[AddedProxy], example=done(EXAMPLE, "The proxy was added.")
)
async def add(new: ProxyFields, view: View, caller: Asking) -> Any:
    """Adds a proxy; proxy_url is its host, or a whole URL. The password is encrypted and never shown again."""
    proxy_id = await view.db.write(
        lambda db: proxies.add(db, new.settings(), vault=view.vault, actor=caller.name, now=view.clock.now())
    )
    return done(await _whole(view, proxy_id), "The proxy was added.")


@ROUTES.get(
    "",
    response_model=DoneList[ProxyLine],
    example=done([LINE_EXAMPLE], "1 proxies.", pagination=pagination(page=1, per_page=20, total=1)),
)
async def list_proxies(
    view: View,
    is_active: Annotated[bool | None, Query(description="Only those that may be used, or may not.")] = None,
    country_code: Annotated[Country | None, Query()] = None,
    provider: Annotated[Place | None, Query()] = None,
    page: PageNumber = 1,
    per_page: PerPage = 20,
) -> Any:
    """The proxies, the oldest first."""
    async with view.db.read() as db:
        found, total = await proxies.listed(
            db,
            is_active=is_active,
            country_code=country_code,
            provider=provider,
            limit=per_page,
            offset=(page - 1) * per_page,
            now=view.clock.now(),
        )
    where = pagination(page=page, per_page=per_page, total=total)
    return done([line_of(each) for each in found], f"{total} proxies.", pagination=where)


@ROUTES.get("/{proxy_id}", response_model=Done[WholeProxy])
async def show(proxy_id: RowId, view: View) -> Any:
    """A proxy, and how it fares; never its password."""
    return done(await _whole(view, proxy_id), "The proxy.")


@ROUTES.patch("/{proxy_id}", errors=(409,), response_model=Done[WholeProxy])
async def change(proxy_id: RowId, wish: ProxyFields, view: View, caller: Asking) -> Any:
    """Changes what is given and leaves the rest; null takes it back. A proxy of the settings is changed there."""
    settings = wish.changes()
    await view.db.write(
        lambda db: proxies.change(db, proxy_id, settings, vault=view.vault, actor=caller.name, now=view.clock.now())
    )
    return done(await _whole(view, proxy_id), "The proxy was changed.")


@ROUTES.post(
    "/{proxy_id}/enable",
    response_model=Done[Switched],
    example=done({"proxy_id": 3, "is_active": True, "failure_count": 0}, "The proxy may be used."),
)
async def enable(proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Lets the proxy be used again; its failures in a row are forgotten."""
    await view.db.write(lambda db: proxies.enable(db, proxy_id, actor=caller.name, now=view.clock.now()))
    return done(await _switched(view, proxy_id), "The proxy may be used.")


@ROUTES.post(
    "/{proxy_id}/disable",
    response_model=Done[Switched],
    example=done({"proxy_id": 3, "is_active": False, "failure_count": 4}, "The proxy is not used any more."),
)
async def disable(proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Leaves the proxy alone until it is enabled."""
    await view.db.write(lambda db: proxies.disable(db, proxy_id, actor=caller.name, now=view.clock.now()))
    return done(await _switched(view, proxy_id), "The proxy is not used any more.")


@ROUTES.post("/{proxy_id}/test", response_model=Done[TrialLine], example=done(TRIAL_EXAMPLE, "The host answered."))
async def try_out(proxy_id: RowId, wish: TrialWish, view: View) -> Any:
    """Asks for a URL, or a domain's start page, through the proxy, in the host's turn; a proxy that is off too."""
    now = view.clock.now()

    async def plan(db: Connection) -> Cell:
        if wish.url is not None:
            return await proxy_trials.plan_url(db, proxy_id=proxy_id, url=wish.url, now=now)
        assert wish.domain_id is not None, "its shape asks for one of the two"
        return await proxy_trials.plan_host(db, proxy_id=proxy_id, host_id=wish.domain_id, now=now)

    outcome = await view.proxy_trials.one(await view.db.write(plan))
    return done(trial_line(outcome), "The host answered." if outcome.tried.ok else "The host did not answer.")


@ROUTES.delete(
    "/{proxy_id}", errors=(409,), response_model=Done[Removed], example=done({"proxy_id": 3}, "The proxy was removed.")
)
async def remove(proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Forgets the proxy, and its standing with every domain."""
    await view.db.write(lambda db: proxies.remove(db, proxy_id, actor=caller.name, now=view.clock.now()))
    return done({"proxy_id": proxy_id}, "The proxy was removed.")


async def _whole(view: ServiceView, proxy_id: int) -> dict[str, Any]:
    async with view.db.read() as db:
        return whole(*await proxies.get(db, proxy_id, now=view.clock.now()))


async def _switched(view: ServiceView, proxy_id: int) -> dict[str, Any]:
    async with view.db.read() as db:
        proxy, _ = await proxies.get(db, proxy_id, now=view.clock.now())
    return {"proxy_id": proxy.id, "is_active": proxy.enabled, "failure_count": proxy.failure_count}
