"""The input of a scheduling policy, and its result."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.schedule import IntervalBounds, Learnt
from lamplighter.rules.change.weekly import FLAT, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyInput:
    """All that a policy may know when a run has ended."""

    #: the interval to keep if nothing were known of the source
    baseline: timedelta
    #: 0 to 100, the higher runs sooner
    priority: int
    #: runs in a row, this one included, that found nothing new
    unchanged_count: int
    #: records that this run inserted or updated
    yielded: int
    learnt: Learnt
    #: stale hours that a run is worth; None before the first price was computed
    price: float | None
    #: factor by which all sources together were staler than expected
    pooled: float = 1.0
    bounds: IntervalBounds
    #: at which hours of the week its cohort changes
    profile: Profile = FLAT
    now: datetime
    #: requests per second
    rate_limit: float
    #: -1 means without limit
    max_depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """How long to wait, and the inputs that led to it."""

    interval: timedelta
    #: ready for JSON
    inputs: dict[str, Any]
