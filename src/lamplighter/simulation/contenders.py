"""The simple policies and the oracle as rhythms, each with one number that scales its intervals."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final

import numpy as np

from lamplighter.rules.schedule.policies.hash_backoff import CAP
from lamplighter.rules.schedule.policies.yield_days import BUSY_AT, LEAST, MOST, QUIET_AT, STEP
from lamplighter.simulation.rhythms import Ladders, Nutch, Steady, VisitRhythm, oracle_hours
from lamplighter.simulation.trace import Trace

_HOUR: Final = timedelta(hours=1)
#: S0's baseline where the type of the organisation is unknown
_S0_BASE: Final = timedelta(days=3)
#: S1 and S4: after a change
_S1_BASE: Final = timedelta(minutes=30)
#: the changes that the oracle assumes for a source without any: not zero, or it would never visit it
_HALF_A_CHANGE: Final = 0.5
#: no source is there for less
_AN_HOUR: Final = 1.0


class Contender(StrEnum):
    """A policy that can be replayed."""

    FIXED = "fixed"
    YIELD_DAYS = "yield_days"
    HASH_BACKOFF = "hash_backoff"
    NUTCH = "nutch"
    LEARNED = "learned"
    ORACLE = "oracle"


def _fixed(trace: Trace, scale: float, mean_hours: float) -> VisitRhythm:
    """The same interval for all."""
    return Steady(interval_hours=np.full(len(trace), mean_hours * scale))


def _yield_days(trace: Trace, scale: float, mean_hours: float) -> VisitRhythm:
    """S0's rule, its days stretched; every change counts as one record."""
    ordinary = [_S0_BASE] * QUIET_AT + [min(MOST, _S0_BASE + STEP)]
    after_many = [max(LEAST, _S0_BASE - STEP), *ordinary[1:]]
    return Ladders(count=len(trace), intervals=_hours((ordinary, after_many), scale), many=BUSY_AT)


def _hash_backoff(trace: Trace, scale: float, mean_hours: float) -> VisitRhythm:
    """S1's and S4's rule: doubled while nothing changes."""
    ladder = [_S1_BASE]
    while ladder[-1] < CAP:
        ladder.append(min(CAP, ladder[-1] * 2))
    return Ladders(count=len(trace), intervals=_hours((ladder,), scale))


def _nutch(trace: Trace, scale: float, mean_hours: float) -> VisitRhythm:
    """Nutch's adaptive rule from the mean interval, its bounds stretched."""
    return Nutch(count=len(trace), first_hours=mean_hours, scale=scale)


def _oracle(trace: Trace, scale: float, mean_hours: float) -> VisitRhythm:
    """Knows how often each source changes over the whole trace, though not when."""
    rate = np.maximum(trace.changes.counts, _HALF_A_CHANGE) / np.maximum(trace.lived, _AN_HOUR)
    return Steady(interval_hours=oracle_hours(rate, price=mean_hours * scale, weight=trace.weight))


def _hours(ladders: Sequence[Sequence[timedelta]], scale: float) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(interval / _HOUR * scale for interval in ladder) for ladder in ladders)


#: by contender: the rhythm of (trace, scale, mean interval under the budget)
RHYTHMS: Final[Mapping[Contender, Callable[[Trace, float, float], VisitRhythm]]] = {
    Contender.FIXED: _fixed,
    Contender.YIELD_DAYS: _yield_days,
    Contender.HASH_BACKOFF: _hash_backoff,
    Contender.NUTCH: _nutch,
    Contender.ORACLE: _oracle,
}
