"""The next 24 hours as a grid: one column per hour, one row per quarter-hour."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.rules.schedule import slots
from lamplighter.rules.schedule.rebalance import SHOULD_REBALANCE_BELOW
from lamplighter.rules.schedule.slots import LoadMap
from lamplighter.web.words import counted, thousands

#: number of shades; the first means no runs
SHADES = 7
_HOUR = timedelta(hours=1)
_QUARTERS = _HOUR // slots.SLOT
_EVEN_FROM = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCell:
    """A quarter-hour and its number of runs."""

    starts_at: datetime
    runs: int
    #: 0 for no runs, up to SHADES - 1
    shade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayGrid:
    """The grid with its total and its busiest cell."""

    hours: tuple[datetime, ...]
    #: four rows, each with a cell or None for every hour
    quarters: tuple[tuple[DayCell | None, ...], ...]
    total: int
    #: None without runs
    peak: DayCell | None

    @classmethod
    def of(cls, load: LoadMap) -> "DayGrid":
        """Builds the grid of a load map, from the current hour."""
        begin, most = load.ends_at - slots.HORIZON, max(load.starts)
        cells = {
            begin + number * slots.SLOT: DayCell(
                starts_at=begin + number * slots.SLOT, runs=runs, shade=_shade(runs, most=most)
            )
            for number, runs in enumerate(load.starts)
        }
        first = begin.replace(minute=0, second=0, microsecond=0)
        hours = tuple(first + number * _HOUR for number in range(-((load.ends_at - first) // -_HOUR)))
        quarters = tuple(tuple(cells.get(hour + row * slots.SLOT) for hour in hours) for row in range(_QUARTERS))
        peak = max(cells.values(), key=lambda cell: cell.runs)
        return cls(hours=hours, quarters=quarters, total=sum(load.starts), peak=peak if peak.runs else None)


def balance_in_words(score: float, *, total: int) -> str:
    """Explains a balance score, and whether a rebalance helps."""
    if score >= _EVEN_FROM:
        return "evenly spread; nothing to do"
    few = thousands(round((1 - score) * total))
    moved = f"about {few} of {counted(total, 'run')} would have to move for an even load"
    if score >= SHOULD_REBALANCE_BELOW:
        return f"spread well enough; {moved}"
    return f"uneven: {moved}"


def _shade(runs: int, *, most: int) -> int:
    """The shade of a cell: 0 for no runs, the darkest for the busiest."""
    return -(-runs * (SHADES - 1) // most) if runs else 0
