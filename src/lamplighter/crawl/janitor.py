"""Sweeps up: runs past their deadline, jobs whose rest is over, hosts nobody woke, expired records, old events."""

import random
from datetime import timedelta

from lamplighter import crash_points, telemetry
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.finish import finish_done
from lamplighter.model.page import Phase
from lamplighter.ports import Clock
from lamplighter.store import crawl_jobs, crawl_runs, events, hosts, pages, presence
from lamplighter.store.database import Connection, Database

log = telemetry.logger("janitor")
_RECEIPTS_KEPT = timedelta(days=7)
_BATCH = 20


class Janitor:
    """One sweep at a time."""

    def __init__(self, db: Database, *, clock: Clock, bells: Bells) -> None:
        self._db = db
        self._clock = clock
        self._bells = bells

    async def sweep(self) -> None:
        """Does everything once."""
        now = self._clock.now()
        async with self._db.read() as db:
            overdue = await crawl_runs.overdue(db, now=now, limit=_BATCH)
        for run_id in overdue:
            await self._db.write(lambda db, run_id=run_id: self._end(db, run_id))  # type: ignore[misc]
        if await self._db.write(lambda db: crawl_jobs.resume_rested(db, now=now)):
            self._bells.jobs.ring()
        if forgotten := await self._db.write(lambda db: hosts.wake_forgotten(db, now=now)):
            log.warning("hosts.forgotten", hosts=forgotten)
            self._bells.hosts.ring()
        if expired := await self._db.write(lambda db: presence.expire(db, now=now)):
            log.info("records.expired", records=expired)
        await self._db.write(lambda db: events.purge(db, before=now - _RECEIPTS_KEPT))

    async def _end(self, db: Connection, run_id: int) -> None:
        """Ends an overdue run with what it has; its open pages wait for the next one."""
        if run_id not in await crawl_runs.lock_open(db, [run_id]):
            return
        detail = "the run reached its deadline first; the next run will ask for it"
        left = await pages.close_open(db, run_id, phase=Phase.FAILED, reason="run_deadline", detail=detail)
        await crawl_runs.add_up(db, {run_id: {"pages_failed": left}})
        crash_points.reached("janitor.midway")
        await finish_done(db, [run_id], now=self._clock.now(), draw=random.random, overdue=True)
        log.warning("run.overdue", run=run_id, pages_left=left)
        self._bells.finished.ring()
