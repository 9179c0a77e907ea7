"""Replays a rhythm on a trace: what it would have found, how late, and with how many fetches."""

from dataclasses import dataclass, fields

import numpy as np

from lamplighter.simulation.rhythms import VisitRhythm
from lamplighter.simulation.trace import Floats, Ints, Moments, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutcome:
    """The result of visiting every source of a trace, source by source."""

    #: the first copy included
    fetches: Ints
    #: hours in which our copy was not what the source showed
    stale_hours: Floats
    #: from each change to the visit that saw it, or to the end; summed over changes
    delay_hours: Floats
    #: changes that some visit saw
    found: Ints
    #: stale hours of the first week: promised after visits, and come; 0 where a policy promises nothing
    promised: Floats
    measured: Floats

    def only(self, rows: slice) -> "ReplayOutcome":
        """That of some of the sources."""
        return ReplayOutcome(**{part.name: getattr(self, part.name)[rows] for part in fields(self)})


class ReplayScore:
    """Keeps the score of a replay: how far each source's changes were seen, and at what cost."""

    def __init__(self, trace: Trace) -> None:
        changes = trace.changes
        self.hours = trace.hours
        self._at = np.append(changes.at, np.inf)
        self._sums = np.concatenate([[0.0], np.cumsum(changes.at)])
        self._keys = _keys(changes, trace.hours)
        self._end = changes.first[1:]
        #: the next change of each source that no visit saw
        self._next = changes.first[:-1].copy()
        #: fetches of all sources
        self.spent = 0
        self._fetches = np.zeros(len(trace), dtype=np.int64)
        self._stale = np.zeros(len(trace))
        self._delay = np.zeros(len(trace))
        self._first = changes.first[:-1]
        self._died = trace.died
        everything = np.arange(len(trace))
        self.fetch(everything, (trace.lived > 0).astype(np.int64))
        self.see(everything, trace.born)

    def change_after(self, who: Ints) -> Floats:
        """When the next unseen change happens; infinity when there is none."""
        following = self._next[who]
        return np.where(following < self._end[who], self._at[following], np.inf)

    def fetch(self, who: Ints, count: Ints) -> None:
        """Counts fetches; `who` names each source once."""
        self._fetches[who] += count
        self.spent += int(count.sum())

    def see(self, who: Ints, at: Floats) -> Ints:
        """The changes that visits see, each source's visit at its own time; `who` names each source once."""
        before = self._next[who]
        after = np.searchsorted(self._keys, who * _stride(self.hours) + at, side="right")
        after = np.clip(after, before, self._end[who])
        # A visit planned for the very moment of a change may miss it by rounding alone.
        after += (after == before) & (self.change_after(who) <= at)
        count = after - before
        first = np.where(count > 0, self._at[before], at)
        self._stale[who] += at - first
        self._delay[who] += count * at - (self._sums[after] - self._sums[before])
        self._next[who] = after
        return count

    def closed(self) -> ReplayOutcome:
        """The score at the end of the trace: what was never seen was stale until then."""
        found = self._next - self._first
        everything = np.arange(len(found))
        self.see(everything, self._died)
        return ReplayOutcome(
            fetches=self._fetches,
            stale_hours=self._stale,
            delay_hours=np.maximum(self._delay, 0.0),
            found=found,
            promised=np.zeros(len(found)),
            measured=np.zeros(len(found)),
        )


def replay(trace: Trace, rhythm: VisitRhythm, *, phase: Floats, most_fetches: float = np.inf) -> ReplayOutcome | None:
    """Goes from change to change of all sources at once; None as soon as it would take more fetches than allowed.

    `phase` (0 to 1, per source) is the part of its interval after which a source is visited first: it was watched
    before the trace began, nobody knows since when, and its rhythm was where it is when nothing changes.
    """
    book = ReplayScore(trace)
    state = rhythm.start()
    made = np.full(len(trace), rhythm.climbed)
    before, after = rhythm.offset(state, made), rhythm.offset(state, made + 1)
    since = trace.born - (before + (1 - phase) * (after - before))
    who = np.flatnonzero(trace.lived > 0)
    while len(who):
        change, end = book.change_after(who), trace.died[who]
        left = np.minimum(change, end) - since[who]
        nth = np.maximum(rhythm.visits_before(state[who], left), made[who]) + 1
        at = np.maximum(since[who] + rhythm.offset(state[who], nth), np.minimum(change, end))
        is_seen = np.isfinite(change) & (at <= end)
        book.fetch(who, np.where(is_seen, nth, nth - 1) - made[who])
        if book.spent > most_fetches:
            return None
        who, nth, at = who[is_seen], nth[is_seen], at[is_seen]
        state[who] = rhythm.seen(state[who], nth, book.see(who, at))
        since[who], made[who] = at, 0
    return book.closed()


def _stride(hours: float) -> float:
    """More than any time in the trace: separates the sources in one sorted array."""
    return hours + 1.0


def _keys(changes: Moments, hours: float) -> Floats:
    source = np.repeat(np.arange(len(changes.first) - 1), changes.counts)
    return source * _stride(hours) + changes.at
