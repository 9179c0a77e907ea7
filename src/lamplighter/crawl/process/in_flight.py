"""Stores which pages a process works on now, for those who look."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from lamplighter.ports import Clock
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import pages_in_flight
from lamplighter.store.pages.pages_in_flight import PageStep

#: how often it is stored; what takes less time than this is not worth a write
STEP_SECONDS = 0.5
_STEP = timedelta(seconds=STEP_SECONDS)


class InFlight:
    """One kind of work, and the pages for which it is stored."""

    def __init__(self, db: Database, *, clock: Clock, work: PageStep) -> None:
        self._db = db
        self._clock = clock
        self._work = work
        self._stored: set[int] = set()

    async def store(self, now_under_way: Mapping[int, datetime]) -> None:
        """Stores the pages that are under way for a step or longer, with the time since when."""
        latest = self._clock.now() - _STEP
        slow = {page_id: at for page_id, at in now_under_way.items() if at <= latest}
        begun = {page_id: at for page_id, at in slow.items() if page_id not in self._stored}
        ended = self._stored - slow.keys()
        if begun or ended:
            await self._db.write(lambda db: pages_in_flight.note(db, self._work, begun=begun, ended=ended))
        self._stored = set(slow)
