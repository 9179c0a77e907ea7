"""The order of due jobs: the one whose waiting costs most comes first.

The cost of an hour of waiting is the share of that hour in which our copy will be stale, times the weight of the
source. It is kept as a power of two, so that due jobs are in a few queues, each in the order of its lateness, and the
next one is found by looking at the head of each. Lateness grows without bound, so no job waits for ever.
"""

import math
from datetime import datetime, timedelta

from lamplighter.model.schedule import Learnt
from lamplighter.rules.change import belief, learning

HOUR = timedelta(hours=1)
#: a source that matters little and hardly ever changes; one that matters most and is surely stale
LEAST, MOST = -8, 2
LANES = range(LEAST, MOST + 1)
#: the lateness that a job starts with when it becomes due
HEAD_START = timedelta(minutes=1)


def urgency(*, weight: float, learnt: Learnt | None, due_at: datetime) -> int:
    """The queue of a job that is due then; a source that was never visited has no copy and counts as fully stale."""
    stale = 1.0
    if learnt is not None and learnt.visited_at is not None:
        hours = max(0.0, (due_at - learnt.visited_at) / HOUR)
        stale -= (1 - learnt.signal) * belief.survival(learnt.belief, hours, age=learning.age(learnt))
    lost = weight * stale
    if not lost > 2.0**LEAST:  # also when it is NaN
        return LEAST
    return min(MOST, round(math.log2(lost)))


def value_lost(lane: int, *, due_at: datetime, now: datetime) -> float:
    """What waiting has cost so far, in weighted stale hours."""
    return float(2.0**lane * ((now - due_at + HEAD_START) / HOUR))
