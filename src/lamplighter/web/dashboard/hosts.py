"""Hosts: how gently each is asked and why, and what an operator says about it."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Path, Query, Response

from lamplighter.errors import LamplighterError
from lamplighter.operations import host_edit, host_standing, hosts, robots, robots_standing
from lamplighter.operations.host_edit import HostWish
from lamplighter.operations.hosts import LIMITS
from lamplighter.store.host_lists import MOST_WAITING, HostState
from lamplighter.web.api.paging import DEEPEST
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_SHOWN = 50
_SHOWN_SOURCES = 20
_SORTS = {"host": ("host", False), "updated": ("updated_at", True), "delay": ("min_request_interval_ms", True)}
#: a box with three answers
_YES_NO = {"": None, "yes": True, "no": False}
#: the names in the form begin with it: it also opens above pages that have fields of their own
_PREFIX = "host_"

HostName = Annotated[str, Path(min_length=1, max_length=300)]


@ROUTES.get("/hosts", include_in_schema=False)
async def host_list(
    visit: Visiting,
    search: Annotated[Line, Query(max_length=300)] = "",
    state: str = "",
    sort: str = "host",
    offset: Annotated[int, Query(ge=0, le=DEEPEST)] = 0,
) -> Response:
    """The hosts that we have met."""
    wanted = HostState(state) if state in set(HostState) else None
    column, descending = _SORTS.get(sort, _SORTS["host"])
    async with visit.view.db.read() as db:
        found, total = await host_standing.listed(
            db,
            defaults=visit.view.norms.host,
            now=visit.now,
            search=search.strip() or None,
            state=wanted,
            sort=column,
            descending=descending,
            limit=_SHOWN,
            offset=offset,
        )
    shown: dict[str, Any] = {
        "search": search,
        "state": wanted or "",
        "sort": sort,
        "offset": offset,
        "limit": _SHOWN,
        "total": total,
    }
    return visit.page("hosts/list.html", hosts=found, states=list(HostState), most_waiting=MOST_WAITING, **shown)


@ROUTES.get("/hosts/{host}", include_in_schema=False)
async def host_detail(host: HostName, visit: Visiting) -> Response:
    """One host; in a drawer over the page when a script asks for it there."""
    return await _show(visit, hosts.host_key(host))


@ROUTES.post("/hosts/{host}/policy", include_in_schema=False)
async def change_policy(host: HostName, visit: Visiting) -> Response:
    """Makes what holds for a host what the form says."""
    key, form, view = hosts.host_key(host), await visit.form(), visit.view
    try:
        wish = _wish(form)
        is_new = await view.db.write(
            lambda db: host_edit.change(
                db,
                key,
                wish,
                norms=view.norms,
                agent=view.settings.resolved_user_agent,
                actor=visit.caller.name,
                now=visit.now,
            )
        )
    except LamplighterError as error:
        return await _show(visit, key, typed=dict(form.fields()), faults=_faults(error), is_drawer=form.has("drawer"))
    await view.door.turns.look_at_policies()
    view.hosts_changed()
    view.jobs_changed()
    holds = "it holds from the next request on, in other processes within a second"
    said = f"{key}: saved; {holds}." if is_new else f"{key}: nothing was changed."
    return visit.told(said, "lamp:host") if form.has("drawer") and visit.is_partial else visit.done(said, to=_path(key))


@ROUTES.post("/hosts/{host}/enable", include_in_schema=False)
async def enable(host: HostName, visit: Visiting) -> Response:
    """Lets a host be asked again."""
    key, view = hosts.host_key(host), visit.view
    deadline = timedelta(minutes=view.settings.run_deadline_minutes)
    await view.db.write(lambda db: hosts.enable(db, key, actor=visit.caller.name, now=visit.now, run_deadline=deadline))
    await view.door.turns.look_at_policies()
    view.hosts_changed()
    return visit.done(f"{key} is asked again.", to=_path(key))


@ROUTES.post("/hosts/{host}/disable", include_in_schema=False)
async def disable(host: HostName, visit: Visiting) -> Response:
    """Asks a host for nothing more until somebody enables it."""
    key, form = hosts.host_key(host), await visit.form()
    question = f"Ask {key} for nothing more until somebody enables it? What was to be asked of it waits."
    if (asked := visit.confirm(form, question, label="Disable the host", back=_path(key))) is not None:
        return asked
    await visit.view.db.write(lambda db: hosts.disable(db, key, actor=visit.caller.name, now=visit.now))
    await visit.view.door.turns.look_at_policies()
    visit.view.hosts_changed()
    return visit.done(f"{key} is asked for nothing more.", to=_path(key))


@ROUTES.post("/hosts/{host}/robots", include_in_schema=False)
async def refresh_robots(host: HostName, visit: Visiting) -> Response:
    """Asks a host for its robots.txt now, in its turn."""
    key = hosts.host_key(host)
    try:
        found = await robots.refresh(visit.view.db, visit.view.door.robots, key, actor=visit.caller.name, now=visit.now)
    except LamplighterError as error:
        return visit.done(f"robots.txt of {key} was not asked for: {error}", to=_path(key))
    return visit.done(f"robots.txt of {key} was asked for: {found.file.state}.", to=_path(key))


async def _show(
    visit: Visit,
    key: str,
    *,
    typed: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    is_drawer: bool = False,
) -> Response:
    view = visit.view
    async with view.db.read() as db:
        standing = await host_standing.of_host(db, key, defaults=view.norms.host, now=visit.now)
        wish = await host_edit.wish_of(db, key)
        told = await robots_standing.of_host(db, key, token=view.door.robots.token)
        watched = await host_standing.watched(db, standing, limit=_SHOWN_SOURCES)
    shown: dict[str, Any] = {
        "standing": standing,
        "wish": wish,
        "policy": standing.host.policy,
        "defaults": view.norms.host,
        "limits": LIMITS,
        "agent": view.settings.resolved_user_agent,
        "host_budget": view.norms.host_budget_per_hour,
        "typed": _filled_in(wish) | dict(typed or {}),
        "faults": faults or {},
        "robots": told,
        "watched": watched,
        "most_waiting": MOST_WAITING,
        "is_drawer": is_drawer or visit.target == "dialog",
    }
    status = 422 if faults else 200
    if faults and visit.is_partial:
        return visit.part("hosts/policy_form.html", status=status, **shown)
    if visit.target == "dialog":
        return visit.part("hosts/drawer.html", **shown)
    return visit.page("hosts/one.html", status=status, **shown)


def _wish(form: Form) -> HostWish:
    """What the form says of the host."""
    return HostWish(
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


def _filled_in(wish: HostWish) -> dict[str, str]:
    """What stands in the form before anybody typed."""
    values = {field.name: getattr(wish, field.name) for field in fields(wish)}
    words = {True: "yes", False: "no", None: ""}
    return {
        _PREFIX + name: words[value] if value is None or isinstance(value, bool) else str(value)
        for name, value in values.items()
    }


def _faults(error: LamplighterError) -> dict[str, str]:
    """What is to stand beside which field of the form."""
    found = faults_of(error)
    return {name if not name or name.startswith(_PREFIX) else _PREFIX + name: text for name, text in found.items()}


def _path(key: str) -> str:
    return f"/hosts/{quote(key)}"
