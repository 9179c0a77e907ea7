"""Does the staleness that is promised come true, from the first week on?"""

from typing import Final

import numpy as np

from lamplighter.simulation.trace import Floats, Ints

#: hours in which promises are compared with what came: the first week
FIRST_WEEK: Final = 7 * 24.0


class Promises:
    """Stale hours that were promised for the first week, and those that came, from visit to visit."""

    def __init__(self, count: int) -> None:
        self._made_at = np.zeros(count)
        #: not a number while nothing is promised
        self._share = np.full(count, np.nan)
        self.promised, self.measured = np.zeros(count), np.zeros(count)

    def make(self, who: Ints, at: Floats, share: Floats) -> None:
        """Promises a share of stale time from now to the next visit; not a number promises nothing."""
        self._made_at[who], self._share[who] = at, share

    def settle(self, who: Ints, at: Floats, changed_at: Floats) -> None:
        """Ends what was promised until a visit; `changed_at` is when the first change since the last visit was."""
        start, end, first = (np.minimum(times, FIRST_WEEK) for times in (self._made_at[who], at, changed_at))
        is_promised = np.isfinite(self._share[who])
        self.promised[who] += np.where(is_promised, self._share[who] * (end - start), 0.0)
        self.measured[who] += np.where(is_promised, np.maximum(end - np.maximum(first, start), 0.0), 0.0)
