"""Which pages of a run come first, and which known ones are asked for again?"""

import math
from collections.abc import Mapping
from datetime import datetime

from lamplighter.model.page import Rest
from lamplighter.model.reading import Role
from lamplighter.rules import page_rest

#: what a page met in several roles is: rather the start of its source or a further page of a list than a mere link
_WEIGHTS = {Role.LINK: 0, Role.LISTING: 1, Role.SEED: 2}
#: pages of this priority and above are called for apart from the others
URGENT = 90


def rank(*, priority: int, depth: int) -> int:
    """Order of a page within its host, lowest first: higher priority, then smaller depth."""
    return (100 - priority) * 1000 + min(max(depth, 0), 999)


def priority_of(rank: int) -> int:
    """The priority from which a rank was made."""
    return 100 - rank // 1000


def outranks(role: Role, other: Role) -> bool:
    """Whether a page met in this role is no longer in the other one."""
    return _WEIGHTS[role] > _WEIGHTS[other]


def leads_back(target: str, page: str, redirects: Mapping[str, str], *, limit: int) -> bool:
    """Whether following a redirect from `page` to `target` ends in a circle, as far as this run has seen."""
    for _ in range(limit + 1):
        if target == page:
            return True
        if target not in redirects:
            return False
        target = redirects[target]
    return True


def is_due_again(
    *, role: Role, fetched_at: datetime | None, rest: Rest, changed_at: datetime | None, now: datetime
) -> bool:
    """Whether a page known from an earlier run is asked for again because it was linked.

    A sitemap's word that it changed since is worth a visit; its word that it did not is worth nothing.
    """
    ends_at = page_rest.ends_at(rest, fetched_at=fetched_at)
    if role is not Role.LINK or ends_at is None:
        return True
    return now >= ends_at or _is_announced(fetched_at=fetched_at, rest=rest, changed_at=changed_at, now=now)


def lateness(*, fetched_at: datetime | None, rest: Rest, changed_at: datetime | None, now: datetime) -> float:
    """How long a known page has waited, in rests of its own: among pages that are due, the highest comes first.

    Pages that were never had, are said to have changed, or were missed once come before any that merely wait.
    """
    began_at, ends_at = page_rest.began_at(rest, fetched_at=fetched_at), page_rest.ends_at(rest, fetched_at=fetched_at)
    if began_at is None or ends_at is None or ends_at <= began_at:
        return math.inf
    is_doubtful = 0 < rest.missing_count < page_rest.GONE_AFTER
    if is_doubtful or _is_announced(fetched_at=fetched_at, rest=rest, changed_at=changed_at, now=now):
        return math.inf
    return (now - began_at) / (ends_at - began_at)


def _is_announced(*, fetched_at: datetime | None, rest: Rest, changed_at: datetime | None, now: datetime) -> bool:
    """Whether it is said to have changed since we last looked, and not in the future."""
    began_at = page_rest.began_at(rest, fetched_at=fetched_at)
    return changed_at is not None and began_at is not None and began_at < changed_at <= now
