"""Sweeps up: runs that are overdue or silent, jobs whose rest is over, hosts nobody woke, expired records."""

from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any

from lamplighter import crash_points, metrics, telemetry
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.finish import finish_done
from lamplighter.crawl.planner import Planner
from lamplighter.model.page import Phase
from lamplighter.ports import Clock
from lamplighter.store import (
    cookies,
    crawl_jobs,
    crawl_runs,
    host_times,
    hosts,
    page_orders,
    presence,
    run_pages,
    standstill,
)
from lamplighter.store.after_commit import after_commit
from lamplighter.store.database import Connection, Database

log = telemetry.logger("janitor")
_BATCH = 20
#: what has to fit into a run for it to come any further than the one before it: robots.txt, the start page, a link
_LEAST_TURNS = 3


class Janitor:
    """One sweep at a time."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        bells: Bells,
        planner: Planner,
        stale_after: timedelta,
        run_deadline: timedelta = timedelta(hours=1),
    ) -> None:
        self._db = db
        self._clock = clock
        self._bells = bells
        self._planner = planner
        self._stale_after = stale_after
        self._run_deadline = run_deadline
        #: silent runs that were looked after since this process began
        self.stale_runs = 0

    async def sweep(self) -> None:
        """Does everything once."""
        now = self._clock.now()
        async with self._db.read() as db:
            # Of what stands still nothing is expected: when it goes on, its runs get that time back.
            is_still = await standstill.get(db) is not None
            overdue = [] if is_still else await crawl_runs.overdue(db, now=now, limit=_BATCH)
            silent = (
                [] if is_still else await crawl_runs.silent(db, since=now - self._stale_after, now=now, limit=_BATCH)
            )
        for run_id in overdue:
            await self._try(run_id, self._end)
        for run_id in silent:
            await self._try(run_id, self._look_after)
        if await self._db.write(lambda db: crawl_jobs.resume_rested(db, now=now)):
            self._bells.jobs.ring()
        if forgotten := await self._db.write(lambda db: hosts.wake_forgotten(db, now=now)):
            log.warning("hosts.forgotten", hosts=forgotten)
            metrics.CRASH_RECOVERIES.labels("host").inc(forgotten)
            self._bells.hosts.ring()
        if expired := await self._db.write(lambda db: presence.expire(db, now=now)):
            log.info("records.expired", records=expired)
        if forgotten := await self._db.write(lambda db: cookies.purge(db, now=now)):
            log.info("cookies.forgotten", cookies=forgotten)

    async def _try(self, run_id: int, work: Callable[[Connection, int], Coroutine[Any, Any, None]]) -> None:
        """One run that cannot be helped must not keep the others from being."""
        try:
            await self._db.write(lambda db: work(db, run_id))
        except Exception:
            log.exception("run.beyond_help", run=run_id)

    async def _end(self, db: Connection, run_id: int) -> None:
        """Ends an overdue run with what it has; its open pages wait for the next one, submitted ones for their own."""
        if run_id not in await crawl_runs.lock_open(db, [run_id]):
            return
        now = self._clock.now()
        if (later := await self._next_turn(db, run_id, now=now)) is not None:
            await crawl_runs.lengthen(db, run_id, deadline_at=later + self._run_deadline)
            return
        detail = "the run reached its deadline first; the next run will ask for it"
        put_back = await page_orders.put_back(db, run_id, now=now)
        left = await run_pages.close_open(db, run_id, phase=Phase.FAILED, reason="run_deadline", detail=detail)
        await crawl_runs.add_up(db, {run_id: {"pages_failed": left}}, now=now)
        crash_points.reached("janitor.midway")
        await finish_done(db, [run_id], now=now, planner=self._planner, overdue=True)
        log.warning("run.overdue", run=run_id, pages_left=left + put_back)
        self._bells.finished.ring()

    async def _next_turn(self, db: Connection, run_id: int, *, now: datetime) -> datetime | None:
        """The next turn of a host that is left alone for so long that every run would end before it comes to its pages.

        A turn that nobody took within the time of a run is none to wait for. Nor is one of another host than that of
        the start page which comes when the job would run again: the start page is not to wait for it.
        """
        longest = self._run_deadline / _LEAST_TURNS
        turns = [
            there.next_turn_at
            for there in await host_times.awaited(db, run_id)
            if max(there.host.delay(self._planner.norms.host), there.next_turn_at - now) > longest
            and there.next_turn_at + self._run_deadline > now
            and (there.has_start_page or there.next_turn_at < there.next_run_at)
        ]
        return max(turns, default=None)

    async def _look_after(self, db: Connection, run_id: int) -> None:
        """A run that nobody has done anything for: its hosts are woken, and if nothing is left to do it is ended."""
        if run_id not in await crawl_runs.lock_open(db, [run_id]):
            return
        now = self._clock.now()
        await crawl_runs.add_up(db, {run_id: {}}, now=now)
        if await finish_done(db, [run_id], now=now, planner=self._planner):
            self._bells.finished.ring()
        else:
            await hosts.wake(db, await run_pages.hosts_to_ask(db, run_id, now=now), now=now)
            self._bells.hosts.ring()
            self._bells.downloads.ring()
        self.stale_runs += 1
        after_commit(metrics.CRASH_RECOVERIES.labels("run").inc)
        log.warning("run.silent", run=run_id, minutes=self._stale_after / timedelta(minutes=1))
