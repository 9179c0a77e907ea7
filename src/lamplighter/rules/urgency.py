"""Which of the due jobs first? The one whose waiting costs most.

What an hour of waiting costs is the share of that hour in which our copy will be stale, times the weight of the source.
It is kept as a power of two, so that due jobs stand in a few queues, each in the order of its lateness, and the next
one is found by looking at the head of each. Lateness grows without bound, so no job waits for ever.
"""

import math
from datetime import datetime, timedelta

from lamplighter.model.schedule import Learnt
from lamplighter.rules import belief, learning

HOUR = timedelta(hours=1)
#: a source that matters little and hardly ever changes; one that matters most and is surely stale
LEAST, MOST = -8, 2
LANES = range(LEAST, MOST + 1)
#: a job that has just become due is not worth nothing
HEAD_START = timedelta(minutes=1)


def urgency(*, weight: float, learnt: Learnt | None, due_at: datetime) -> int:
    """The queue of a job that is due then; one that was never visited has no copy, which is as stale as can be."""
    stale = 1.0
    if learnt is not None and learnt.visited_at is not None:
        hours = max(0.0, (due_at - learnt.visited_at) / HOUR)
        stale -= (1 - learnt.signal) * belief.survival(learnt.belief, hours, age=learning.age(learnt))
    lost = weight * stale
    if not lost > 2.0**LEAST:  # also when it is not a number
        return LEAST
    return min(MOST, round(math.log2(lost)))


def value_lost(lane: int, *, due_at: datetime, now: datetime) -> float:
    """What waiting has cost so far, in weighted stale hours."""
    return float(2.0**lane * ((now - due_at + HEAD_START) / HOUR))
