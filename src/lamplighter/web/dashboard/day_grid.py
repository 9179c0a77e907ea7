"""The coming day as a grid: a column for each hour, a row for each quarter of it, and how full each is."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.rules import slots
from lamplighter.rules.rebalance import SHOULD_REBALANCE_BELOW
from lamplighter.rules.slots import LoadMap
from lamplighter.web.words import counted, thousands

#: shades from none to the fullest; the first is for nothing at all
SHADES = 7
_HOUR = timedelta(hours=1)
_QUARTERS = _HOUR // slots.SLOT
_EVEN_FROM = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A quarter of an hour."""

    starts_at: datetime
    runs: int
    #: 0 for nothing, up to SHADES - 1
    shade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DayGrid:
    """The grid, and what it comes to."""

    hours: tuple[datetime, ...]
    #: four, each with a cell or None for every hour
    quarters: tuple[tuple[Cell | None, ...], ...]
    total: int
    #: None when nothing starts
    peak: Cell | None

    @classmethod
    def of(cls, load: LoadMap) -> "DayGrid":
        """The grid of a load map, from the hour that it is."""
        begin, most = load.ends_at - slots.HORIZON, max(load.starts)
        cells = {
            begin + number * slots.SLOT: Cell(
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
    """What a balance score means, and whether anything is to be done about it."""
    if score >= _EVEN_FROM:
        return "evenly spread; nothing to do"
    few = thousands(round((1 - score) * total))
    moved = f"about {few} of {counted(total, 'run')} would have to move to make the day even"
    if score >= SHOULD_REBALANCE_BELOW:
        return f"well enough spread; {moved}"
    return f"uneven: {moved}"


def _shade(runs: int, *, most: int) -> int:
    """Nothing has a shade of its own; the rest share the others, the fullest the darkest."""
    return -(-runs * (SHADES - 1) // most) if runs else 0
