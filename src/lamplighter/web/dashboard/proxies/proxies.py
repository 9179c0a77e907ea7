"""The proxies page: health of each proxy, recommended numbers, and the proxies of each host."""

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from fastapi import Response
from pydantic import ValidationError

from lamplighter.errors import BadInput, NotFound
from lamplighter.operations.proxies import domain_proxies, proxies, proxy_pool_advice
from lamplighter.operations.proxies.domain_proxies import ProxiesOfDomain
from lamplighter.operations.proxies.proxies import ProxySettings
from lamplighter.rules.formats.typed_text import offset_from
from lamplighter.store.engine.database import Connection
from lamplighter.store.proxies import proxy_lists
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.proxy_fields import ProxyFields
from lamplighter.web.routes import Pages
from lamplighter.web.values import BIGGEST, RowId

ROUTES = Pages()
PATH = "/proxies"
_OF_DOMAIN = PATH + "/{proxy_id}/domains/{domain_id}"
_USUAL_PRIORITY = 50
_LIMIT = 50
#: the most domains on one page, and the most proxies side by side
_DOMAINS = 20
_MOST_COLUMNS = 12
_MOST_ALERTS = 10
_MOST_NAMES = 250
_STATES: Mapping[str, bool | None] = {"on": True, "off": False}
_PASSWORD = "proxy_password"
#: the credentials in a URL; a password may contain any character, so they end at the last @
_IN_URL = re.compile(r"^((?:[A-Za-z0-9+.-]+://)?).*@", re.DOTALL)
#: error messages for the form
_WORDS = {
    "int_parsing": "This is not a whole number.",
    "float_parsing": "This is not a number.",
    "string_pattern_mismatch": "Two letters, such as DE.",
}
_AGAIN = "Type the password again; the form does not keep it."


def settings_of(form: SubmittedForm) -> ProxySettings:
    """The proxy settings from the form; ValidationError if it is invalid."""
    filled = {name: form.text(name) for name in ProxyFields.model_fields if form.text(name)}
    return ProxyFields.model_validate(filled).settings()


def _typed(form: SubmittedForm) -> dict[str, str]:
    """The typed values without the password, to show them again."""
    given = {name: form.text(name) for name in ProxyFields.model_fields if name != _PASSWORD}
    given["proxy_url"] = _IN_URL.sub(r"\1", given["proxy_url"])
    return given


def refused(form: SubmittedForm, error: ValidationError | BadInput) -> dict[str, Any]:
    """The template variables of an invalid form: errors and typed values."""
    faults = dict(_faults_in(error) if isinstance(error, ValidationError) else faults_of(error))
    if form.text(_PASSWORD) or _IN_URL.match(form.text("proxy_url")):
        faults.setdefault(_PASSWORD, _AGAIN)
    return {"faults": faults, "given": _typed(form)}


def numbers_of(form: SubmittedForm) -> list[int]:
    """The selected proxies."""
    given = form.many("proxy_ids")
    if not all(each.isascii() and each.isdigit() and int(each) <= BIGGEST for each in given):
        raise BadInput("These are not ids of proxies.", field="proxy_ids")
    return [int(each) for each in given]


def _faults_in(error: ValidationError) -> Mapping[str, str]:
    """The error of each field, without repeating the typed value."""
    toast = error.errors(include_url=False, include_input=False, include_context=False)
    return {str(each["loc"][0]): _WORDS.get(each["type"], each["msg"].removeprefix("Value error, ")) for each in toast}


@ROUTES.get(PATH)
async def show_all(request: ThisRequest) -> Response:
    """All proxies, and all hosts with proxies."""
    return await page(request)


@ROUTES.post(PATH)
async def add(request: ThisRequest) -> Response:
    """Adds a proxy; its password is encrypted and never shown again."""
    form = await request.form()
    try:
        settings = settings_of(form)
        proxy_id = await request.write(
            lambda db: proxies.add(db, settings, vault=request.view.secrets.vault, stamp=request.stamp)
        )
    except (ValidationError, BadInput) as error:
        return await page(request, **refused(form, error))
    return request.done("The proxy was added.", to=f"{PATH}/{proxy_id}")


