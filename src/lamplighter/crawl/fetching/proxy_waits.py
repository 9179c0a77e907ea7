"""Makes a host wait that needs a proxy and has none that works; its runs wait too.

The page that was to be fetched stores the reason; the other pages wait because their host does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.visit import Failed, Fault, Refusal, Refused, Visit
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_lists, hosts
from lamplighter.store.pages import pages

#: checked again after this long at the latest: an operator may have added or enabled a proxy
_LOOK_AGAIN = timedelta(minutes=5)
#: and not sooner than this, even if a proxy is expected back sooner
_LEAST = timedelta(seconds=1)
#: after every proxy that was tried failed
_AFTER_FAILURE = timedelta(minutes=1)
#: the time that a run has left at least after the wait
_TIME_AFTERWARDS = timedelta(minutes=30)


def of(visit: Visit, *, now: datetime) -> Refused | None:
    """The wait for a proxy that this visit leads to: none could be used, or each that was tried failed; else None."""
    match visit:
        case Refused(reason=Refusal.NO_PROXY, until=until):
            latest = now + _LOOK_AGAIN
            return replace(visit, until=max(min(until or latest, latest), now + _LEAST))
        case Failed(fault=Fault.PROXY, doubt=None):
            return Refused(url=visit.url, reason=Refusal.NO_PROXY, detail=visit.detail, until=now + _AFTER_FAILURE)
    return None


async def wait(db: Connection, refused: Mapping[int, tuple[int, Refused]], *, served: Iterable[int]) -> None:
    """Makes these pages (id, with their host) wait with a reason; counts no retry, and extends their runs.

    Proxies reached the hosts `served`, which wait no longer.
    """
    await pages.save(db, [_waiting(page_id, visit) for page_id, (_, visit) in refused.items()])
    waits = {host_id: visit for host_id, visit in refused.values() if visit.until is not None}
    if ended := set(served) - waits.keys():
        await hosts.end_proxy_waits(db, ended)
    for host_id, visit in waits.items():
        assert visit.until is not None
        await host_lists.give_time(db, host_id, deadline_at=visit.until + _TIME_AFTERWARDS)
        await hosts.wait_for_proxy(db, host_id, until=visit.until, reason=visit.detail)


def _waiting(page_id: int, refused: Refused) -> dict[str, Any]:
    return {"page": page_id, "due_at": refused.until, "reason": str(refused.reason), "detail": refused.detail}
