"""One proxy: how it fares with each domain, changed, switched and removed."""

from collections.abc import Mapping
from typing import Any

from fastapi import Response
from pydantic import ValidationError

from lamplighter.errors import BadInput
from lamplighter.operations import domain_proxies, proxies
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import RowId
from lamplighter.web.dashboard import proxy_form
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.proxies import PATH
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")


@ROUTES.get(PATH + "/{proxy_id}", include_in_schema=False)
async def show(proxy_id: RowId, visit: Visiting) -> Response:
    """A proxy; never its password."""
    return await _page(visit, proxy_id)


@ROUTES.post(PATH + "/{proxy_id}", include_in_schema=False)
async def change(proxy_id: RowId, visit: Visiting) -> Response:
    """Changes what is filled in and leaves the rest."""
    form = await visit.form()
    try:
        settings = proxy_form.settings_of(form)
        await visit.view.db.write(
            lambda db: proxies.change(
                db, proxy_id, settings, vault=visit.view.vault, actor=visit.caller.name, now=visit.now
            )
        )
    except ValidationError as error:
        return await _refused(visit, proxy_id, form, proxy_form.faults_in(error))
    except BadInput as error:
        return await _refused(visit, proxy_id, form, faults_of(error))
    return visit.done("The proxy was changed.", to=f"{PATH}/{proxy_id}")


@ROUTES.post(PATH + "/{proxy_id}/enable", include_in_schema=False)
async def enable(proxy_id: RowId, visit: Visiting) -> Response:
    """Lets the proxy be used again; its failures in a row are forgotten."""
    form = await visit.form()
    await visit.view.db.write(lambda db: proxies.enable(db, proxy_id, actor=visit.caller.name, now=visit.now))
    return visit.done("The proxy is on.", to=form.text("back") or PATH)


@ROUTES.post(PATH + "/{proxy_id}/disable", include_in_schema=False)
async def disable(proxy_id: RowId, visit: Visiting) -> Response:
    """Leaves the proxy alone until it is enabled."""
    form = await visit.form()
    await visit.view.db.write(lambda db: proxies.disable(db, proxy_id, actor=visit.caller.name, now=visit.now))
    return visit.done("The proxy is off.", to=form.text("back") or PATH)


@ROUTES.post(PATH + "/{proxy_id}/remove", include_in_schema=False)
async def remove(proxy_id: RowId, visit: Visiting) -> Response:
    """Forgets the proxy, and its standing with every domain."""
    form = await visit.form()
    async with visit.view.db.read() as db:
        proxy, used_by = await proxies.get(db, proxy_id, now=visit.now)
    domains = f"{used_by} domain{'' if used_by == 1 else 's'}"
    question = f"Remove {proxy.address}:{proxy.port}, with its figures and from {domains}?"
    asked = visit.confirm(form, question, label="Remove", back=form.text("back") or PATH)
    if asked is not None:
        return asked
    await visit.view.db.write(lambda db: proxies.remove(db, proxy_id, actor=visit.caller.name, now=visit.now))
    return visit.done("The proxy was removed.", to=PATH)


async def _refused(visit: Visit, proxy_id: int, form: Form, faults: Mapping[str, str]) -> Response:
    told = dict(faults)
    if proxy_form.had_password(form):
        told.setdefault("proxy_password", proxy_form.AGAIN)
    return await _page(visit, proxy_id, status=422, faults=told, given=proxy_form.typed(form))


async def _page(visit: Visit, proxy_id: int, *, status: int = 200, **more: Any) -> Response:
    async with visit.view.db.read() as db:
        proxy, _ = await proxies.get(db, proxy_id, now=visit.now)
        used_for = await domain_proxies.of_proxy(db, proxy_id, now=visit.now)
    given = {
        "proxy_url": proxy.address,
        "proxy_port": proxy.port,
        "proxy_protocol": proxy.protocol,
        "country_code": proxy.country_code,
        "city": proxy.city,
        "provider": proxy.provider,
        "monthly_cost": proxy.monthly_cost,
        "max_requests_per_hour": proxy.max_requests_per_hour,
    }
    shown: dict[str, Any] = {"proxy": proxy, "used_for": used_for, "faults": {}, "given": given}
    shown["setting"] = proxies.SETTING
    return visit.page("proxies/show.html", status=status, **shown | more)
