"""A host that is asked through proxies only, and has none to go by: it waits, and its runs with it.

The page that was to be asked for says why; that the others wait too is a matter of the host, however many they are.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.visit import Refused
from lamplighter.store import host_lists, pages
from lamplighter.store.database import Connection

#: looked at again after this long at the latest: somebody may have brought a proxy, or enabled one
_LOOK_AGAIN = timedelta(minutes=5)
#: and not sooner than this, however soon a proxy is said to be back
_LEAST = timedelta(seconds=1)
#: what a run has left at least when the waiting is over
_TIME_AFTERWARDS = timedelta(minutes=30)


def ends_at(refused: Refused, *, now: datetime) -> datetime:
    """When the host is looked at again."""
    latest = now + _LOOK_AGAIN
    return max(min(refused.until or latest, latest), now + _LEAST)


async def wait(db: Connection, refused: Mapping[int, tuple[int, Refused]]) -> None:
    """Lets these pages (id, with their host) wait, with the reason and without a try counted; no run ends meanwhile."""
    await pages.save(db, [_waiting(page_id, visit) for page_id, (_, visit) in refused.items()])
    ends = {host_id: visit.until for host_id, visit in refused.values() if visit.until is not None}
    for host_id, until in ends.items():
        await host_lists.give_time(db, host_id, deadline_at=until + _TIME_AFTERWARDS)


def _waiting(page_id: int, refused: Refused) -> dict[str, Any]:
    return {"page": page_id, "due_at": refused.until, "reason": str(refused.reason), "detail": refused.detail}
