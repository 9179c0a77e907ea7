"""Change histories of many sources as arrays, in hours since the first change."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lamplighter.errors import BadInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_HOUR: Final = 3600.0
_HOST: Final = re.compile(r"[a-z][a-z0-9+.-]*://([^/?#]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """When one source changed."""

    source: str
    #: aware; empty when it never changed
    changed_at: Sequence[datetime]
    #: when a feed, a sitemap or the like announced a change
    announced_at: Sequence[datetime] = ()
    #: how much its staleness counts
    weight: float = 1.0
    #: when it came into being, and when it ended; None: before the trace began, and after its end
    born_at: datetime | None = None
    died_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Times of all sources in one array, source by source, each in order."""

    #: hours since the trace began
    at: Floats
    #: where the times of each source begin; one more than there are sources
    first: Ints

    def __len__(self) -> int:
        return len(self.at)

    @property
    def counts(self) -> Ints:
        """How many times each source has."""
        return np.diff(self.first)

    def only(self, rows: Ints) -> "Moments":
        """The times of some sources, by their numbers."""
        parts = [self.at[start:end] for start, end in zip(self.first[rows], self.first[rows + 1], strict=True)]
        return Moments(at=np.concatenate([[], *parts]), first=_bounds(self.counts[rows]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Change histories of sources, each observed from its birth to its death within one span."""

    sources: tuple[str, ...]
    #: per source, the number of its host; names that show no host are paths of one
    host: Ints
    weight: Floats
    started_at: datetime
    #: length of the span
    hours: float
    changes: Moments
    announcements: Moments
    #: per source, hours since the trace began: nothing before the first counts, and nothing after the second
    born: Floats
    died: Floats

    def __len__(self) -> int:
        return len(self.sources)

    def only(self, rows: Ints) -> "Trace":
        """The trace of some of its sources, by their numbers."""
        return replace(
            self,
            sources=tuple(self.sources[row] for row in rows),
            host=self.host[rows],
            weight=self.weight[rows],
            changes=self.changes.only(rows),
            announcements=self.announcements.only(rows),
            born=self.born[rows],
            died=self.died[rows],
        )

    @property
    def days(self) -> float:
        """Length of the span."""
        return self.hours / 24

    @property
    def lived(self) -> Floats:
        """Hours that each source was there."""
        return self.died - self.born

    @property
    def source_days(self) -> float:
        """Days that all sources were there, summed up."""
        return float(self.lived.sum() / 24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamps:
    """Times as they come: which source (by its number), and seconds since 1970."""

    source: Ints
    seconds: Floats


def trace_of(histories: Sequence[History], *, span: tuple[datetime, datetime] | None = None) -> Trace:
    """The histories as one trace, from the earliest to the latest time in them unless a span is given."""
    names = [history.source for history in histories]
    if len(set(names)) < len(names):
        raise BadInput("two histories have the name of one source; put their changes into one")
    return assembled(
        names,
        weight=np.array([history.weight for history in histories], dtype=np.float64),
        changed=_stamps([history.changed_at for history in histories]),
        announced=_stamps([history.announced_at for history in histories]),
        born=_seconds([history.born_at for history in histories], otherwise=-np.inf),
        died=_seconds([history.died_at for history in histories], otherwise=np.inf),
        span=None if span is None else (span[0].timestamp(), span[1].timestamp()),
    )


def assembled(
    names: Sequence[str],
    *,
    weight: Floats,
    changed: Stamps,
    announced: Stamps,
    born: Floats | None = None,
    died: Floats | None = None,
    span: tuple[float, float] | None = None,
) -> Trace:
    """Sorts times by source; the span, in seconds since 1970, reaches over all of them unless given.

    `born` and `died` are in seconds since 1970 too, and infinite where they are unknown. What is said of a source
    outside its life is dropped: its birth is no change of it.
    """
    born = np.full(len(names), -np.inf) if born is None else born
    died = np.full(len(names), np.inf) if died is None else died
    changed, announced = (_alive(stamps, born, died) for stamps in (changed, announced))
    start, end = span or _span(np.concatenate([changed.seconds, announced.seconds]))
    first, last = (np.clip((times - start) / _HOUR, 0.0, (end - start) / _HOUR) for times in (born, died))
    return Trace(
        sources=tuple(names),
        host=_hosts(names),
        weight=weight,
        started_at=datetime.fromtimestamp(start, UTC),
        hours=(end - start) / _HOUR,
        changes=_moments(changed, len(names), start),
        announcements=_moments(announced, len(names), start),
        born=first,
        died=np.maximum(first, last),
    )


def _alive(stamps: Stamps, born: Floats, died: Floats) -> Stamps:
    is_alive = (stamps.seconds > born[stamps.source]) & (stamps.seconds <= died[stamps.source])
    return Stamps(source=stamps.source[is_alive], seconds=stamps.seconds[is_alive])


def _seconds(times: Sequence[datetime | None], *, otherwise: float) -> Floats:
    return np.array([otherwise if time is None else time.timestamp() for time in times], dtype=np.float64)


def _span(seconds: Floats) -> tuple[float, float]:
    """From the earliest to the latest, rounded out to whole hours."""
    if not len(seconds):
        raise BadInput("no source ever changed, so there is nothing to compare; give at least one time of change")
    start = np.floor(seconds.min() / _HOUR) * _HOUR
    end = np.ceil(seconds.max() / _HOUR) * _HOUR
    return float(start), float(max(end, start + _HOUR))


def _stamps(times: Sequence[Sequence[datetime]]) -> Stamps:
    return Stamps(
        source=np.repeat(np.arange(len(times)), [len(each) for each in times]),
        seconds=np.array([time.timestamp() for each in times for time in each], dtype=np.float64),
    )


def _moments(stamps: Stamps, count: int, start: float) -> Moments:
    order = np.lexsort((stamps.seconds, stamps.source))
    per_source = np.bincount(stamps.source, minlength=count)
    return Moments(at=(stamps.seconds[order] - start) / _HOUR, first=_bounds(per_source))


def _bounds(counts: Ints) -> Ints:
    """Where the times of each source begin, and the last end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _hosts(names: Sequence[str]) -> Ints:
    """The same number for sources of the same host; names without a host are paths of one."""
    numbers: dict[str, int] = {}
    found = (match[1].lower() if (match := _HOST.match(name)) else "" for name in names)
    return np.array([numbers.setdefault(host, len(numbers)) for host in found], dtype=np.int64)
