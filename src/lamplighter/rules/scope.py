"""Which of the links on a page may be followed?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from lamplighter.model.reading import Link, Role
from lamplighter.rules import traps, urls


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a run may follow."""

    #: sites (registrable hosts) that belong to the source
    hostnames: tuple[str, ...]
    #: links followed from the start URL
    max_depth: int


def in_scope(links: Sequence[Link], *, depth: int, scope: Scope, now: datetime) -> list[Link]:
    """The links of a page at `depth` that may be followed: not too deep, on the source's site, and no trap."""
    if too_deep(links, depth=depth, scope=scope):
        links = [link for link in links if depth_of(link.role, found_at=depth) <= scope.max_depth]
    judge = _judge(scope.hostnames, now.year)
    return [link for link in links if judge(link.url)]


def too_deep(links: Sequence[Link], *, depth: int, scope: Scope) -> int:
    """How many links of a page at `depth` lead too far from the start page to be followed."""
    if depth < scope.max_depth:  # not even a link is
        return 0
    return sum(depth_of(link.role, found_at=depth) > scope.max_depth for link in links)


def depth_of(role: Role, *, found_at: int) -> int:
    """ "Next" pages stay at the depth of their listing; anything else is one link further."""
    return found_at if role is Role.LISTING else found_at + 1


@lru_cache(maxsize=256)
def _judge(hostnames: tuple[str, ...], year: int) -> Callable[[str], bool]:
    """Says whether a URL is on the source's site, and no trap; the same links stand on page after page."""

    @lru_cache(maxsize=512)
    def may_be_followed(url: str) -> bool:
        return is_on_site(urls.origin_of(url)) and traps.trap_reason(url, now_year=year) is None

    @lru_cache(maxsize=64)
    def is_on_site(origin: str) -> bool:
        hostname = urls.parse(origin).hostname
        return any(hostname == name or urls.same_site(hostname, name) for name in hostnames)

    return may_be_followed
