"""Proxies."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel

from lamplighter.operations.proxies import proxies, proxy_trials
from lamplighter.operations.proxies.proxy_trials import TrialPair
from lamplighter.store.engine.database import Connection
from lamplighter.web.api.envelope import DoneList, DoneOut, done, pagination
from lamplighter.web.api.tasks import shapes_proxies as shapes
from lamplighter.web.problems import Family
from lamplighter.web.proxy_fields import Country, Place, ProxyFields
from lamplighter.web.routes import Routes
from lamplighter.web.values import PageNumber, PerPage, RowId
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/admin/proxies", tag="proxies", family=Family.ENVELOPE)


class ProxySwitched(BaseModel):
    """A proxy after enable or disable."""

    proxy_id: int
    is_active: bool
    failure_count: int


class ProxyRemoved(BaseModel):
    """A removed proxy."""

    proxy_id: int


@ROUTES.post("", status=201, errors=(409,), response_model=DoneOut[shapes.AddedProxy])
async def add(new: ProxyFields, view: View, caller: Asking) -> Any:
    """Adds a proxy; proxy_url is its host, or a whole URL. The password is encrypted and never shown again."""
    proxy_id = await view.db.write(
        lambda db: proxies.add(db, new.settings(), vault=view.secrets.vault, stamp=view.stamp(caller))
    )
    return done(await _whole(view, proxy_id), "Proxy added")


@ROUTES.get("", response_model=DoneList[shapes.ProxyLine])
async def list_proxies(
    view: View,
    is_active: Annotated[bool | None, Query(description="Only enabled proxies, or only disabled ones.")] = None,
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
    return done(found, f"{total} proxies.", pagination=where)


@ROUTES.get("/{proxy_id}", response_model=DoneOut[shapes.WholeProxy])
async def show(proxy_id: RowId, view: View) -> Any:
    """A proxy and its figures; never its password."""
    return done(await _whole(view, proxy_id), "Proxy")


@ROUTES.patch("/{proxy_id}", errors=(409,), response_model=DoneOut[shapes.WholeProxy])
async def change(proxy_id: RowId, submitted: ProxyFields, view: View, caller: Asking) -> Any:
    """Changes the given fields, keeps the others; null clears one. Proxies of the settings are changed there."""
    settings = submitted.changes()
    await view.db.write(
        lambda db: proxies.change(db, proxy_id, settings, vault=view.secrets.vault, stamp=view.stamp(caller))
    )
    return done(await _whole(view, proxy_id), "Proxy changed")


@ROUTES.post("/{proxy_id}/enable", response_model=DoneOut[ProxySwitched])
async def enable(proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Enables the proxy and resets its failures in a row."""
    await view.db.write(lambda db: proxies.enable(db, proxy_id, stamp=view.stamp(caller)))
    return done(await _switched(view, proxy_id), "Proxy enabled")


@ROUTES.post("/{proxy_id}/disable", response_model=DoneOut[ProxySwitched])
async def disable(proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Disables the proxy until it is enabled."""
    await view.db.write(lambda db: proxies.disable(db, proxy_id, stamp=view.stamp(caller)))
    return done(await _switched(view, proxy_id), "Proxy disabled")


@ROUTES.post("/{proxy_id}/test", response_model=DoneOut[shapes.TrialLine])
async def try_out(proxy_id: RowId, submitted: shapes.TrialIn, view: View) -> Any:
    """Fetches a URL, or a domain's start page, through the proxy, in the host's turn; even when disabled."""
    now = view.clock.now()

    async def plan(db: Connection) -> TrialPair:
        if submitted.url is not None:
            return await proxy_trials.plan_url(db, proxy_id=proxy_id, url=submitted.url, now=now)
        assert submitted.domain_id is not None, "its shape asks for one of the two"
        return await proxy_trials.plan_host(db, proxy_id=proxy_id, host_id=submitted.domain_id, now=now)

    outcome = await view.sites.proxy_trials.one(await view.db.write(plan))
    return done(outcome, "The host answered." if outcome.tried.ok else "The host did not answer.")


@ROUTES.delete("/{proxy_id}", errors=(409,), response_model=DoneOut[ProxyRemoved])
async def remove(proxy_id: RowId, view: View, caller: Asking) -> Any:
    """Removes the proxy, and its health for every domain."""
    await view.db.write(lambda db: proxies.remove(db, proxy_id, stamp=view.stamp(caller)))
    return done({"proxy_id": proxy_id}, "Proxy removed")


async def _whole(view: ServiceView, proxy_id: int) -> dict[str, Any]:
    return shapes.whole(*await view.read(lambda db: proxies.get(db, proxy_id, now=view.clock.now())))


async def _switched(view: ServiceView, proxy_id: int) -> dict[str, Any]:
    proxy, _ = await view.read(lambda db: proxies.get(db, proxy_id, now=view.clock.now()))
    return {"proxy_id": proxy.id, "is_active": proxy.enabled, "failure_count": proxy.failure_count}
