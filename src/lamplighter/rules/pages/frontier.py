"""Which pages of a run come first, and which known pages are fetched again?"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from lamplighter.model.page import RevisitState
from lamplighter.model.reading import PageRole
from lamplighter.rules.change import revisit_delay

#: a page found in several roles keeps the one of the highest weight: start page, then listing page, then mere link
_WEIGHTS = {PageRole.LINK: 0, PageRole.LISTING: 1, PageRole.SEED: 2}
#: pages of this priority and above are requested from the host separately from the others
URGENT = 90

#: pages of a source that may wait for later runs, unless its page budget is greater
_LEAST_WAITING = 200


class _Waiting(Protocol):
    """A page that waits for room in its run."""

    @property
    def id(self) -> int: ...
    @property
    def role(self) -> PageRole: ...
    @property
    def fetched_at(self) -> datetime | None: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def due_at(self) -> datetime | None: ...
    @property
    def revisit(self) -> RevisitState: ...


_W = TypeVar("_W", bound=_Waiting)


def rank(*, priority: int, depth: int) -> int:
    """Order of a page within its host, lowest first: higher priority, then smaller depth."""
    return (100 - priority) * 1000 + min(max(depth, 0), 999)


def priority_of(rank: int) -> int:
    """The priority from which a rank was made."""
    return 100 - rank // 1000


def outranks(role: PageRole, other: PageRole) -> bool:
    """Whether a page found in this role no longer counts in the other role."""
    return _WEIGHTS[role] > _WEIGHTS[other]


def leads_back(target: str, page: str, redirects: Mapping[str, str]) -> bool:
    """Whether following a redirect from `page` to `target` ends in a loop, as far as this run has seen."""
    passed = {page}
    while target not in passed:
        if target not in redirects:
            return False
        passed.add(target)
        target = redirects[target]
    return True


def leading_to(page: str, redirects: Mapping[str, str]) -> set[str]:
    """The URLs whose redirects led to this page."""
    found, newest = set[str](), {page}
    while newest:
        newest = {url for url, target in redirects.items() if target in newest} - found
        found |= newest
    return found


def is_due_again(
    *, role: PageRole, fetched_at: datetime | None, revisit: RevisitState, changed_at: datetime | None, now: datetime
) -> bool:
    """Whether a page known from an earlier run is fetched again because it was linked.

    A sitemap's claim that it changed since is worth a visit; its claim that it did not change is ignored.
    """
    ends_at = revisit_delay.ends_at(revisit, fetched_at=fetched_at)
    if role is not PageRole.LINK or ends_at is None:
        return True
    return now >= ends_at or _is_announced(fetched_at=fetched_at, revisit=revisit, changed_at=changed_at, now=now)


def lateness(
    *, fetched_at: datetime | None, revisit: RevisitState, changed_at: datetime | None, now: datetime
) -> float:
    """How long a known page has waited, in units of its revisit delay.

    Of the pages that are due, the highest comes first.
    Pages that were never fetched, are announced as changed, or were missing once come before any that are merely due.
    """
    began_at = revisit_delay.began_at(revisit, fetched_at=fetched_at)
    ends_at = revisit_delay.ends_at(revisit, fetched_at=fetched_at)
    if began_at is None or ends_at is None or ends_at <= began_at:
        return math.inf
    is_doubtful = 0 < revisit.missing_count < revisit_delay.GONE_AFTER
    if is_doubtful or _is_announced(fetched_at=fetched_at, revisit=revisit, changed_at=changed_at, now=now):
        return math.inf
    return (now - began_at) / (ends_at - began_at)


def _is_announced(
    *, fetched_at: datetime | None, revisit: RevisitState, changed_at: datetime | None, now: datetime
) -> bool:
    """Whether the page is announced as changed since our last fetch, and not in the future."""
    began_at = revisit_delay.began_at(revisit, fetched_at=fetched_at)
    return changed_at is not None and began_at is not None and began_at < changed_at <= now


def most_waiting(page_budget: int) -> int:
    """How many pages of one run may wait for later runs; none of a run that follows no links."""
    return max(_LEAST_WAITING, page_budget) if page_budget else 0


def share_out(
    waiting: Sequence[_W], *, page_count: int, page_budget: int, started_at: datetime, now: datetime
) -> Sequence[_W]:
    """Which waiting pages a run fetches now that no page of its list is left to read.

    New pages of the list come first. Known ones come next, but take no more than half of the budget while linked pages
    wait that were never fetched: otherwise a long list would be read again and again, and nothing else. What is left
    is for linked pages: first those that this run found, then older ones, then the most overdue of those known before.
    """
    room = max(0, page_budget - page_count)
    lists = [page for page in waiting if page.role is not PageRole.LINK]
    if new_lists := [page for page in lists if page.fetched_at is None]:
        return new_lists[:room]
    known_lists = sorted(lists, key=_last_fetched)
    links = [page for page in waiting if page.role is PageRole.LINK]
    new = sorted((page for page in links if page.fetched_at is None), key=lambda page: page.created_at < started_at)
    share = min(room, max(0, (page_budget + 1) // 2 - page_count)) if new else room
    if chosen := known_lists[:share]:
        return chosen
    known = sorted((page for page in links if page.fetched_at is not None), key=lambda page: -_lateness(page, now))
    return [*new, *known, *known_lists][:room]


def _lateness(page: _Waiting, now: datetime) -> float:
    if page.due_at is not None:  # announced as changed
        return math.inf
    return lateness(fetched_at=page.fetched_at, revisit=page.revisit, changed_at=None, now=now)


def _last_fetched(page: _Waiting) -> float:
    return page.fetched_at.timestamp() if page.fetched_at is not None else 0.0
