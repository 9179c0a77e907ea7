"""Which discovered URLs become pages of a run?"""

from collections.abc import Iterable, Iterator, Mapping
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
    near_enough = {role for role in Role if depth_of(role, found_at=depth) <= scope.max_depth}
    hostnames, year = scope.hostnames, now.year
    for link in links:
        if link.role in near_enough and _may_be_followed(link.url, hostnames, year):
            yield link


def depth_of(role: Role, *, found_at: int) -> int:
    """ "Next" pages stay at the depth of their listing; anything else is one link further."""
    return found_at if role is Role.LISTING else found_at + 1


def leads_back(target: str, page: str, redirects: Mapping[str, str], *, limit: int) -> bool:
    """Whether following a redirect from `page` to `target` ends in a circle, as far as this run has seen."""
    for _ in range(limit + 1):
        if target == page:
            return True
        if target not in redirects:
            return False
        target = redirects[target]
    return True


def is_due_again(*, role: Role, fetched_at: datetime | None, changed_at: datetime | None, now: datetime) -> bool:
    """Whether a page known from an earlier run is asked for again because it was linked.

    A sitemap's word that it changed since is worth a visit; its word that it did not is worth nothing.
    """
    if role is not Role.LINK or fetched_at is None:
        return True
    if changed_at is not None and fetched_at < changed_at <= now:
        return True
    return now - fetched_at >= REVISIT_LINKED_AFTER


@lru_cache(maxsize=16384)
def _may_be_followed(url: str, hostnames: tuple[str, ...], year: int) -> bool:
    """On the source's site, and no trap; the same links stand on page after page, so this is mostly remembered."""
    hostname = urls.parse(url).hostname
    is_on_site = any(hostname == name or urls.same_site(hostname, name) for name in hostnames)
    return is_on_site and traps.trap_reason(url, now_year=year) is None
