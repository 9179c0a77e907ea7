"""Compares the scheduling policies on the change history of our own sources."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from lamplighter.errors import NotPossible
from lamplighter.rules.formats.plural import counted
from lamplighter.rules.schedule.policies.learned import weight
from lamplighter.simulation.compare import compare, few_of
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.measures import PolicyResult, are_equal
from lamplighter.simulation.trace import History, Trace, trace_of
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.runs import run_history
from lamplighter.store.runs.run_history import HistoryVisit

#: sources that are replayed, chosen by chance: seconds of work, not minutes, whatever the installation has
MOST_SOURCES: Final = 300
#: what each policy does, in a sentence
ABOUT: Final[Mapping[Contender, str]] = {
    Contender.LEARNED: "Learns how often each source changes and spends fetches where they reduce staleness most.",
    Contender.FIXED: "Visits every source at a fixed interval.",
    Contender.YIELD_DAYS: "Every few days: a day sooner after a rich visit, a day later after three quiet ones.",
    Contender.HASH_BACKOFF: "Thirty minutes after a change, then twice as long each time nothing has changed.",
    Contender.NUTCH: "Lengthens the interval by a share when nothing has changed, and shortens it when something has.",
    Contender.ORACLE: "Knows in advance how often each source changes: the best possible steady schedule.",
}
#: held while a comparison is under way
BUSY = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenHistory(History):
    """What our visits saw of one source: it is known from the first of them to the last."""

    visits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnComparison:
    """How the policies would have fared on our own sources, all with the same number of fetches."""

    #: that were replayed, of those whose history is known
    sources: int
    known_sources: int
    changes: int
    days: float
    #: fetches per day and source
    budget: float
    #: the freshest first
    results: Sequence[PolicyResult]
    #: sources that would be fresher with another policy than with `learned`
    better_with: Mapping[Contender, int]

    @property
    def saving(self) -> str:
        """What `learned` saves here, in one line."""
        by_policy = {result.policy: result for result in self.results}
        learned, fixed = by_policy[Contender.LEARNED], by_policy[Contender.FIXED]
        others = ", ".join(f"{count} with {policy}" for policy, count in self.better_with.items())
        count = sum(self.better_with.values())
        rest = f"; {counted(count, 'source')} would do better otherwise: {others}" if others else ""
        if are_equal(learned, fixed) or not fixed.staleness:
            return f"learned keeps copies as fresh as one fixed interval would{rest}"
        share = 1 - learned.staleness / fixed.staleness
        word = "fewer" if share > 0 else "more"
        return f"learned: {abs(share):.0%} {word} stale hours than one fixed interval would give{rest}"


class ComparisonMinimum(NamedTuple):
    """The minimum data for a meaningful policy comparison."""

    sources: int = 5
    changes: int = 50
    days: int = 7

    def is_more_than(self, compared: OwnComparison) -> bool:
        """Whether a comparison has less data than this."""
        return compared.sources < self.sources or compared.changes < self.changes or compared.days < self.days


ENOUGH = ComparisonMinimum()


async def compare_policies(db: Database, *, now: datetime) -> OwnComparison:
    """Replays what our visits saw, and notes the outcome; takes seconds, on a thread of its own, and one at a time."""
    async with db.read() as connection:
        known = await histories(connection, now=now)
    found = await asyncio.to_thread(compared, known)
    said = {} if ENOUGH.is_more_than(found) else {"saving": found.saving}
    await db.write(lambda connection: upkeep.note(connection, Upkeep.COMPARISON, now=now, figures=said))
    return found


def compared(known: Sequence[SeenHistory]) -> OwnComparison:
    """Replays these histories; NotPossible where they tell of no change."""
    if not any(history.changed_at for history in known):
        raise NotPossible(
            "Our visits have seen no change yet, so there is nothing to compare; try again when sources have been"
            " visited at least twice and one of them has changed.",
            code="no_history",
        )
    return replayed(known)


def replayed(histories: Sequence[SeenHistory]) -> OwnComparison:
    """Replays these histories under every policy, with as many fetches as our own visits to the replayed sources.

    NotPossible while another comparison is under way.
    """
    if not BUSY.acquire(blocking=False):
        raise NotPossible("A comparison is already running; try again when it is done.", code="busy")
    try:
        trace = few_of(own_trace(histories), MOST_SOURCES)
        visits = {history.source: history.visits for history in histories}
        budget = sum(visits[source] for source in trace.sources) / trace.source_days
        compared = compare(trace, list(Contender), budget=budget)
    finally:
        BUSY.release()
    return OwnComparison(
        sources=len(trace),
        known_sources=len(histories),
        changes=len(trace.changes),
        days=trace.days,
        budget=compared.budget,
        results=sorted(compared.results, key=lambda result: result.staleness),
        better_with=compared.better_with,
    )


def own_trace(histories: Sequence[SeenHistory]) -> Trace:
    """The histories as a trace of all the time in which we visited, whether anything changed then or not."""
    began = min(history.born_at for history in histories if history.born_at is not None)
    ended = max(history.died_at for history in histories if history.died_at is not None)
    return trace_of(histories, span=(began, ended))


#: how far back
LOOK_BACK = timedelta(days=180)


async def histories(db: Connection, *, now: datetime) -> list[SeenHistory]:
    """The history of every source that was visited at least twice."""
    visits = await run_history.visits(db, since=now - LOOK_BACK)
    by_source = [list(group) for _, group in groupby(visits, key=lambda visit: visit.url)]
    return [_history(group) for group in by_source if len(group) > 1]


def _history(visits: list[HistoryVisit]) -> SeenHistory:
    """A change that a visit found lies somewhere since the visit before; in the middle it is least wrong."""
    changed_at = [
        before.started_at + (after.started_at - before.started_at) / 2
        for before, after in pairwise(visits)
        if after.has_changed
    ]
    return SeenHistory(
        source=visits[0].url,
        changed_at=changed_at,
        weight=weight(visits[0].priority),
        born_at=visits[0].started_at,
        died_at=visits[-1].started_at,
        visits=len(visits),
    )
