"""Due jobs and a scheduler that tests poll by hand; runs end when the test says so."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.crawl.runs.scheduler import Capacity, Scheduler
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState
from lamplighter.model.page import Phase
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.runs import crawl_runs, run_pages
from lamplighter.store.schema import tables
from lamplighter.store.sources import sources as stored_sources
from tests.changing import set_job
from tests.clocks import At
from tests.store.given_rows import rows_of

HOUR = timedelta(hours=1)
#: for tests of decisions, which are the same on every database
on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


class Queues:
    """Jobs by name, each due now and on a host of its own unless a test says otherwise."""

    def __init__(self, db: Database, *, runs: int = 100, per_host: int = 4, **source_defaults: Any) -> None:
        self.db = db
        self.clock = At()
        self.source_defaults = SourceDefaults(**source_defaults)
        #: nothing is left to chance: the least jitter that there may be, which after a failure is none
        self.planner = Planner(source_defaults=self.source_defaults, clock=self.clock, draw=lambda: 0.0)
        self.notice_writer = NoticeWriter(clock=self.clock)
        self.scheduler = Scheduler(
            db,
            clock=self.clock,
            queue=InProcessQueue(),
            source_defaults=self.source_defaults,
            capacity=Capacity(runs, per_host),
            run_deadline=HOUR,
        )

    async def job(self, name: str, *, host: str | None = None, **columns: Any) -> int:
        """A job of a new source; columns are those of the job, or `windows`, `priority` and the like of the source."""
        about = {key: columns.pop(key) for key in NewSource.__dataclass_fields__ if key in columns}
        slug = name.replace(" ", "-")

        async def work(db: Connection) -> int:
            new = NewSource(url=f"https://{host or f'{slug}.example'}/{slug}", name=name, **about)
            source_id = await sources.add(db, new, stamp=Stamp("test", self.clock.at))
            source = await stored_sources.get(db, source_id)
            assert source is not None
            job_id = await job_keeper.create(db, source, source_defaults=self.source_defaults, now=self.clock.at)
            if columns:
                await set_job(db, job_id, now=self.clock.at, **columns)
            return job_id

        return await self.db.write(work)

    async def set_host(self, key: str, **columns: Any) -> None:
        """Changes what is known of a host."""
        await self._change(sa.update(tables.hosts).where(tables.hosts.c.key == key).values(**columns))

    async def set_source(self, name: str, **columns: Any) -> None:
        """Changes a source behind everybody's back."""
        await self._change(sa.update(tables.sources).where(tables.sources.c.name == name).values(**columns))

    async def poll(self, after: timedelta = timedelta(0)) -> list[str]:
        """The names of the jobs opened by one poll, the first first."""
        self.clock.at += after
        last = max((row.id for row in await self.rows(tables.crawl_runs)), default=0)
        await self.scheduler.open_due()
        names = {row.id: row.name for row in await self.rows(tables.sources)}
        return [names[row.source_id] for row in await self.rows(tables.crawl_runs) if row.id > last]

    async def force(self, name: str) -> int:
        """Has a job run now, as an operator would; returns the run."""
        job = await self.job_of(name)
        return await self.db.write(
            lambda db: runs.run_now(
                db, job.source_id, now=self.clock.at, deadline=HOUR, source_defaults=self.source_defaults
            )
        )

    async def end(self, name: str, *, failed: str | None = None, detail: str = "because", **tally: int) -> Any:
        """Ends the run of a job as the sinks would: its start page was had, or failed for this reason."""
        job = await self.job_of(name)
        counts = {"pages_failed": 1} if failed else {"pages_unchanged": 1}

        async def work(db: Connection) -> None:
            run_id = await crawl_runs.open_of_job(db, job.id)
            assert run_id is not None
            phase = Phase.FAILED if failed else Phase.COMPLETED
            await run_pages.close_open(db, run_id, phase=phase, reason=failed or "", detail=detail)
            await crawl_runs.add_up(db, {run_id: tally or counts}, now=self.clock.at)
            await finish_done(db, [run_id], now=self.clock.at, planner=self.planner, notice_writer=self.notice_writer)

        await self.db.write(work)
        return await self.job_of(name)

    async def round(self, name: str, *, failed: str | None = None, **tally: int) -> Any:
        """Goes to when a job is due, opens its run and ends it; returns the job."""
        self.clock.at = max(self.clock.at, (await self.job_of(name)).next_run_at)
        assert await self.poll() == [name]
        return await self.end(name, failed=failed, **tally)

    async def set_job(self, name: str, **columns: Any) -> None:
        """Changes a job behind everybody's back."""
        job = await self.job_of(name)
        await self._change(sa.update(tables.crawl_jobs).where(tables.crawl_jobs.c.id == job.id).values(**columns))

    async def end_all(self) -> None:
        """Ends every run that goes on; each job comes back after its interval."""
        now = self.clock.at
        for job in await self.rows(tables.crawl_jobs):
            if job.state == JobState.RUNNING:
                again = now + timedelta(seconds=job.interval_seconds)
                values = {"state": JobState.SCHEDULED, "next_run_at": again}
                await self.db.write(lambda db, job=job, values=values: set_job(db, job.id, now=now, **values))  # type: ignore[misc]
        runs = tables.crawl_runs
        await self._change(sa.update(runs).where(runs.c.finished_at.is_(None)).values(finished_at=now, outcome="ok"))

    async def next_run_at(self, name: str) -> datetime | None:
        """When a job is due."""
        at: datetime | None = (await self.job_of(name)).next_run_at
        return at

    async def job_of(self, name: str) -> Any:
        """A job as stored."""
        source_id = next(row.id for row in await self.rows(tables.sources) if row.name == name)
        return next(row for row in await self.rows(tables.crawl_jobs) if row.source_id == source_id)

    def janitor(self) -> Janitor:
        """Sweeps these jobs and runs; a run is stale after five minutes."""
        return Janitor(
            self.db,
            clock=self.clock,
            planner=self.planner,
            notice_writer=self.notice_writer,
            stale_after=timedelta(minutes=5),
        )

    async def rows(self, table: sa.Table) -> list[Any]:
        """Every row of a table, oldest first."""
        return await rows_of(self.db, table)

    async def _change(self, statement: Any) -> None:
        async def work(db: Connection) -> None:
            await db.execute(statement)

        await self.db.write(work)
