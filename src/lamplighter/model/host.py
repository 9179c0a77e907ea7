"""A host: the policy its operator set, and the state learnt from the site."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from lamplighter.model.exit import ProxyMode


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPolicy:
    """What we allow ourselves on a host."""

    #: requests in flight at once
    max_concurrency: int = 1
    #: least time between two requests, before robots and learning make it longer
    min_delay: timedelta = timedelta(milliseconds=3000)
    #: pages of this host in one run
    max_pages: int = 10
    #: decompressed bytes of one page
    max_page_bytes: int = 1024 * 1024
    #: pages are read as a browser shows them, after their scripts have run
    allow_js: bool = False
    #: False: not asked at all, whatever waits to be asked of it
    enabled: bool = True
    #: what we call ourselves there; None leaves it to the installation
    user_agent: str | None = None
    #: whether it is asked through proxies, where there are any
    proxy_mode: ProxyMode = ProxyMode.ONLY
    #: whether its operator said so, and not only the installation
    has_own_proxy_mode: bool = False
    #: only through proxies of this country; None means of any
    proxy_country: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One host (name or address, with the port when it is not the scheme's own)."""

    id: int
    key: str
    policy: HostPolicy
    #: from robots.txt; None when it says nothing
    crawl_delay: timedelta | None = None
    #: raised by 429/503, lowered by success; zero when nothing was learnt
    learnt_delay: timedelta = timedelta(0)
    #: no request before this; None means at once
    free_at: datetime | None = None
    #: asked to stay away until then (Retry-After, breaker)
    blocked_until: datetime | None = None
    block_reason: str | None = None
    #: consecutive host-level failures
    failure_count: int = 0
    #: fencing token: grows with every lease
    lease_token: int = 0


class RobotsState(StrEnum):
    """RFC 9309's three ways a robots.txt can turn out."""

    RULES = "rules"  # 2xx: what it says
    UNAVAILABLE = "unavailable"  # 4xx: everything may be asked
    UNREACHABLE = "unreachable"  # 5xx, 429, network: nothing may be asked


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFile:
    """The robots.txt of one origin (scheme, host, port) as last seen."""

    origin: str
    state: RobotsState
    #: the text in force; for UNREACHABLE the last good copy, if any
    body: bytes
    #: when the answer was got
    fetched_at: datetime
    #: when to ask again
    expires_at: datetime
    status: int | None = None
    #: why it is unreachable, or which redirect was followed
    detail: str | None = None
    #: consecutive times it could not be had
    failure_count: int = 0
    #: where a redirect leads that the host had no turn for; None when there is none to be followed
    led_to: str | None = None
    #: how many redirects were followed to come there
    hops: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsVerdict:
    """May this URL be asked, and which line decided."""

    allowed: bool
    #: the deciding line as written, e.g. "Disallow: /private"; None when no line decided
    rule: str | None = None
    #: its number in the file, from 1
    line: int | None = None
    #: the user-agent group in force: our token, "*", or None
    group: str | None = None
    crawl_delay: timedelta | None = None
