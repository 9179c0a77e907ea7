"""The stored activity of a host, in the hours in which the rules count."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from lamplighter.rules.change.activity import LEAST_GAIN, Activity, Floats
from lamplighter.store.hosts.host_activity import StoredActivity

HOUR = timedelta(hours=1)
_FIRST = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownActivity:
    """How busy one host was; hours count from `began_at`."""

    began_at: datetime
    curve: Activity
    #: whether it predicts changes
    is_used: bool

    def between(self, start: datetime, end: datetime) -> tuple[float, float]:
        """The mean activity between two moments, and the lag of changes; 1 where it predicts nothing."""
        if not self.is_used:
            return 1.0, 1.0
        first, last = (np.array([(moment - self.began_at) / HOUR]) for moment in (start, end))
        mean, lag = self.curve.between(_FIRST, first, last)
        return float(mean[0]), float(lag[0])

    def means(self, start: Floats, end: Floats) -> Floats:
        """The mean activity between moments, in hours since `began_at`."""
        return self.curve.between(np.zeros(len(start), dtype=np.int64), start, end).mean


def known_activity(found: StoredActivity) -> KnownActivity:
    """The activity from its row."""
    level = np.array([found.levels], dtype=np.float64)
    return KnownActivity(
        began_at=found.began_at,
        curve=Activity(began=0.0, bin_hours=found.bin_seconds / 3600, level=level),
        is_used=found.gain > LEAST_GAIN,
    )
