"""How often, from how important a source is and how large: the schedule computer of seed S2."""

from dataclasses import dataclass
from datetime import timedelta
from math import inf

from lamplighter.rules.policies.asking import Advice, Ask

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A name for a stretch of priorities, and what they get."""

    name: str
    #: the least priority that has this level
    number: int
    interval: timedelta
    #: before the first run, so that many sources added at once do not start at once
    initial_delay: timedelta


#: S2, the highest first
LEVELS = (
    Level(name="critical", number=100, interval=15 * MINUTE, initial_delay=0 * MINUTE),
    Level(name="high", number=75, interval=30 * MINUTE, initial_delay=1 * MINUTE),
    Level(name="normal", number=50, interval=60 * MINUTE, initial_delay=5 * MINUTE),
    Level(name="low", number=25, interval=180 * MINUTE, initial_delay=10 * MINUTE),
)
#: S2: up to so many requests per second, the factor; who must be asked slowly is asked seldom
BY_RATE_LIMIT = ((5.0, 1.5), (10.0, 1.0), (20.0, 0.75), (inf, 0.5))
#: S2: up to such a depth, the factor; long runs are set further apart
BY_DEPTH = ((2.0, 1.0), (5.0, 1.25), (inf, 1.5))
#: S2: requests per second where no limit is given
DEFAULT_RATE_LIMIT = 10.0
#: S1 and S4 (S2 had 1): the depth where none is given
DEFAULT_DEPTH = 3
#: as deep as its pages go
UNLIMITED = -1


def advice(ask: Ask) -> Advice:
    """The computed interval, whatever was found and whatever the baseline is."""
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
    """Whole minutes, cut off after each factor, as the seed counts them."""
    minutes = level(priority).interval // MINUTE
    minutes = int(minutes * _factor(BY_RATE_LIMIT, rate_limit if rate_limit > 0 else DEFAULT_RATE_LIMIT))
    minutes = int(minutes * _factor(BY_DEPTH, _depth(max_depth)))
    return minutes * MINUTE


def initial_delay(priority: int) -> timedelta:
    """How long a new source waits for its first run."""
    return level(priority).initial_delay


def level(priority: int) -> Level:
    """The highest level that the priority reaches; below all of them it is the lowest."""
    return next((level for level in LEVELS if level.number <= priority), LEVELS[-1])


def _depth(max_depth: int) -> float:
    if max_depth == UNLIMITED:
        return inf
    return max_depth if max_depth > 0 else DEFAULT_DEPTH


def _factor(table: tuple[tuple[float, float], ...], value: float) -> float:
    return next(factor for limit, factor in table if value <= limit)
