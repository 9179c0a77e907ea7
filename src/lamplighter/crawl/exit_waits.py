"""A host that is asked through proxies only, and has none to go by: its pages wait, and its runs with them."""

from datetime import datetime, timedelta

from lamplighter.model.visit import Refused
from lamplighter.store import host_lists, pages
from lamplighter.store.database import Connection

#: looked at again after this long at the latest: somebody may have brought a proxy, or enabled one
_LOOK_AGAIN = timedelta(minutes=5)
#: and not sooner than this, however soon a proxy is said to be back
_LEAST = timedelta(seconds=1)
#: what a run has left at least when the waiting is over
_TIME_AFTERWARDS = timedelta(minutes=30)


async def wait(db: Connection, host_id: int, refused: Refused, *, now: datetime) -> None:
    """Lets everything of this host wait for the next proxy, with the reason, and no run ends meanwhile."""
    latest = now + _LOOK_AGAIN
    until = max(min(refused.until or latest, latest), now + _LEAST)
    await pages.postpone(db, host_id, until=until, reason=str(refused.reason), detail=refused.detail)
    await host_lists.give_time(db, host_id, deadline_at=until + _TIME_AFTERWARDS)
