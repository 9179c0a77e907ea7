"""A host: the policy its operator set, and the state learnt from the site."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from lamplighter.model.fields import UNSET, PartialChange, Unset
from lamplighter.model.proxy import ProxyMode
from lamplighter.model.schedule import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPolicy:
    """The limits for fetching from a host."""

    #: requests in flight at once
    max_concurrency: int = 1
    #: least time between two requests, before robots.txt and learning make it longer
    min_delay: timedelta = timedelta(milliseconds=3000)
    #: pages of this host in one run
    max_pages: int = 10
    #: decompressed bytes of one page
    max_page_bytes: int = 1024 * 1024
    #: pages are rendered in a browser, with their scripts
    allow_js: bool = False
    #: False: no requests at all, whatever is waiting
    enabled: bool = True
    #: our User-Agent there; None uses the installation's
    user_agent: str | None = None
    #: whether requests go through proxies, where there are any
    proxy_mode: ProxyMode = ProxyMode.ONLY
    #: whether its operator set that, and not only the installation
    has_own_proxy_mode: bool = False
    #: only through proxies of this country; None means any
    proxy_country: str | None = None


class PathOutcome(NamedTuple):
    """How the latest request for a path of a host ended."""

    path: str
    #: with a server error
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host (name or address, with the port when it is not the scheme's default)."""

    id: int
    key: str
    policy: HostPolicy
    #: from robots.txt; None when it says nothing
    crawl_delay: timedelta | None = None
    #: raised by 429/503, lowered by success; zero when nothing was learnt
    learnt_delay: timedelta = timedelta(0)
    #: no request before this; None means at once
    free_at: datetime | None = None
    #: no requests until then (Retry-After, breaker)
    blocked_until: datetime | None = None
    block_reason: str | None = None
    #: consecutive host-level failures
    failure_count: int = 0
    #: the latest requests by path, the newest last; known to the worker only, and so not compared
    recent_paths: tuple[PathOutcome, ...] = field(default=(), compare=False)
    #: fencing token: grows with every lease
    lease_token: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HostChange(PartialChange):
    """A change of a host by its operator, under the names of its columns; None takes the installation's default."""

    enabled: bool | Unset = UNSET
    max_concurrency: int | Unset | None = UNSET
    min_delay_ms: int | Unset | None = UNSET
    max_pages: int | Unset | None = UNSET
    max_page_kb: int | Unset | None = UNSET
    allow_js: bool | Unset | None = UNSET
    windows: tuple[Window, ...] | Unset | None = UNSET
    budget_per_hour: float | Unset | None = UNSET
    user_agent: str | Unset | None = UNSET
    proxy_mode: ProxyMode | Unset | None = UNSET
    proxy_country: str | Unset | None = UNSET
    #: of a domain, for which tasks are submitted
    parser_name: str | Unset | None = UNSET
    domain_name: str | Unset | None = UNSET
    task_frequency_seconds: int | Unset | None = UNSET
    created_at: datetime | Unset = UNSET


class RobotsState(StrEnum):
    """The three outcomes of fetching a robots.txt in RFC 9309."""

    RULES = "rules"  # 2xx: its rules apply
    UNAVAILABLE = "unavailable"  # 4xx: everything may be fetched
    UNREACHABLE = "unreachable"  # 5xx, 429, network: nothing may be fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFile:
    """The robots.txt of one origin (scheme, host, port) as last fetched."""

    origin: str
    state: RobotsState
    #: the text in effect; for UNREACHABLE the last good copy, if any
    body: bytes
    #: when it was fetched
    fetched_at: datetime
    #: when to fetch it again
    expires_at: datetime
    status: int | None = None
    #: why it is unreachable, or which redirect was followed
    detail: str | None = None
    #: consecutive times it could not be fetched
    failure_count: int = 0
    #: target of a redirect that the host had no turn for; None when there is none to follow
    led_to: str | None = None
    #: how many redirects led there
    hops: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsVerdict:
    """May this URL be fetched, and which line decided."""

    allowed: bool
    #: the deciding line as written, e.g. "Disallow: /private"; None when no line decided
    rule: str | None = None
    #: its number in the file, from 1
    line: int | None = None
    #: the user-agent group in effect: our token, "*", or None
    group: str | None = None
    crawl_delay: timedelta | None = None
