"""What does a run wait for, of which nothing goes on at present?"""

from datetime import datetime, timedelta

from lamplighter.model.host import HostPolicy
from lamplighter.operations.activity import host_case
from lamplighter.rules import waiting
from lamplighter.rules.waiting import Wait
from lamplighter.store import activity, page_waits, run_pages
from lamplighter.store.database import Connection

#: it goes on so soon that nobody need be told
_SOON = timedelta(seconds=10)
#: how a host stands of which something is or may be asked now
_GOING_ON = frozenset({"being asked", "held", "ready"})


async def of_run(db: Connection, run_id: int, *, defaults: HostPolicy, now: datetime) -> Wait | None:
    """Why nothing is asked for, of all its hosts as the one says that goes on first; None while something is."""
    pages = await page_waits.of_run(db, run_id, now=now)
    cases = [host_case(row, pages[row.id], defaults) for row in await activity.hosts_by_id(db, pages)]
    waits = [waiting.host_wait(case, stopped=None, trouble=None, now=now) for case in cases]
    if not waits or any(_goes_on(wait, now=now) for wait in waits) or await run_pages.is_being_read(db, run_id):
        return None
    return min(waits, key=lambda wait: (wait.until is None, wait.until or now))


def _goes_on(wait: Wait, *, now: datetime) -> bool:
    return wait.word in _GOING_ON or (wait.until is not None and wait.until - now < _SOON)
