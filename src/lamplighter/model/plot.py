"""Figures over time: how far back is looked, and the series that are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum

_HOUR = timedelta(hours=1)


class Period(Enum):
    """How far back is looked: its name for programs and people, and the steps of its curves."""

    HOUR = ("1h", "1 h", timedelta(minutes=5), 12)
    DAY = ("24h", "24 h", _HOUR, 24)
    WEEK = ("7d", "7 d", 4 * _HOUR, 42)
    MONTH = ("30d", "30 d", 12 * _HOUR, 60)

    def __init__(self, word: str, label: str, step: timedelta, steps: int) -> None:
        self.word = word
        self.label = label
        self.step = step
        self.steps = steps

    def times(self, now: datetime) -> list[datetime]:
        """The beginning of each step, the oldest first; the last step is not over yet.

        Steps lie on whole multiples since 1970, so that each is the same however often one looks.
        """
        length = int(self.step.total_seconds())
        last = datetime.fromtimestamp(int(now.timestamp()) // length * length, UTC)
        return [last - self.step * number for number in reversed(range(self.steps))]

    @property
    def per_step(self) -> str:
        """The length of a step in words: hour, 5 minutes."""
        hours, minutes = divmod(int(self.step.total_seconds()) // 60, 60)
        return f"{minutes} minutes" if minutes else "hour" if hours == 1 else f"{hours} hours"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotSeries:
    """One line, or one layer of stacked bars."""

    label: str
    #: one for each time; None where it is not known
    values: Sequence[float | None]
    #: its colour: lamp, good, fair, bad or idle
    tone: str = "lamp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot: its series over the same times."""

    title: str
    times: Sequence[datetime]
    series: Sequence[PlotSeries]
    #: of all values: pages, ms, %, B
    unit: str
    #: stacked bars instead of lines; the first series lies at the bottom
    is_stacked: bool = False
    #: what a reader has to know of it
    note: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known at any time."""
        return all(value is None for each in self.series for value in each.values)
