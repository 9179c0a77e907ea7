"""Cleans up: overdue or silent runs, pauses that are over, hosts that were not woken, expired records."""

from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any

from lamplighter import crash_points, metrics, telemetry
from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.runs import page_release
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.model.page import Phase
from lamplighter.ports import Clock
from lamplighter.store.engine.after_commit import Signal, after_commit, signal
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import crawl_pause
from lamplighter.store.hosts import host_times, hosts
from lamplighter.store.hosts.host_times import AwaitedHost, HostTimes
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import tasks
from lamplighter.store.records import presence
from lamplighter.store.runs import crawl_runs, run_pages
from lamplighter.store.sources import cookies

log = telemetry.logger("janitor")
_BATCH = 20
#: turns that a run needs to get further than the one before it: robots.txt, the start page, a link
_LEAST_TURNS = 3


class Janitor:
    """Cleans up regularly."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        planner: Planner,
        notice_writer: NoticeWriter,
        stale_after: timedelta,
        run_deadline: timedelta = timedelta(hours=1),
    ) -> None:
        self._db = db
        self._clock = clock
        self._planner = planner
        self._notice_writer = notice_writer
        self._stale_after = stale_after
        self._run_deadline = run_deadline
        #: silent runs that were handled since this process began
        self.stale_runs = 0

    async def sweep(self) -> None:
        """Runs one full sweep."""
        now = self._clock.now()
        async with self._db.read() as db:
            # While crawling is paused no run is late: when it resumes, runs get that time back.
            is_still = await crawl_pause.get(db) is not None
            overdue = [] if is_still else await crawl_runs.overdue(db, now=now, limit=_BATCH)
            silent = (
                [] if is_still else await crawl_runs.silent(db, since=now - self._stale_after, now=now, limit=_BATCH)
            )
        for run_id in overdue:
            await self._try(run_id, self._end)
        for run_id in silent:
            await self._try(run_id, self._look_after)
        await self._db.write(lambda db: crawl_jobs.resume_paused(db, now=now))
        if forgotten := await self._db.write(lambda db: hosts.wake_forgotten(db, now=now)):
            log.warning("hosts.forgotten", hosts=forgotten)
            metrics.CRASH_RECOVERIES.labels("host").inc(forgotten)
        if expired := await self._db.write(lambda db: presence.expire(db, now=now)):
            log.info("records.expired", records=expired)
        if forgotten := await self._db.write(lambda db: cookies.purge(db, now=now)):
            log.info("cookies.forgotten", cookies=forgotten)

    async def _try(self, run_id: int, work: Callable[[Connection, int], Coroutine[Any, Any, None]]) -> None:
        """Handles one run; an error does not stop the others."""
        try:
            await self._db.write(lambda db: work(db, run_id))
        except Exception:
            async with self._db.read() as db:
                log.exception("run.beyond_help", run=await _named(db, run_id))

    async def _end(self, db: Connection, run_id: int) -> None:
        """Ends an overdue run with what it has; its open pages wait for the next run, tasks for their own."""
        if run_id not in await crawl_runs.lock_open(db, [run_id]):
            return
        now = self._clock.now()
        if (later := await self._next_turn(db, run_id, now=now)) is not None:
            await crawl_runs.lengthen(db, run_id, deadline_at=later + self._run_deadline)
            return
        detail = "the run reached its deadline first; the next run will fetch it"
        put_back = await tasks.put_back(db, run_id, now=now)
        left = await run_pages.close_open(db, run_id, phase=Phase.FAILED, reason="run_deadline", detail=detail)
        await crawl_runs.add_up(db, {run_id: {"pages_failed": left}}, now=now)
        crash_points.reached("janitor.midway")
        await self._finish(db, run_id, overdue=True, now=now)
        log.warning("run.overdue", run=await _named(db, run_id), pages_left=left + put_back)

    async def _finish(self, db: Connection, run_id: int, *, overdue: bool, now: datetime) -> list[int]:
        return await finish_done(
            db, [run_id], now=now, planner=self._planner, notice_writer=self._notice_writer, overdue=overdue
        )

    async def _next_turn(self, db: Connection, run_id: int, *, now: datetime) -> datetime | None:
        """The next turn of a host that is blocked, or whose delay is so long that every run would end before it.

        A turn that was not taken within a run's time is not waited for. Nor is a turn of another host than the start
        page's that comes after the job's next run: the start page must not wait for it.
        """
        longest = self._run_deadline / _LEAST_TURNS
        turns = [
            there.next_turn_at
            for there in await host_times.awaited(db, run_id)
            if (_is_blocked(there.host, now=now) or self._pause_before(there, now=now) > longest)
            and there.next_turn_at + self._run_deadline > now
            and (there.has_start_page or there.next_turn_at < there.next_run_at)
        ]
        return max(turns, default=None)

    def _pause_before(self, there: AwaitedHost, *, now: datetime) -> timedelta:
        return max(there.host.delay(self._planner.source_defaults.host), there.next_turn_at - now)

    async def _look_after(self, db: Connection, run_id: int) -> None:
        """Handles a silent run: ends it if it has no page left, else wakes its hosts."""
        if run_id not in await crawl_runs.lock_open(db, [run_id]):
            return
        now = self._clock.now()
        await crawl_runs.add_up(db, {run_id: {}}, now=now)
        await page_release.release(db, [run_id], now=now)
        if not await self._finish(db, run_id, overdue=False, now=now):
            await hosts.wake(db, await run_pages.hosts_to_ask(db, run_id, now=now), now=now)
            signal(Signal.HOSTS, Signal.DOWNLOADS)
        self.stale_runs += 1
        after_commit(metrics.CRASH_RECOVERIES.labels("run").inc)
        log.warning("run.silent", run=await _named(db, run_id), minutes=self._stale_after / timedelta(minutes=1))


async def _named(db: Connection, run_id: int) -> str | None:
    """The public id of a run, for the log."""
    run = await crawl_runs.get(db, run_id)
    return run.public_id if run is not None else None


def _is_blocked(host: HostTimes, *, now: datetime) -> bool:
    return host.blocked_until is not None and host.blocked_until > now
