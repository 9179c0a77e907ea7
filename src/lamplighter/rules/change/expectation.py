"""How often does a source change, how sure are we, and how stale is our copy? As data for every policy."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.schedule import Learnt
from lamplighter.rules.change import belief, learning, recency

HOUR = timedelta(hours=1)


def expectation(learnt: Learnt, *, wait: timedelta, now: datetime, pooled: float = 1.0) -> dict[str, Any]:
    """What is expected of a visit after `wait`; `measured_staleness` is None until it was measured.

    `pooled` corrects what was observed too briefly by what all sources were seen to do.
    """
    believed = (1 / learnt.belief.rate, *belief.gap_range(learnt.belief))
    gaps = [min(recency.unfelt(gap) if learnt.is_felt else gap, belief.LONGEST_GAP) for gap in believed]
    # Our copy dates from the last visit that succeeded, which may be longer ago than the run that ended now; a clock
    # that was set back shows it in the future.
    since = max(now - learnt.visited_at, timedelta(0)) if learnt.visited_at is not None else timedelta(0)
    span = (since + wait) / HOUR
    known = learning.staleness(learnt)
    stale = belief.stale_hours(learnt.belief, span, signal=learnt.signal, age=learning.age(learnt))
    share = stale / span if span > 0 else 0.0
    return {
        "changes_every_seconds": 3600 * gaps[0],
        "changes_every_range_seconds": [3600 * gap for gap in gaps[1:]],
        "visits": learnt.visit_count,
        "changes": learnt.change_count,
        "staleness": min(1.0, share * learning.correction(learnt, pooled=pooled)),
        # without the correction, which compares it with what comes
        "believed_staleness": share,
        "measured_staleness": known[1] if known is not None else None,
        "signal": learnt.signal,
    }
