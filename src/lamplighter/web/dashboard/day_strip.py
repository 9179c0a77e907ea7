"""The runs of the last 24 hours, as ticks on a strip and as shares of a bar."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.model.crawl import CrawlRun, Outcome

DAY = timedelta(days=1)
#: the strip is as wide as a day has minutes
_MINUTE = timedelta(minutes=1)
WIDTH = DAY // _MINUTE
#: a run that takes seconds is still to be seen
_NARROWEST = 6
TONES = {Outcome.OK: "good", Outcome.WARN: "fair", Outcome.FAIL: "bad", Outcome.CANCELLED: "idle", None: "busy"}


class Tick(NamedTuple):
    """One run."""

    run: CrawlRun
    x: int
    width: int
    tone: str


class Share(NamedTuple):
    """How many runs ended alike, and where that part of the bar begins; in hundredths of it."""

    tone: str
    runs: int
    start: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DayStrip:
    """What is drawn."""

    #: the earliest first, so that the latest lies on top
    ticks: list[Tick]
    shares: list[Share]
    width: int = WIDTH


def day_strip(runs: Iterable[CrawlRun], *, now: datetime) -> DayStrip:
    """The strip of these runs, which may begin before the day did."""
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


def _shares(ticks: list[Tick]) -> list[Share]:
    shares, start = [], 0.0
    for tone in TONES.values():
        count = sum(tick.tone == tone for tick in ticks)
        if count:
            width = 100 * count / len(ticks)
            shares.append(Share(tone, count, round(start, 2), round(width, 2)))
            start += width
    return shares
