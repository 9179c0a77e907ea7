"""Which policy would have kept our own copies freshest? Answered from what our own visits saw."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lamplighter.errors import NotPossible
from lamplighter.operations import change_history
from lamplighter.simulation.compare import compare, few_of, usual_budget
from lamplighter.simulation.contenders import Contender
from lamplighter.simulation.measures import Result
from lamplighter.simulation.trace import History, trace_of
from lamplighter.store.database import Database

#: sources that are replayed, chosen by chance: seconds of work, not minutes, whatever the installation has
MOST_SOURCES: Final = 300
#: what each policy does, in a sentence
ABOUT: Final[Mapping[Contender, str]] = {
    Contender.LEARNED: "Learns how often each source changes and spends every fetch where it saves most stale time.",
    Contender.FIXED: "Visits every source at the same interval, whatever it finds.",
    Contender.YIELD_DAYS: "Every few days: a day sooner after a rich visit, a day later after three quiet ones.",
    Contender.HASH_BACKOFF: "Thirty minutes after a change, then twice as long each time nothing has changed.",
    Contender.NUTCH: "Lengthens the interval by a share when nothing has changed, and shortens it when something has.",
    Contender.ORACLE: "Knows beforehand how often each source changes: the best that steady visits could do.",
}
_BUSY = threading.Lock()


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
    results: Sequence[Result]


async def compare_policies(db: Database, *, now: datetime) -> OwnComparison:
    """Replays what our visits saw; takes seconds, on a thread of its own, and one at a time."""
    async with db.read() as connection:
        histories = await change_history.histories(connection, now=now)
    if not any(history.changed_at for history in histories):
        raise NotPossible(
            "Our visits have seen no change yet, so there is nothing to compare; come back when sources have been"
            " visited at least twice and one of them has changed.",
            code="no_history",
        )
    return await asyncio.to_thread(_replayed, histories)


def _replayed(histories: Sequence[History]) -> OwnComparison:
    if not _BUSY.acquire(blocking=False):
        raise NotPossible("A comparison is under way; ask again when it is done.", code="busy")
    try:
        trace = few_of(trace_of(histories), MOST_SOURCES)
        # Of a short history the usual budget may not even pay for the first copies.
        budget = max(usual_budget(trace), 2 / trace.days)
        compared = compare(trace, list(Contender), budget=budget)
    finally:
        _BUSY.release()
    return OwnComparison(
        sources=len(trace),
        known_sources=len(histories),
        changes=len(trace.changes),
        days=trace.days,
        budget=compared.budget,
        results=sorted(compared.results, key=lambda result: result.staleness),
    )
