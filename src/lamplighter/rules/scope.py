"""Which of the links on a page may be followed?"""

from collections.abc import Iterable, Iterator
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


def in_scope(links: Iterable[Link], *, depth: int, scope: Scope, now: datetime) -> Iterator[Link]:
    """The links of a page at `depth` that may be followed: not too deep, on the source's site, and no trap."""
    near_enough = _near_enough(depth, scope)
    hostnames, year = scope.hostnames, now.year
    for link in links:
        if link.role in near_enough and _may_be_followed(link.url, hostnames, year):
            yield link


def too_deep(links: Iterable[Link], *, depth: int, scope: Scope) -> int:
    """How many links of a page at `depth` lead too far from the start page to be followed."""
    near_enough = _near_enough(depth, scope)
    return sum(link.role not in near_enough for link in links)


def _near_enough(depth: int, scope: Scope) -> set[Role]:
    return {role for role in Role if depth_of(role, found_at=depth) <= scope.max_depth}


def depth_of(role: Role, *, found_at: int) -> int:
    """ "Next" pages stay at the depth of their listing; anything else is one link further."""
    return found_at if role is Role.LISTING else found_at + 1


@lru_cache(maxsize=16384)
def _may_be_followed(url: str, hostnames: tuple[str, ...], year: int) -> bool:
    """On the source's site, and no trap; the same links stand on page after page, so this is mostly remembered."""
    hostname = urls.parse(url).hostname
    is_on_site = any(hostname == name or urls.same_site(hostname, name) for name in hostnames)
    return is_on_site and traps.trap_reason(url, now_year=year) is None
