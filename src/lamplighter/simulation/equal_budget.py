"""How much slower must a policy go to spend just the budget?"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log
from typing import Final

from lamplighter.simulation.replay import Outcome

#: share of the budget; nearer is near enough
_TOLERANCE: Final = 0.002
_MOST_TRIALS: Final = 40
#: times the budget: no need to count further
_TOO_MANY: Final = 2.0
#: how far beyond its goal the first step goes; every further one goes twice as far
_STRIDE: Final = 0.002
#: of so many trials one is in the middle
_HALVE_EVERY: Final = 3


@dataclass(frozen=True, slots=True)
class _Trial:
    """The logarithms of a scale, and of its fetches over the budget's."""

    at: float
    excess: float


def at_budget(
    replayed: Callable[[float, float], Outcome | None], *, fetches: float, first_scale: float = 1.0
) -> tuple[float, Outcome]:
    """The scale whose fetches come closest to those of the budget, and its outcome.

    `replayed` takes a scale, and a number of fetches beyond which it may give up; a greater scale must not cost more.
    """
    dear: _Trial | None = None
    cheap: _Trial | None = None
    best: tuple[float, float, Outcome] | None = None
    for number in range(_MOST_TRIALS):
        at = _next_scale(dear, cheap, number) if number else log(first_scale)
        outcome = replayed(exp(at), fetches * _TOO_MANY)
        excess = log(int(outcome.fetches.sum()) / fetches if outcome is not None else _TOO_MANY)
        if outcome is not None and (best is None or abs(excess) < best[0]):
            best = (abs(excess), exp(at), outcome)
        if abs(excess) <= _TOLERANCE:
            break
        if excess > 0:
            dear = _Trial(at, excess)
        else:
            cheap = _Trial(at, excess)
    assert best is not None, "a scale that is great enough costs next to nothing"
    return best[1:]


def _next_scale(dear: _Trial | None, cheap: _Trial | None, number: int) -> float:
    """Strides that grow until the budget lies between two trials; then the line through them.

    Fetches go about as one over the scale, so on logarithms the line is nearly straight.
    """
    nearest = dear or cheap
    assert nearest is not None
    if dear is None or cheap is None:
        stride = _STRIDE * 2.0**number
        return nearest.at + nearest.excess + (stride if cheap is None else -stride)
    share = 0.5 if number % _HALVE_EVERY == 0 else dear.excess / (dear.excess - cheap.excess)
    return dear.at + (cheap.at - dear.at) * min(max(share, 0.02), 0.98)
