"""Proxies: what there is, how each fares, with which host, and how many each host needs."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from fastapi import Response
from pydantic import ValidationError

from lamplighter.errors import BadInput
from lamplighter.operations import domain_proxies, pool_advice, proxies
from lamplighter.operations.domain_proxies import Exits
from lamplighter.web.api.paging import DEEPEST
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard import proxy_form
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
PATH = "/proxies"
_LIMIT = 50
#: domains on one page, and proxies that fit beside each other
_DOMAINS = 20
_MOST_COLUMNS = 12
_MOST_ALERTS = 10
_MOST_NAMES = 250
_STATES: Mapping[str, bool | None] = {"on": True, "off": False}


@ROUTES.get(PATH, include_in_schema=False)
async def show_all(visit: Visiting) -> Response:
    """All proxies, and all domains that have some."""
    return await page(visit)


@ROUTES.post(PATH, include_in_schema=False)
async def add(visit: Visiting) -> Response:
    """Adds a proxy; its password is encrypted and never shown again."""
    form = await visit.form()
    try:
        settings = proxy_form.settings_of(form)
        proxy_id = await visit.view.db.write(
            lambda db: proxies.add(db, settings, vault=visit.view.vault, actor=visit.caller.name, now=visit.now)
        )
    except ValidationError as error:
        return await _refused(visit, form, proxy_form.faults_in(error))
    except BadInput as error:
        return await _refused(visit, form, faults_of(error))
    return visit.done("The proxy was added.", to=f"{PATH}/{proxy_id}")


async def _refused(visit: Visit, form: Form, faults: Mapping[str, str]) -> Response:
    told = dict(faults)
    if proxy_form.had_password(form):
        told.setdefault("proxy_password", proxy_form.AGAIN)
    return await page(visit, status=422, faults=told, given=proxy_form.typed(form))


async def page(visit: Visit, *, status: int = 200, **more: Any) -> Response:
    """The page, after a form that could not be used with what was typed into it."""
    asked = {name: _word(visit, name) for name in ("state", "country", "provider")}
    offset, domains_offset = (_offset(visit.request.query_params.get(name, "")) for name in ("offset", "domains"))
    async with visit.view.db.read() as db:
        found, total = await proxies.listed(
            db,
            is_active=_STATES.get(asked["state"]),
            country_code=asked["country"] or None,
            provider=asked["provider"] or None,
            limit=_LIMIT,
            offset=offset,
            now=visit.now,
        )
        exits, exits_total = await domain_proxies.listed(db, limit=_DOMAINS, offset=domains_offset, now=visit.now)
        per_proxy = visit.view.settings.proxy_requests_per_hour
        advice = await pool_advice.of_exits(db, exits, per_proxy=per_proxy, now=visit.now)
        shown: dict[str, Any] = {
            "proxies": found,
            "counts": await proxies.counts(db, now=visit.now),
            "exits": exits,
            "advice": {each.host_id: each for each in advice},
            "default_pool": await proxies.default_pool(db, now=visit.now),
            "without_exit": await domain_proxies.without_exit(db, limit=_MOST_ALERTS, now=visit.now),
            "host_names": await domain_proxies.host_names(db, limit=_MOST_NAMES),
        }
    filled = urlencode({name: value for name, value in asked.items() if value})
    shown |= {"asked": asked, "total": total, "offset": offset, "limit": _LIMIT, "columns": _columns(exits)}
    shown |= {"exits_total": exits_total, "exits_offset": domains_offset, "exits_limit": _DOMAINS}
    shown |= {"pager_path": f"{PATH}?{filled}&" if filled else f"{PATH}?", "faults": {}, "given": {}}
    shown |= {"assign_faults": {}, "assigned": {}, "setting": proxies.SETTING}
    shown["usual_mode"] = visit.view.norms.host.proxy_mode
    return visit.page("proxies/list.html", status=status, **shown | more)


def _word(visit: Visit, name: str) -> str:
    """A filter; no proxy has characters in its words that are no text."""
    given = visit.request.query_params.get(name, "").strip()[:100]
    return given if given.isprintable() else ""


def _columns(exits: Sequence[Exits]) -> list[tuple[int, str]]:
    """The proxies of these domains, if so few that they fit beside each other."""
    known = {each.proxy_id: f"{each.address}:{each.port}" for one in exits for each in one.standings}
    return sorted(known.items()) if len(known) <= _MOST_COLUMNS else []


def _offset(text: str) -> int:
    return min(int(text), DEEPEST) if text.isascii() and text.isdigit() and len(text) < 10 else 0
