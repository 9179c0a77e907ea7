"""The page of one proxy: health by host, edit, enable, disable and remove."""

from typing import Any

from fastapi import Response
from pydantic import ValidationError

from lamplighter.errors import BadInput
from lamplighter.operations.proxies import domain_proxies, proxies
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.proxies.proxies import PATH, refused, settings_of
from lamplighter.web.routes import Pages
from lamplighter.web.values import RowId

ROUTES = Pages()


@ROUTES.get(PATH + "/{proxy_id}")
async def show(proxy_id: RowId, request: ThisRequest) -> Response:
    """The page of a proxy; never shows its password."""
    return await _page(request, proxy_id)


@ROUTES.post(PATH + "/{proxy_id}")
async def change(proxy_id: RowId, request: ThisRequest) -> Response:
    """Changes the filled-in settings and keeps the others."""
    form = await request.form()
    try:
        settings = settings_of(form)
        await request.write(
            lambda db: proxies.change(db, proxy_id, settings, vault=request.view.secrets.vault, stamp=request.stamp)
        )
    except (ValidationError, BadInput) as error:
        return await _page(request, proxy_id, **refused(form, error))
    return request.done("The proxy was saved.", to=f"{PATH}/{proxy_id}")


@ROUTES.post(PATH + "/{proxy_id}/enable")
async def enable(proxy_id: RowId, request: ThisRequest) -> Response:
    """Enables the proxy and resets its failures in a row."""
    form = await request.form()
    await request.write(lambda db: proxies.enable(db, proxy_id, stamp=request.stamp))
    return request.done("The proxy is enabled.", to=form.text("back") or PATH)


@ROUTES.post(PATH + "/{proxy_id}/disable")
async def disable(proxy_id: RowId, request: ThisRequest) -> Response:
    """Disables the proxy."""
    form = await request.form()
    await request.write(lambda db: proxies.disable(db, proxy_id, stamp=request.stamp))
    return request.done("The proxy is disabled.", to=form.text("back") or PATH)


@ROUTES.post(PATH + "/{proxy_id}/remove")
async def remove(proxy_id: RowId, request: ThisRequest) -> Response:
    """Removes the proxy and its figures for every host."""
    form = await request.form()
    proxy, used_by = await request.read(lambda db: proxies.get(db, proxy_id, now=request.now))
    domains = f"{used_by} host{'' if used_by == 1 else 's'}"
    question = f"Remove {proxy.address}:{proxy.port} with its figures, also from {domains}?"
    request.confirm(form, question, label="Remove", back=form.text("back") or PATH)
    await request.write(lambda db: proxies.remove(db, proxy_id, stamp=request.stamp))
    return request.done("The proxy was removed.", to=PATH)


async def _page(request: PageRequest, proxy_id: int, **more: Any) -> Response:
    async with request.view.db.read() as db:
        proxy, _ = await proxies.get(db, proxy_id, now=request.now)
        used_for = await domain_proxies.of_proxy(db, proxy_id, now=request.now)
    same = ("country_code", "city", "provider", "monthly_cost", "max_requests_per_hour")
    given = {"proxy_url": proxy.address, "proxy_port": proxy.port, "proxy_protocol": proxy.protocol}
    given |= {name: getattr(proxy, name) for name in same}
    shown: dict[str, Any] = {"proxy": proxy, "used_for": used_for, "given": given, "setting": proxies.SETTING}
    return request.page("proxies/show.html", **shown | more)
