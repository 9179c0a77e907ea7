"""What does a run wait for, of which nothing goes on at present?"""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.host import HostPolicy
from lamplighter.model.visit import Refusal
from lamplighter.rules import waiting
from lamplighter.rules.waiting import HostCase, Wait
from lamplighter.store import hosts, run_pages
from lamplighter.store.database import Connection

#: it goes on so soon that nobody need be told
_SOON = timedelta(seconds=10)
#: how a host stands of which something is or may be asked now
_GOING_ON = frozenset({"being asked", "held", "ready"})


async def of_run(db: Connection, run_id: int, *, defaults: HostPolicy, now: datetime) -> Wait | None:
    """Why nothing is asked for, of all its hosts as the one says that goes on first; None while something is."""
    waits = [_wait(row, defaults, now=now) for row in await run_pages.waiting_at_hosts(db, run_id, now=now)]
    if not waits or any(wait is None for wait in waits) or await run_pages.is_being_read(db, run_id):
        return None
    known = [wait for wait in waits if wait is not None]
    return min(known, key=lambda wait: (wait.until is None, wait.until or now))


def _wait(row: Any, defaults: HostPolicy, *, now: datetime) -> Wait | None:
    case = HostCase(
        host=hosts.host_of(row, defaults),
        held_by=row.lease_owner,
        lease_until=row.lease_until,
        due_pages=int(row.due_pages),
        next_page_at=row.next_page_at,
        detail=row.page_detail,
        waits_for_proxy=row.page_reason == Refusal.NO_PROXY,
    )
    wait = waiting.host_wait(case, stopped=None, trouble=None, now=now)
    if wait.word in _GOING_ON or (wait.until is not None and wait.until - now < _SOON):
        return None
    return wait
