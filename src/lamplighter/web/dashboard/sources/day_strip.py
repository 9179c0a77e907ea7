"""Chart data of the last 24 hours: one tick per run, and a bar of outcomes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.model.crawl import CrawlRun, RunOutcome

DAY = timedelta(days=1)
#: one unit of width for each minute of the day
_MINUTE = timedelta(minutes=1)
WIDTH = DAY // _MINUTE
#: the least width, so that a run of seconds stays visible
_NARROWEST = 6
TONES = {
    RunOutcome.OK: "good",
    RunOutcome.WARN: "fair",
    RunOutcome.FAIL: "bad",
    RunOutcome.CANCELLED: "idle",
    None: "busy",
}


class Tick(NamedTuple):
    """One run on the strip."""

    run: CrawlRun
    x: int
    width: int
    tone: str


class OutcomeShare(NamedTuple):
    """The number of runs with one outcome, and its part of the bar in percent."""

    tone: str
    runs: int
    start: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DayStrip:
    """The ticks and the outcome bar."""

    #: the earliest first, so that the latest is drawn on top
    ticks: list[Tick]
    shares: list[OutcomeShare]
    width: int = WIDTH


def day_strip(runs: Iterable[CrawlRun], *, now: datetime) -> DayStrip:
    """Builds the strip; a run may have started before the 24 hours."""
    began = now - DAY
    ticks = sorted(
        (_tick(run, began=began, now=now) for run in runs if (run.finished_at or now) >= began),
        key=lambda tick: tick.run.started_at,
    )
    return DayStrip(ticks=ticks, shares=_shares(ticks))


def _tick(run: CrawlRun, *, began: datetime, now: datetime) -> Tick:
    start = max(0, (run.started_at - began) // _MINUTE)
    end = ((run.finished_at or now) - began) // _MINUTE
    width = max(_NARROWEST, end - start)
    return Tick(run, min(start, WIDTH - width), width, TONES[run.outcome])


def _shares(ticks: list[Tick]) -> list[OutcomeShare]:
    shares, start = [], 0.0
    for tone in TONES.values():
        count = sum(tick.tone == tone for tick in ticks)
        if count:
            width = 100 * count / len(ticks)
            shares.append(OutcomeShare(tone, count, round(start, 2), round(width, 2)))
            start += width
    return shares
