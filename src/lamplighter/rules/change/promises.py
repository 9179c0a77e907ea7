"""How much staler than believed are the copies of all sources? By that, the staleness which is promised is corrected.

Beliefs learn slowly, and one edit of a site makes a great part of a week's staleness. So what all sources showed in the
last days is compared with what is believed now, not with what was believed then: a belief that has been mended must not
be corrected once more. Hours are summed up over sources.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

from lamplighter.rules.change.learning import MONTH

if TYPE_CHECKING:
    from lamplighter.rules.change.beliefs import Floats

#: hours after which what was seen has decayed to 1/e
RECENT = 3 * 24.0
#: stale hours, believed and seen, by which the correction is pulled towards 1
PULL = 1.0
#: the correction of beliefs that are all prior: more than half of real sources hardly change
YOUNG = 0.05
#: hours for which sources were watched after which 1/e of the correction still is that
GROWN = 5 * 24.0


class SeenHours(NamedTuple):
    """Hours of all sources, and those of them in which copies were seen to be stale."""

    watched: float = 0.0
    stale: float = 0.0


def recent(before: SeenHours, *, month_before: SeenHours, month: SeenHours, hours: float) -> SeenHours:
    """What was seen in the last days, after more hours, by the sums over a month, which decay too."""
    kept, kept_of_month = math.exp(-hours / RECENT), math.exp(-hours / MONTH)
    sums = zip(before, month_before, month, strict=True)
    # Sources that were removed take their part of the month with them.
    return SeenHours(*(kept * days + max(0.0, now - kept_of_month * then) for days, then, now in sums))


def correction(seen: SeenHours, *, believed: float, watched_each: float) -> float:
    """The factor by which copies are staler than believed.

    `believed` is the share of stale time that is believed now, `watched_each` are the hours for which a source was
    watched.
    """
    if not all(map(math.isfinite, (*seen, believed, watched_each))):
        return 1.0
    found = (seen.stale + PULL) / (believed * seen.watched + PULL)
    young = math.exp(-watched_each / GROWN)
    return young * YOUNG + (1 - young) * found


def mean_share(believed: "Floats", watched: "Floats") -> float:
    """The share of stale time that is believed of sources together, each by the hours for which it was watched."""
    hours = float(watched.sum())
    return float(believed @ watched) / hours if hours else 0.0