async def page(request: PageRequest, **more: Any) -> Response:
    """The page, with the typed values and errors of an invalid form."""
    filters = {name: _word(request, name) for name in ("state", "country", "provider")}
    offset, domains_offset = (offset_from(request.http.query_params.get(name, "")) for name in ("offset", "domains"))
    async with request.view.db.read() as db:
        found, total = await proxies.listed(
            db,
            is_active=_STATES.get(filters["state"]),
            country_code=filters["country"] or None,
            provider=filters["provider"] or None,
            limit=_LIMIT,
            offset=offset,
            now=request.now,
        )
        domain_pool, hosts_total = await domain_proxies.listed(
            db, limit=_DOMAINS, offset=domains_offset, now=request.now
        )
        per_proxy = request.view.settings.proxy_requests_per_hour
        advice = await proxy_pool_advice.of_proxies(db, domain_pool, per_proxy=per_proxy, now=request.now)
        shown: dict[str, Any] = {
            "proxies": found,
            "counts": await proxy_lists.counts(db, now=request.now),
            "domain_pool": domain_pool,
            "advice": {each.host_id: each for each in advice},
            "default_pool": await proxies.default_pool(db, now=request.now),
            "without_proxy": await proxy_lists.hosts_without_proxy(db, limit=_MOST_ALERTS, now=request.now),
            "host_names": await proxy_lists.host_names(db, limit=_MOST_NAMES),
        }
    filled = urlencode({name: value for name, value in filters.items() if value})
    shown |= {"filters": filters, "total": total, "offset": offset, "limit": _LIMIT, "columns": _columns(domain_pool)}
    shown |= {"hosts_total": hosts_total, "hosts_offset": domains_offset, "hosts_limit": _DOMAINS}
    shown |= {"pager_path": f"{PATH}?{filled}&" if filled else f"{PATH}?", "given": {}}
    shown |= {"assign_faults": {}, "assigned": {}, "setting": proxies.SETTING}
    shown["usual_mode"] = request.view.source_defaults.host.proxy_mode
    return request.page("proxies/list.html", **shown | more)


def _word(request: PageRequest, name: str) -> str:
    """A filter value without control characters."""
    given = request.http.query_params.get(name, "").strip()[:100]
    return given if given.isprintable() else ""


def _columns(domain_pool: Sequence[ProxiesOfDomain]) -> list[tuple[int, str]]:
    """The proxies of these hosts, if they are few enough for columns."""
    known = {each.proxy_id: f"{each.address}:{each.port}" for one in domain_pool for each in one.proxies}
    return sorted(known.items()) if len(known) <= _MOST_COLUMNS else []


# Before the pages of single proxies, which would match "assign".
@ROUTES.post(PATH + "/assign")
async def assign(request: ThisRequest) -> Response:
    """Assigns proxies to a host; an existing assignment gets the new priority."""
    form = await request.form()

    async def work(db: Connection) -> None:
        priority = form.whole_number("priority")
        await domain_proxies.assign(
            db,
            await domain_proxies.host_called(db, form.text("domain")),
            _chosen(form),
            priority=_USUAL_PRIORITY if priority is None else priority,
            stamp=request.stamp,
        )

    try:
        await request.write(work)
    except (BadInput, NotFound) as error:
        faults = faults_of(error) if isinstance(error, BadInput) else {"proxy_ids": str(error)}
        typed = {"domain": form.text("domain"), "priority": form.text("priority"), "proxy_ids": form.many("proxy_ids")}
        return await page(request, status=422, assign_faults=faults, assigned=typed)
    return request.done(f"{form.text('domain')} uses these proxies now.", to=PATH)


@ROUTES.post(_OF_DOMAIN + "/enable")
async def enable(proxy_id: RowId, domain_id: RowId, request: ThisRequest) -> Response:
    """Enables the proxy for the host and resets its failures in a row."""
    return await _do(request, domain_proxies.enable, proxy_id, domain_id, "The proxy is enabled for this host.")


@ROUTES.post(_OF_DOMAIN + "/disable")
async def disable(proxy_id: RowId, domain_id: RowId, request: ThisRequest) -> Response:
    """Disables the proxy for the host."""
    return await _do(request, domain_proxies.disable, proxy_id, domain_id, "The proxy is disabled for this host.")


@ROUTES.post(_OF_DOMAIN + "/remove")
async def remove(proxy_id: RowId, domain_id: RowId, request: ThisRequest) -> Response:
    """Unassigns the proxy from the host."""
    form = await request.form()
    health = await request.read(lambda db: domain_proxies.health(db, domain_id, proxy_id, now=request.now))
    question = f"Unassign {health.address}:{health.port} from this host and delete its figures there?"
    request.confirm(form, question, label="Unassign", back=form.text("back") or PATH)
    return await _do(request, domain_proxies.remove, proxy_id, domain_id, "The proxy was unassigned from the host.")


async def _do(
    request: PageRequest, work: Callable[..., Coroutine[Any, Any, None]], proxy_id: int, domain_id: int, said: str
) -> Response:
    form = await request.form()
    await request.write(lambda db: work(db, domain_id, proxy_id, stamp=request.stamp))
    return request.done(said, to=form.text("back") or PATH)


def _chosen(form: SubmittedForm) -> list[int]:
    chosen = numbers_of(form)
    if not chosen:
        raise BadInput("Select at least one proxy.", field="proxy_ids")
    return chosen
