"""Which discovered URLs become pages of a run?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from lamplighter.model.reading import Link, Role
from lamplighter.rules import traps, urls

#: a linked page that was read this recently is not asked for again just because a listing names it
REVISIT_LINKED_AFTER = timedelta(hours=24)
#: pages that lead on by "next"
LISTING_ROLES = frozenset({Role.SEED, Role.LISTING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a run may follow."""

    #: sites (registrable hosts) that belong to the source
    hostnames: tuple[str, ...]
    #: links followed from the start URL
    max_depth: int


def rank(*, priority: int, depth: int) -> int:
    """Order of a page within its host, lowest first: higher priority, then smaller depth."""
    return (100 - priority) * 1000 + min(max(depth, 0), 999)


def in_scope(links: Iterable[Link], *, depth: int, scope: Scope, now: datetime) -> Iterator[Link]:
    """The links of a page at `depth` that may be followed: not too deep, on the source's site, and no trap."""
    for link in links:
        if depth_of(link.role, found_at=depth) > scope.max_depth:
            continue
        if _is_on_site(link.url, scope.hostnames) and _is_no_trap(link.url, now.year):
            yield link


def depth_of(role: Role, *, found_at: int) -> int:
    """ "Next" pages stay at the depth of their listing; anything else is one link further."""
    return found_at if role is Role.LISTING else found_at + 1


def is_due_again(*, role: Role, fetched_at: datetime | None, now: datetime) -> bool:
    """Whether a page known from an earlier run is asked for again because it was linked."""
    if role is not Role.LINK or fetched_at is None:
        return True
    return now - fetched_at >= REVISIT_LINKED_AFTER


# The same links stand on page after page of a site, so the two checks below are mostly remembered.


@lru_cache(maxsize=65536)
def _is_on_site(url: str, hostnames: tuple[str, ...]) -> bool:
    hostname = urls.parse(url).hostname
    return any(hostname == name or urls.same_site(hostname, name) for name in hostnames)


@lru_cache(maxsize=65536)
def _is_no_trap(url: str, year: int) -> bool:
    return traps.trap_reason(url, now_year=year) is None
