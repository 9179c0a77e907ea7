"""The scheduling half of the service on a clock that jumps, and sites whose changes are known."""

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

import sqlalchemy as sa

from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.jobs.job_keeper import create
from lamplighter.crawl.planning.activity_keeper import ActivityKeeper
from lamplighter.crawl.planning.cohort_keeper import CohortKeeper
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.planning.pricer import Pricer
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.crawl.runs.scheduler import Capacity, Scheduler
from lamplighter.model.access import Stamp
from lamplighter.model.page import Phase
from lamplighter.operations.sources import sources as operations
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import pages
from lamplighter.store.runs import crawl_runs, run_pages
from lamplighter.store.schema.tables import crawl_jobs
from lamplighter.store.schema.tables import crawl_runs as runs_table
from lamplighter.store.sources import sources
from tests.clocks import At
from tests.moments import NOON

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: the rhythm that the operator asked for where a source has none of its own, whatever the source does
BASELINE = DAY


class Clock(At):
    """Virtual time, at which what is remembered for a minute is remembered for two hours."""

    def monotonic(self) -> float:
        return self.at.timestamp() / 120


class Site:
    """A source that changes at times that only the test knows."""

    def __init__(self, url: str, changes: Iterable[datetime]) -> None:
        self.url = url
        self.changes = sorted(changes)
        self.visits: list[datetime] = []

    def visited(self, at: datetime) -> bool:
        """Whether a visit finds something new."""
        last = self.visits[-1] if self.visits else None
        self.visits.append(at)
        return last is None or bisect_right(self.changes, last) < bisect_right(self.changes, at)

    def stale_hours(self, since: datetime, until: datetime) -> float:
        """How long our copy was stale in this stretch."""
        total = timedelta(0)
        for start, end in pairwise([*self.visits, until]):
            missed = bisect_right(self.changes, start)
            if missed < len(self.changes) and self.changes[missed] < end:
                total += max(timedelta(0), min(end, until) - max(self.changes[missed], since))
        return total / HOUR


class Promise(NamedTuple):
    """What an explanation said about the time until the next visit."""

    source_id: int
    at: datetime
    staleness: float


class World:
    """The scheduling half of the service, on a clock that jumps."""

    def __init__(self, db: Database, sites: Sequence[Site], *, step: timedelta, days: int) -> None:
        self.db, self.clock, self._step, self.end = db, Clock(), step, NOON + days * DAY
        self.sites = {number + 1: site for number, site in enumerate(sites)}
        self.source_defaults = SourceDefaults(interval=BASELINE)
        draw = random.Random(8).random
        self.planner = Planner(source_defaults=self.source_defaults, clock=self.clock, draw=draw)
        self.notice_writer = NoticeWriter(clock=self.clock)
        self.scheduler = Scheduler(
            db,
            clock=self.clock,
            queue=InProcessQueue(),
            source_defaults=self.source_defaults,
            capacity=Capacity(runs=1024, runs_per_host=256),
            run_deadline=HOUR,
        )
        outlooks = self.planner.outlooks
        self.pricer = Pricer(db, clock=self.clock, source_defaults=self.source_defaults, outlooks=outlooks)
        self.cohort_keeper = CohortKeeper(db, clock=self.clock, planner=self.planner, pricer=self.pricer)
        self.activity_keeper = ActivityKeeper(db, clock=self.clock, planner=self.planner)
        self.promises: list[Promise] = []

    async def begin(self) -> None:
        """Watches all sites."""

        async def work(db: Connection) -> None:
            for site in self.sites.values():
                # Its own interval would be kept, whatever is learned.
                source_id = await operations.add(db, NewSource(url=site.url), stamp=Stamp("test", NOON))
                source = await sources.get(db, source_id)
                assert source is not None
                await create(db, source, source_defaults=self.source_defaults, now=NOON)

        await self.db.write(work)

    async def live(self) -> None:
        """Opens and ends runs until the last day is over."""
        priced_at = NOON
        while self.clock.at < self.end:
            await self.scheduler.open_due()
            await self.db.write(self._end_runs)
            if self.clock.at >= priced_at:
                await self.cohort_keeper.gather_if_old()
                await self.pricer.reprice()
                priced_at = self.clock.at + 6 * HOUR
            await self.activity_keeper.look_if_due()
            self.clock.at += self._step

    async def _end_runs(self, db: Connection) -> None:
        """Every open run finds its start page as the site shows it at this moment."""
        now = self.clock.at
        going_on = (await db.execute(sa.select(runs_table).where(runs_table.c.finished_at.is_(None)))).all()
        for run in going_on:
            site = self.sites[run.source_id]
            is_first = not site.visits
            has_news = site.visited(now)
            counts = {"pages_fetched" if has_news else "pages_unchanged": 1, "pages_changed": has_news and not is_first}
            await run_pages.close_open(db, run.id, phase=Phase.COMPLETED, reason="", detail="")
            await db.execute(sa.update(pages.pages).where(pages.pages.c.run_id == run.id).values(fetched_at=now))
            await crawl_runs.add_up(db, {run.id: counts}, now=now)
        ended = await finish_done(
            db, [run.id for run in going_on], now=now, planner=self.planner, notice_writer=self.notice_writer
        )
        assert len(ended) == len(going_on)
        rows = await db.execute(
            sa.select(crawl_jobs).where(crawl_jobs.c.source_id.in_([run.source_id for run in going_on]))
        )
        for job in rows:
            self.promises.append(Promise(job.source_id, now, job.next_run_reason["expected"]["staleness"]))

    def promised_hours(self, since: datetime) -> float:
        """Stale hours that the explanations announced from then on."""
        total = 0.0
        for source_id in self.sites:
            mine = [promise for promise in self.promises if promise.source_id == source_id]
            ends = [promise.at for promise in mine[1:]] + [self.end]
            for promise, end in zip(mine, ends, strict=True):
                span = min(end, self.end) - max(promise.at, since)
                total += promise.staleness * max(0.0, span / HOUR)
        return total

    def seen_hours(self, since: datetime) -> float:
        """Stale hours that there were from then on."""
        return sum(site.stale_hours(since, self.end) for site in self.sites.values())
