"""Hosts: how gently each is asked, and what its robots.txt says."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from lamplighter.operations import hosts, robots
from lamplighter.operations.hosts import EXITS, LIMITS, HostOverview
from lamplighter.operations.robots import KnownRobots
from lamplighter.store.database import Connection
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/admin", tag="hosts")

HostName = Annotated[Line, Path(min_length=1, max_length=300, description="example.org, or example.org:8080.")]
Scheme = Annotated[Literal["http", "https"] | None, Query(description="Where both have one; the newer if not given.")]
#: the name of each value here -> inside
_NAMES = {
    "max_concurrency": "max_concurrency",
    "min_request_interval_ms": "min_delay_ms",
    "max_pages": "max_pages",
    "max_kb_per_page": "max_page_kb",
    "allow_js": "allow_js",
    "proxy_mode": "proxy_mode",
    "proxy_country": "proxy_country",
}


def _number(name: str) -> Any:
    least, most = LIMITS[name]
    return Field(None, ge=least, le=most)


class PolicyChange(BaseModel):
    """What is to change; null goes back to the installation's default."""

    model_config = ConfigDict(extra="forbid", strict=True)

    max_concurrency: int | None = _number("max_concurrency")
    min_request_interval_ms: int | None = _number("min_delay_ms")
    max_pages: int | None = _number("max_pages")
    max_kb_per_page: int | None = _number("max_page_kb")
    allow_js: bool | None = None
    proxy_mode: Literal["only", "prefer", "never"] | None = Field(
        None, description="Through proxies or not at all, directly while none is usable, or always directly."
    )
    proxy_country: str | None = Field(
        None, pattern="^[A-Za-z]{2}$", description="Only through proxies of this country."
    )


class Policy(BaseModel):
    """What holds for a host."""

    host: str
    max_concurrency: int
    min_request_interval_ms: int
    max_pages: int
    max_kb_per_page: int
    allow_js: bool
    proxy_mode: str
    proxy_country: str | None
    #: which of these somebody set; the others are the installation's defaults
    own: list[str]
    enabled: bool
    user_agent: str | None
    #: asked for by robots.txt, and learnt from being told to slow down; the longest of the three holds
    crawl_delay_ms: int | None
    learnt_delay_ms: int
    #: the last trouble we had with it, or ok; null while it was never asked
    last_seen_status: str | None
    updated_at: datetime | None


class Policies(BaseModel):
    """A page of the list."""

    policies: list[Policy]
    total: int
    limit: int
    offset: int


class RobotsEntry(BaseModel):
    """A host's robots.txt as last seen."""

    host: str
    origin: str
    robots_txt: str
    fetched_at: datetime
    expires_at: datetime
    crawl_delay_ms: int | None
    #: paths that it forbids us
    disallow: list[str]
    #: rules: it is followed; unavailable: there is none; unreachable: nothing may be asked until it can be had
    state: str
    status: int | None
    detail: str | None


_POLICY_EXAMPLE = {
    "host": "example.org",
    "max_concurrency": 1,
    "min_request_interval_ms": 5000,
    "max_pages": 10,
    "max_kb_per_page": 1024,
    "allow_js": False,
    "proxy_mode": "only",
    "proxy_country": None,
    "own": ["min_request_interval_ms"],
    "enabled": True,
    "user_agent": None,
    "crawl_delay_ms": None,
    "learnt_delay_ms": 0,
    "last_seen_status": "ok",
    "updated_at": "2026-03-02T12:00:00Z",
}
_ROBOTS_EXAMPLE = {
    "host": "example.org",
    "origin": "https://example.org",
    "robots_txt": "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n",
    "fetched_at": "2026-03-02T12:00:00Z",
    "expires_at": "2026-03-03T00:00:00Z",
    "crawl_delay_ms": 5000,
    "disallow": ["/private"],
    "state": "rules",
    "status": 200,
    "detail": None,
}


