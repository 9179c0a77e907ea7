"""The proxies page: health of each proxy, use by host, and recommended numbers."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from fastapi import Response
from pydantic import ValidationError

from lamplighter.errors import BadInput
from lamplighter.operations.proxies import domain_proxies, proxies, proxy_pool_advice
from lamplighter.operations.proxies.domain_proxies import ProxiesOfDomain
from lamplighter.store.proxies import proxy_lists
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.proxies import proxy_form
from lamplighter.web.paging import offset_from
from lamplighter.web.routes import Pages

ROUTES = Pages()
PATH = "/proxies"
_LIMIT = 50
#: the most domains on one page, and the most proxies side by side
_DOMAINS = 20
_MOST_COLUMNS = 12
_MOST_ALERTS = 10
_MOST_NAMES = 250
_STATES: Mapping[str, bool | None] = {"on": True, "off": False}


@ROUTES.get(PATH)
async def show_all(request: ThisRequest) -> Response:
    """All proxies, and all hosts with proxies."""
    return await page(request)


@ROUTES.post(PATH)
async def add(request: ThisRequest) -> Response:
    """Adds a proxy; its password is encrypted and never shown again."""
    form = await request.form()
    try:
        settings = proxy_form.settings_of(form)
        proxy_id = await request.write(
            lambda db: proxies.add(db, settings, vault=request.view.secrets.vault, stamp=request.stamp)
        )
    except (ValidationError, BadInput) as error:
        return await page(request, **proxy_form.refused(form, error))
    return request.done("The proxy was added.", to=f"{PATH}/{proxy_id}")


async def page(request: PageRequest, *, status: int = 200, **more: Any) -> Response:
    """The page, with the typed values and errors of an invalid form."""
    asked = {name: _word(request, name) for name in ("state", "country", "provider")}
    offset, domains_offset = (offset_from(request.http.query_params.get(name, "")) for name in ("offset", "domains"))
    async with request.view.db.read() as db:
        found, total = await proxies.listed(
            db,
            is_active=_STATES.get(asked["state"]),
            country_code=asked["country"] or None,
            provider=asked["provider"] or None,
            limit=_LIMIT,
            offset=offset,
            now=request.now,
        )
        exits, exits_total = await domain_proxies.listed(db, limit=_DOMAINS, offset=domains_offset, now=request.now)
        per_proxy = request.view.settings.proxy_requests_per_hour
        advice = await proxy_pool_advice.of_proxies(db, exits, per_proxy=per_proxy, now=request.now)
        shown: dict[str, Any] = {
            "proxies": found,
            "counts": await proxy_lists.counts(db, now=request.now),
            "exits": exits,
            "advice": {each.host_id: each for each in advice},
            "default_pool": await proxies.default_pool(db, now=request.now),
            "without_proxy": await proxy_lists.hosts_without_proxy(db, limit=_MOST_ALERTS, now=request.now),
            "host_names": await proxy_lists.host_names(db, limit=_MOST_NAMES),
        }
    filled = urlencode({name: value for name, value in asked.items() if value})
    shown |= {"asked": asked, "total": total, "offset": offset, "limit": _LIMIT, "columns": _columns(exits)}
    shown |= {"exits_total": exits_total, "exits_offset": domains_offset, "exits_limit": _DOMAINS}
    shown |= {"pager_path": f"{PATH}?{filled}&" if filled else f"{PATH}?", "faults": {}, "given": {}}
    shown |= {"assign_faults": {}, "assigned": {}, "setting": proxies.SETTING}
    shown["usual_mode"] = request.view.source_defaults.host.proxy_mode
    return request.page("proxies/list.html", status=status, **shown | more)


def _word(request: PageRequest, name: str) -> str:
    """A filter value without control characters."""
    given = request.http.query_params.get(name, "").strip()[:100]
    return given if given.isprintable() else ""


def _columns(exits: Sequence[ProxiesOfDomain]) -> list[tuple[int, str]]:
    """The proxies of these hosts, if they are few enough for columns."""
    known = {each.proxy_id: f"{each.address}:{each.port}" for one in exits for each in one.standings}
    return sorted(known.items()) if len(known) <= _MOST_COLUMNS else []
