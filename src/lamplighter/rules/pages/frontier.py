"""Which pages of a run come first, and which known pages are fetched again?"""

import math
from collections.abc import Mapping
from datetime import datetime

from lamplighter.model.page import RevisitState
from lamplighter.model.reading import PageRole
from lamplighter.rules.change import revisit_delay

#: a page found in several roles keeps the one of the highest weight: start page, then listing page, then mere link
_WEIGHTS = {PageRole.LINK: 0, PageRole.LISTING: 1, PageRole.SEED: 2}
#: pages of this priority and above are requested from the host separately from the others
URGENT = 90


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
