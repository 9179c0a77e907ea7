"""Which links of a page may be followed?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from lamplighter.model.fields import compact
from lamplighter.model.reading import Link, PageRole
from lamplighter.rules.urls import traps, urls


@compact
@dataclass(frozen=True, slots=True, kw_only=True)
class LinkScope:
    """The limits for following links in a run."""

    #: sites (registrable hosts) that belong to the source
    hostnames: tuple[str, ...]
    #: links followed from the start URL; -1 is without limit
    max_depth: int


def in_scope(links: Sequence[Link], *, depth: int, scope: LinkScope, now: datetime) -> list[Link]:
    """The links of a page at `depth` that may be followed: not too deep, on the source's site, and no trap."""
    if too_deep(links, depth=depth, scope=scope):
        links = [link for link in links if depth_of(link.role, found_at=depth) <= scope.max_depth]
    judge = _judge(scope.hostnames, now.year)
    return [link for link in links if judge(link.url)]


def too_deep(links: Sequence[Link], *, depth: int, scope: LinkScope) -> int:
    """How many links of a page at `depth` are too far from the start page to be followed."""
    if scope.max_depth < 0 or depth < scope.max_depth:  # a page at the maximum depth is followed no further
        return 0
    return sum(depth_of(link.role, found_at=depth) > scope.max_depth for link in links)


def depth_of(role: PageRole, *, found_at: int) -> int:
    """Pages that "next" links lead to stay at the depth of their listing; any other page is one link deeper."""
    return found_at if role is PageRole.LISTING else found_at + 1


@lru_cache(maxsize=256)
def _judge(hostnames: tuple[str, ...], year: int) -> Callable[[str], bool]:
    """A cached check that a URL is on the source's site and no trap; the same links are on many pages."""

    @lru_cache(maxsize=512)
    def may_be_followed(url: str) -> bool:
        return is_on_site(urls.origin_of(url)) and traps.trap_reason(url, now_year=year) is None

    @lru_cache(maxsize=64)
    def is_on_site(origin: str) -> bool:
        hostname = urls.parse(origin).hostname
        return any(hostname == name or urls.same_site(hostname, name) for name in hostnames)

    return may_be_followed
