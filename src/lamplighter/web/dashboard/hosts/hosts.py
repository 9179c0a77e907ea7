"""The hosts pages: politeness state and host policy."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Path, Query, Response

from lamplighter.errors import LamplighterError
from lamplighter.operations.hosts import host_edit, host_status, hosts, robots
from lamplighter.operations.hosts.host_edit import HostInput
from lamplighter.operations.hosts.hosts import LIMITS
from lamplighter.rules.formats.typed_text import DEEPEST
from lamplighter.store.hosts import host_lists
from lamplighter.store.hosts.host_lists import MOST_WAITING, HostState
from lamplighter.store.runs import run_strips
from lamplighter.web.dashboard import plots
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.routes import Pages
from lamplighter.web.values import Line

ROUTES = Pages()
_SHOWN = 50
_SHOWN_SOURCES = 20
_SORTS = {"host": ("host", False), "updated": ("updated_at", True), "delay": ("min_request_interval_ms", True)}
#: values of a three-way select box
_YES_NO = {"": None, "yes": True, "no": False}
#: prefix of the form's field names: the form also opens above pages with fields of their own
_PREFIX = "host_"

HostName = Annotated[str, Path(min_length=1, max_length=300)]


@ROUTES.get("/hosts")
async def host_list(
    request: ThisRequest,
    search: Annotated[Line, Query(max_length=300)] = "",
    state: str = "",
    sort: str = "host",
    offset: Annotated[int, Query(ge=0, le=DEEPEST)] = 0,
) -> Response:
    """The list of known hosts, or its plot when a script renews it."""
    drawn = await plots.shown(request, "response-times")
    if request.target == plots.ELEMENT:
        return request.part("parts/plots.html", **drawn)
    wanted = HostState(state) if state in set(HostState) else None
    column, descending = _SORTS.get(sort, _SORTS["host"])
    async with request.view.db.read() as db:
        found, total = await host_status.listed(
            db,
            defaults=request.view.source_defaults.host,
            now=request.now,
            search=search.strip() or None,
            state=wanted,
            sort=column,
            descending=descending,
            limit=_SHOWN,
            offset=offset,
        )
        strips = await run_strips.of_hosts(db, [each.host.id for each in found])
    shown: dict[str, Any] = {
        "search": search,
        "state": wanted or "",
        "sort": sort,
        "offset": offset,
        "limit": _SHOWN,
        "total": total,
        "strips": strips,
    } | drawn
    return request.page("hosts/list.html", hosts=found, states=list(HostState), most_waiting=MOST_WAITING, **shown)


@ROUTES.get("/hosts/{host}")
async def host_detail(host: HostName, request: ThisRequest) -> Response:
    """One host, as a page or as a dialog."""
    return await _show(request, hosts.host_key(host))


@ROUTES.post("/hosts/{host}/policy")
async def change_policy(host: HostName, request: ThisRequest) -> Response:
    """Saves the host policy from the form."""
    key, form, view = hosts.host_key(host), await request.form(), request.view
    try:
        submitted = _submitted(form)
        is_new = await view.db.write(
            lambda db: host_edit.change(
                db,
                key,
                submitted,
                source_defaults=view.source_defaults,
                agent=view.settings.resolved_user_agent,
                stamp=request.stamp,
            )
        )
    except LamplighterError as error:
        return await _show(request, key, typed=dict(form.fields()), faults=_faults(error), is_drawer=form.has("drawer"))
    await view.sites.door.turns.refresh_policies()
    holds = "it applies from the next request on, in other processes within a second"
    said = f"{key}: saved; {holds}." if is_new else f"{key}: nothing was changed."
    return (
        request.toast(said, "lamp:host")
        if form.has("drawer") and request.is_partial
        else request.done(said, to=_path(key))
    )


@ROUTES.post("/hosts/{host}/enable")
async def enable(host: HostName, request: ThisRequest) -> Response:
    """Enables a host."""
    key, view = hosts.host_key(host), request.view
    deadline = view.run_deadline
    await view.db.write(lambda db: hosts.enable(db, key, stamp=request.stamp, run_deadline=deadline))
    await view.sites.door.turns.refresh_policies()
    return request.done(f"{key} is enabled.", to=_path(key))


@ROUTES.post("/hosts/{host}/disable")
async def disable(host: HostName, request: ThisRequest) -> Response:
    """Disables a host: no request is sent until an operator enables it."""
    key, form = hosts.host_key(host), await request.form()
    question = f"Disable {key}? No request is sent to it until an operator enables it; its pages wait."
    request.confirm(form, question, label="Disable the host", back=_path(key))
    await request.write(lambda db: hosts.disable(db, key, stamp=request.stamp))
    await request.view.sites.door.turns.refresh_policies()
    return request.done(f"{key} is disabled.", to=_path(key))


@ROUTES.post("/hosts/{host}/robots")
async def refresh_robots(host: HostName, request: ThisRequest) -> Response:
    """Fetches the robots.txt of a host now, in its turn."""
    key = hosts.host_key(host)
    try:
        found = await robots.refresh(request.view.db, request.view.sites.door.robots, key, stamp=request.stamp)
    except LamplighterError as error:
        return request.done(f"robots.txt of {key} was not fetched: {error}", to=_path(key))
    return request.done(f"robots.txt of {key} was fetched: {found.file.state}.", to=_path(key))


async def _show(
    request: PageRequest,
    key: str,
    *,
    typed: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    is_drawer: bool = False,
) -> Response:
    view = request.view
    async with view.db.read() as db:
        found = await host_status.of_host(db, key, defaults=view.source_defaults.host, now=request.now)
        submitted = await host_edit.input_of(db, key)
        robots_answer = await robots.of_host(db, key, token=view.sites.door.robots.token)
        watched = await host_lists.start_pages(db, found.host.id, limit=_SHOWN_SOURCES)
        strips = await run_strips.of_sources(db, [each.id for each in watched])
        strip = (await run_strips.of_hosts(db, [found.host.id])).get(found.host.id, [])
    shown: dict[str, Any] = {
        "host_status": found,
        "submitted": submitted,
        "policy": found.host.policy,
        "defaults": view.source_defaults.host,
        "limits": LIMITS,
        "agent": view.settings.resolved_user_agent,
        "host_budget": view.source_defaults.host_budget_per_hour,
        "typed": _filled_in(submitted) | dict(typed or {}),
        "faults": faults or {},
        "robots": robots_answer,
        "watched": watched,
        "strips": strips,
        "strip": strip,
        "most_waiting": MOST_WAITING,
        "is_drawer": is_drawer or request.target == "dialog",
    }
    if faults and request.is_partial:
        return request.part("hosts/policy_form.html", **shown)
    if request.target == "dialog":
        return request.part("hosts/drawer.html", **shown)
    shown |= await plots.shown_of_host(request, found.host.id, key)
    if request.target == plots.ELEMENT:
        return request.part("parts/plots.html", **shown)
    return request.page("hosts/one.html", **shown)


def _submitted(form: SubmittedForm) -> HostInput:
    """The host policy input from the form."""
    return HostInput(
        min_delay_ms=form.whole_number("host_min_delay_ms"),
        max_concurrency=form.whole_number("host_max_concurrency"),
        max_pages=form.whole_number("host_max_pages"),
        max_page_kb=form.whole_number("host_max_page_kb"),
        allow_js=_YES_NO.get(form.text("host_allow_js")),
        user_agent=form.text("host_user_agent") or None,
        windows=form.text("host_windows"),
        budget_per_hour=form.number("host_budget_per_hour"),
        proxy_mode=form.text("host_proxy_mode") or None,
        proxy_country=form.text("host_proxy_country").upper() or None,
    )


def _filled_in(submitted: HostInput) -> dict[str, str]:
    """The initial values of the form."""
    values = {field.name: getattr(submitted, field.name) for field in fields(submitted)}
    words = {True: "yes", False: "no", None: ""}
    return {
        _PREFIX + name: words[value] if value is None or isinstance(value, bool) else str(value)
        for name, value in values.items()
    }


def _faults(error: LamplighterError) -> dict[str, str]:
    """The error of each form field."""
    found = faults_of(error)
    return {name if not name or name.startswith(_PREFIX) else _PREFIX + name: text for name, text in found.items()}


def _path(key: str) -> str:
    return f"/hosts/{quote(key)}"
