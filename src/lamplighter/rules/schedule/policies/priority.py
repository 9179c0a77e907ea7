"""The priority policy: the interval follows from a source's priority, rate limit and depth (seed S2)."""

from datetime import timedelta
from math import inf

from lamplighter.rules.schedule.policies.policy_input import Advice, PolicyInput
from lamplighter.rules.schedule.priority_levels import MINUTE, level

#: S2: up to so many requests per second, the factor; hosts with a low rate limit are visited less often
BY_RATE_LIMIT = ((5.0, 1.5), (10.0, 1.0), (20.0, 0.75), (inf, 0.5))
#: S2: up to this depth, the factor; long runs are further apart
BY_DEPTH = ((2.0, 1.0), (5.0, 1.25), (inf, 1.5))
#: S2: requests per second where no limit is given
DEFAULT_RATE_LIMIT = 10.0
#: max_depth without a limit
UNLIMITED = -1


def advice(ask: PolicyInput) -> Advice:
    """The computed interval, whatever the run found and whatever the baseline is."""
    return Advice(
        interval=interval(ask.priority, ask.rate_limit, ask.max_depth),
        inputs={
            "priority": ask.priority,
            "level": level(ask.priority).name,
            "rate_limit": ask.rate_limit,
            "max_depth": ask.max_depth,
        },
    )


def interval(priority: int, rate_limit: float, max_depth: int) -> timedelta:
    """Whole minutes, cut off after each factor, as S2 computes them."""
    minutes = level(priority).interval // MINUTE
    minutes = int(minutes * _factor(BY_RATE_LIMIT, rate_limit if rate_limit > 0 else DEFAULT_RATE_LIMIT))
    minutes = int(minutes * _factor(BY_DEPTH, _depth(max_depth)))
    return minutes * MINUTE


def initial_delay(priority: int) -> timedelta:
    """How long a new source waits for its first run."""
    return level(priority).initial_delay


def _depth(max_depth: int) -> float:
    return inf if max_depth == UNLIMITED else max_depth


def _factor(table: tuple[tuple[float, float], ...], value: float) -> float:
    return next(factor for limit, factor in table if value <= limit)
