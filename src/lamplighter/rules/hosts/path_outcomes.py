"""Is a host in trouble, or only one of its pages? Decided by what its latest paths answered.

A server error says little by itself: one broken page must not keep the crawler from the others. If most of the paths
that were requested lately end in one, the host itself is in trouble.
"""

from collections.abc import Sequence
from operator import attrgetter

from lamplighter.model.host import PathOutcome
from lamplighter.rules.urls import urls

#: paths of a host that are remembered
REMEMBERED = 8
#: so many failing paths are needed, and more than half of those remembered
FAILING_AT = 5
#: after the breaker was open: one broken page must not open it again
FAILING_AT_AGAIN = 2
_HAS_FAILED = attrgetter("failed")


def remembered(recent: tuple[PathOutcome, ...], url: str, *, failed: bool) -> tuple[PathOutcome, ...]:
    """The latest outcomes by path, the newest last, with this one added.

    One more success after nothing but successes changes no later decision, whichever its path: they stay as they are.
    """
    if not failed and len(recent) == REMEMBERED and not any(map(_HAS_FAILED, recent)):
        return recent
    # With its query: if all pages of a long list fail, the host is in trouble too.
    path = urls.parse(url).path_query
    others = [outcome for outcome in recent if outcome.path != path]
    return (*others[1 - REMEMBERED :], PathOutcome(path, failed))


def failing(recent: Sequence[PathOutcome]) -> int:
    """How many of the paths failed when they were last requested."""
    return sum(map(_HAS_FAILED, recent))


def most_fail(recent: Sequence[PathOutcome], *, was_open: bool) -> bool:
    """Whether the host is in trouble; `was_open`: its breaker was open, and no request has succeeded since."""
    needed = FAILING_AT_AGAIN if was_open else FAILING_AT
    return failing(recent) >= needed and 2 * failing(recent) > len(recent)
