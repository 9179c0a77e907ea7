"""When did our own sources change, as far as our visits tell? For replaying it against the policies."""

from datetime import datetime, timedelta
from itertools import groupby, pairwise

from lamplighter.rules.policies.learned import weight
from lamplighter.simulation.trace import History
from lamplighter.store import change_history
from lamplighter.store.change_history import Visit
from lamplighter.store.database import Connection

#: how far back
LOOK_BACK = timedelta(days=180)


async def histories(db: Connection, *, now: datetime) -> list[History]:
    """The history of every source that was visited at least twice."""
    visits = await change_history.visits(db, since=now - LOOK_BACK)
    by_source = [list(group) for _, group in groupby(visits, key=lambda visit: visit.url)]
    return [_history(group) for group in by_source if len(group) > 1]


def _history(visits: list[Visit]) -> History:
    """A change that a visit found lies somewhere since the visit before; in the middle it is least wrong."""
    changed_at = [
        before.started_at + (after.started_at - before.started_at) / 2
        for before, after in pairwise(visits)
        if after.has_changed
    ]
    return History(source=visits[0].url, changed_at=changed_at, weight=weight(visits[0].priority))
