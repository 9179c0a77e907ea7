"""Finds where falling curves meet their targets, for many curves at once, in few evaluations."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: share by which a curve may miss its target
TOLERANCE = 1e-6
#: every so many guesses one guess halves the bracket, so that a flat stretch beside a sharp bend costs little time
HALVING = 3
#: about seven are needed; up to a hundred where a curve bends sharply beside its target
MOST_GUESSES = 200


class SearchEnd(NamedTuple):
    """One end of the search bracket, and the height of the curves there."""

    at: Floats
    height: Floats


def crossing(curves: Callable[[Floats], Floats], targets: Floats, *, left: SearchEnd, right: SearchEnd) -> Floats:
    """The places at which falling curves meet their targets, which lie between the heights at both ends.

    Heights and targets are positive, and compared by their logarithms. Where those run almost straight, as spending
    does along the logarithm of a price, false position with the Illinois rule needs a third of the guesses that
    halving would; halving now and then sees to the rest.
    """
    low, high = left.at, right.at
    above, below = np.log(left.height / targets), np.log(right.height / targets)
    found = low
    is_found, went_up = np.zeros(len(low), dtype=bool), np.zeros(len(low), dtype=bool)
    for guess in range(1, MOST_GUESSES + 1):
        drop = above - below
        share = np.clip(above / np.where(drop > 0, drop, 1.0), 0.0, 1.0) if guess % HALVING else 0.5
        found = np.where(is_found, found, low + share * (high - low))
        excess = np.log(curves(found) / targets)
        is_found |= np.abs(excess) <= TOLERANCE
        if is_found.all():
            break
        goes_up = excess > 0
        # An end that is kept twice in a row counts half, so that the next guess falls on its side.
        patience = np.where(goes_up == went_up, 0.5, 1.0)
        low, high = np.where(goes_up, found, low), np.where(goes_up, high, found)
        above, below = np.where(goes_up, excess, above * patience), np.where(goes_up, below * patience, excess)
        went_up = goes_up
    return found