@ROUTES.get(
    "/domain_policies",
    response_model=Policies,
    example={"policies": [_POLICY_EXAMPLE], "total": 1, "limit": 50, "offset": 0},
)
async def policies(
    view: View,
    search: Annotated[Line | None, Query(max_length=300, description="A part of the host's name.")] = None,
    sort_by: Literal["host", "updated_at", "min_request_interval_ms"] = "host",
    sort_order: Literal["asc", "desc"] = "asc",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """The hosts that we have met, and what holds for each."""
    async with view.db.read() as db:
        found, total = await hosts.listed(
            db,
            defaults=view.norms.host,
            now=view.clock.now(),
            search=search,
            sort=sort_by,
            descending=sort_order == "desc",
            limit=limit,
            offset=offset,
        )
    return listed("policies", [_policy(each) for each in found], total=total, limit=limit, offset=offset)


@ROUTES.get("/domain_policies/{host}", response_model=Policy, example=_POLICY_EXAMPLE)
async def policy(host: HostName, view: View) -> Any:
    """What holds for a host; for one that we have not met, what would."""
    return await _policy_of(view, hosts.host_key(host))


@ROUTES.post("/domain_policies/{host}", response_model=Policy, example=_POLICY_EXAMPLE)
async def change_policy(host: HostName, change: PolicyChange, view: View, caller: Asking) -> Any:
    """Changes what is given and leaves the rest; it takes effect with the next request, also of runs that go on."""
    key = hosts.host_key(host)
    given = {_NAMES[name]: getattr(change, name) for name in change.model_fields_set}
    if given:
        await view.db.write(lambda db: _change(db, key, given, actor=caller.name, now=view.clock.now()))
        await view.door.turns.look_at_policies()
        view.hosts_changed()
    return await _policy_of(view, key)


@ROUTES.get("/robots/{host}", response_model=RobotsEntry, example=_ROBOTS_EXAMPLE)
async def robots_entry(host: HostName, view: View, scheme: Scheme = None) -> Any:
    """The host's robots.txt as we last saw it."""
    async with view.db.read() as db:
        return _entry(await robots.get(db, hosts.host_key(host), token=view.door.robots.token, scheme=scheme))


@ROUTES.post("/robots/{host}/refresh", response_model=RobotsEntry, errors=(409,), example=_ROBOTS_EXAMPLE)
async def refresh_robots(host: HostName, view: View, caller: Asking, scheme: Scheme = None) -> Any:
    """Asks the host for its robots.txt now, in its turn, however fresh our copy is."""
    key, now = hosts.host_key(host), view.clock.now()
    return _entry(await robots.refresh(view.db, view.door.robots, key, actor=caller.name, now=now, scheme=scheme))


async def _change(db: Connection, key: str, given: dict[str, Any], *, actor: str, now: datetime) -> None:
    exits = {name: given[name] for name in EXITS if name in given}
    limits = {name: value for name, value in given.items() if name not in exits}
    if limits:
        await hosts.set_policy(db, key, actor=actor, now=now, **limits)
    if exits:
        await hosts.change_exits(db, key, exits, actor=actor, now=now)


async def _policy_of(view: View, key: str) -> dict[str, Any]:
    async with view.db.read() as db:
        return _policy(await hosts.overview(db, key, defaults=view.norms.host, now=view.clock.now()))


def _policy(found: HostOverview) -> dict[str, Any]:
    own = [name for name, inside in _NAMES.items() if inside in found.own]
    return {
        "host": found.key,
        "max_concurrency": found.policy.max_concurrency,
        "min_request_interval_ms": round(found.policy.min_delay.total_seconds() * 1000),
        "max_pages": found.policy.max_pages,
        "max_kb_per_page": found.policy.max_page_bytes // 1024,
        "allow_js": found.policy.allow_js,
        "proxy_mode": found.policy.proxy_mode,
        "proxy_country": found.policy.proxy_country,
        "own": own,
        "enabled": found.policy.enabled,
        "user_agent": found.policy.user_agent,
        "crawl_delay_ms": None if found.crawl_delay is None else round(found.crawl_delay.total_seconds() * 1000),
        "learnt_delay_ms": round(found.learnt_delay.total_seconds() * 1000),
        "last_seen_status": found.status,
        "updated_at": found.updated_at,
    }


def _entry(found: KnownRobots) -> dict[str, Any]:
    file = found.file
    return {
        "host": found.host,
        "origin": file.origin,
        "robots_txt": file.body.decode("utf-8", "replace"),
        "fetched_at": file.fetched_at,
        "expires_at": file.expires_at,
        "crawl_delay_ms": None if found.crawl_delay is None else round(found.crawl_delay.total_seconds() * 1000),
        "disallow": list(found.disallow),
        "state": file.state,
        "status": file.status,
        "detail": file.detail,
    }
