"""Hosts: the policy of each, and its robots.txt."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts, robots
from lamplighter.operations.hosts.hosts import LIMITS, PROXY_FIELDS, HostOverview
from lamplighter.store.engine.database import Connection
from lamplighter.web.api.envelope import Milliseconds, listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.values import Given, Limit, Line, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/admin", tag="hosts")
HostName = Annotated[Line, Path(min_length=1, max_length=300, description="example.org, or example.org:8080.")]
Scheme = Annotated[Literal["http", "https"] | None, Query(description="Where both have one; the newer if not given.")]
#: field of this API -> field of the host policy
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


class PolicyChange(Given):
    """Changes of a host policy; null restores the default."""

    model_config = ConfigDict(strict=True)

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


def _own_names(inside: Collection[str]) -> list[str]:
    return [name for name, own in _NAMES.items() if own in inside]


def _decoded(body: bytes) -> str:
    return body.decode("utf-8", "replace")


#: converted from the names and units of the operations
_Own = Annotated[list[str], BeforeValidator(_own_names)]
_Kilobytes = Annotated[int, BeforeValidator(lambda size: size // 1024)]


class HostPolicyOut(BaseModel):
    """A host's policy."""

    host: str = taken_from("key")
    max_concurrency: int = taken_from("policy", "max_concurrency")
    min_request_interval_ms: Milliseconds = taken_from("policy", "min_delay")
    max_pages: int = taken_from("policy", "max_pages")
    max_kb_per_page: _Kilobytes = taken_from("policy", "max_page_bytes")
    allow_js: bool = taken_from("policy", "allow_js")
    proxy_mode: str = taken_from("policy", "proxy_mode")
    proxy_country: str | None = taken_from("policy", "proxy_country")
    #: the fields that an operator set; the others are defaults
    own: _Own = Field(examples=[["min_request_interval_ms"]])
    enabled: bool = taken_from("policy", "enabled")
    user_agent: str | None = taken_from("policy", "user_agent")
    #: the Crawl-delay of robots.txt, and the delay learnt from rate limiting; the longest of the three applies
    crawl_delay_ms: Milliseconds | None = taken_from("crawl_delay")
    learnt_delay_ms: Milliseconds = taken_from("learnt_delay")
    #: the host's last failure, or ok; null before the first request
    last_seen_status: str | None = taken_from("status", examples=["ok"])
    updated_at: datetime | None


class RobotsEntry(BaseModel):
    """A host's stored robots.txt."""

    host: str
    origin: str = taken_from("file", "origin")
    robots_txt: Annotated[str, BeforeValidator(_decoded)] = taken_from("file", "body")
    fetched_at: datetime = taken_from("file", "fetched_at")
    expires_at: datetime = taken_from("file", "expires_at")
    crawl_delay_ms: Milliseconds | None = taken_from("crawl_delay")
    #: paths that it disallows for us
    disallow: list[str] = Field(examples=[["/private"]])
    #: rules: it is followed; unavailable: there is none; unreachable: no requests until it can be fetched
    state: str = taken_from("file", "state", examples=["rules"])
    status: int | None = taken_from("file", "status")
    detail: str | None = taken_from("file", "detail")


@ROUTES.get("/domain_policies", response_model=part_of("policies", HostPolicyOut))
async def policies(
    view: View,
    search: Annotated[Line | None, Query(max_length=300, description="A part of the host's name.")] = None,
    sort_by: Literal["host", "updated_at", "min_request_interval_ms"] = "host",
    sort_order: Literal["asc", "desc"] = "asc",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """The known hosts and the policy of each."""
    async with view.db.read() as db:
        found, total = await hosts.listed(
            db,
            defaults=view.source_defaults.host,
            now=view.clock.now(),
            search=search,
            sort=sort_by,
            descending=sort_order == "desc",
            limit=limit,
            offset=offset,
        )
    return listed("policies", found, total=total, limit=limit, offset=offset)


@ROUTES.get("/domain_policies/{host}", response_model=HostPolicyOut)
async def policy(host: HostName, view: View) -> Any:
    """A host's policy; for an unknown host, the defaults."""
    return await _policy_of(view, hosts.host_key(host))


@ROUTES.post("/domain_policies/{host}", response_model=HostPolicyOut)
async def change_policy(host: HostName, change: PolicyChange, view: View, caller: Asking) -> Any:
    """Changes the given fields and keeps the others; takes effect with the next request, also in current runs."""
    key = hosts.host_key(host)
    given = {_NAMES[name]: getattr(change, name) for name in change.model_fields_set}
    if given:
        await view.db.write(lambda db: _change(db, key, given, stamp=view.stamp(caller)))
        await view.sites.door.turns.refresh_policies()
    return await _policy_of(view, key)


@ROUTES.get("/robots/{host}", response_model=RobotsEntry)
async def robots_entry(host: HostName, view: View, scheme: Scheme = None) -> Any:
    """The host's robots.txt as last fetched."""
    async with view.db.read() as db:
        return await robots.get(db, hosts.host_key(host), token=view.sites.door.robots.token, scheme=scheme)


@ROUTES.post("/robots/{host}/refresh", response_model=RobotsEntry, errors=(409,))
async def refresh_robots(host: HostName, view: View, caller: Asking, scheme: Scheme = None) -> Any:
    """Fetches the host's robots.txt now, in its turn, however fresh our copy is."""
    key, stamp = hosts.host_key(host), view.stamp(caller)
    return await robots.refresh(view.db, view.sites.door.robots, key, stamp=stamp, scheme=scheme)


async def _change(db: Connection, key: str, given: dict[str, Any], *, stamp: Stamp) -> None:
    proxy_fields = {name: given[name] for name in PROXY_FIELDS if name in given}
    limits = {name: value for name, value in given.items() if name not in proxy_fields}
    if limits:
        await hosts.set_policy(db, key, HostChange(**limits), stamp=stamp)
    if proxy_fields:
        await hosts.change_proxies(db, key, proxy_fields, stamp=stamp)


async def _policy_of(view: View, key: str) -> HostOverview:
    return await view.read(lambda db: hosts.overview(db, key, defaults=view.source_defaults.host, now=view.clock.now()))
