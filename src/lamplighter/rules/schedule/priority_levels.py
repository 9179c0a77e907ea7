"""The named levels of priority, each with its intervals (seed S2)."""

from dataclasses import dataclass
from datetime import timedelta

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityLevel:
    """A named range of priorities, and its intervals."""

    name: str
    #: the lowest priority of this level
    number: int
    interval: timedelta
    #: wait before the first run, so that many sources added at once do not start at once
    initial_delay: timedelta


#: S2, the highest first
LEVELS = (
    PriorityLevel(name="critical", number=100, interval=15 * MINUTE, initial_delay=0 * MINUTE),
    PriorityLevel(name="high", number=75, interval=30 * MINUTE, initial_delay=1 * MINUTE),
    PriorityLevel(name="normal", number=50, interval=60 * MINUTE, initial_delay=5 * MINUTE),
    PriorityLevel(name="low", number=25, interval=180 * MINUTE, initial_delay=10 * MINUTE),
)


def level(priority: int) -> PriorityLevel:
    """The highest level that the priority reaches, or the lowest level."""
    return next((level for level in LEVELS if level.number <= priority), LEVELS[-1])
