"""Makes a host wait that needs a proxy and has none that works; its runs wait too.

The page that was to be fetched stores the reason; the other pages wait because their host does. An operator may end
the wait before it is stored: then it is not stored.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.fetch import proxy_registry
from lamplighter.model.proxy import ProxyMode
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


async def wait(db: Connection, visits: Sequence[PageVisit], *, served: Iterable[int], now: datetime) -> None:
    """Makes the pages of these visits wait with a reason; counts no retry, and extends their runs.

    Their hosts are locked. Proxies reached the hosts `served`, which wait no longer.
    """
    last = {visited.host.id: visited for visited in visits}
    waits = {host_id: visited.visit for host_id, visited in last.items() if await _still_waits(db, visited, now=now)}
    rows = []
    for page, visit, host, *_ in visits:
        assert isinstance(visit, Refused)
        due_at = visit.until if host.id in waits else None
        rows.append({"page": page.id, "due_at": due_at, "reason": str(visit.reason), "detail": visit.detail})
    await pages.save(db, rows)
    if ended := set(served) - waits.keys():
        await hosts.end_proxy_waits(db, ended)
    for host_id, visit in waits.items():
        assert isinstance(visit, Refused)
        assert visit.until is not None
        await host_lists.give_time(db, host_id, deadline_at=visit.until + _TIME_AFTERWARDS)
        await hosts.wait_for_proxy(db, host_id, until=visit.until, reason=visit.detail)


async def _still_waits(db: Connection, visited: PageVisit, *, now: datetime) -> bool:
    """False when an operator has ended the wait since it was decided: by another policy, or by a proxy."""
    seen, has_tried = visited.host.policy, visited.proxy_id is not None
    host = await hosts.get(db, visited.host.key, defaults=seen)
    assert host is not None, "a host that is locked cannot be deleted"
    # Without any request the mode was "only", whatever the policy became right after.
    mode = seen.proxy_mode if has_tried else ProxyMode.ONLY
    if host.policy.proxy_mode is not mode or host.policy.has_own_proxy_mode is not seen.has_own_proxy_mode:
        return False
    # Proxies that have just failed may be usable still: with them the page would be tried again without end.
    return not await proxy_registry.has_usable(db, host, is_untried=has_tried, now=now)
