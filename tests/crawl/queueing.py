"""Due jobs and a scheduler that tests poll by hand; runs end when the test says so."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.adapters.in_process_queue import InProcessQueue
from lamplighter.crawl import job_keeper
from lamplighter.crawl.finish import finish_done
from lamplighter.crawl.norms import Norms
from lamplighter.crawl.planner import Planner
from lamplighter.crawl.scheduler import Capacity, Scheduler
from lamplighter.model.crawl import JobState
from lamplighter.model.page import Phase
from lamplighter.operations import runs, sources
from lamplighter.operations.sources import NewSource
from lamplighter.store import crawl_jobs, crawl_runs, run_pages, tables
from lamplighter.store import sources as stored_sources
from lamplighter.store.database import Connection, Database
from tests.crawl.planning import At

HOUR = timedelta(hours=1)
#: for tests of decisions, which are the same on every database
on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


class Queues:
    """Jobs by name, each due now and on a host of its own unless a test says otherwise."""

    def __init__(self, db: Database, *, runs: int = 100, per_host: int = 4, **norms: Any) -> None:
        self.db = db
        self.clock = At()
        self.norms = Norms(**norms)
        #: nothing is left to chance: the least jitter that there may be, which after a failure is none
        self.planner = Planner(norms=self.norms, clock=self.clock, draw=lambda: 0.0)
        self.scheduler = Scheduler(
            db,
            clock=self.clock,
            queue=InProcessQueue(),
            norms=self.norms,
            capacity=Capacity(runs, per_host),
            run_deadline=HOUR,
        )

    async def job(self, name: str, *, host: str | None = None, **columns: Any) -> int:
        """A job of a new source; columns are those of the job, or `windows`, `priority` and the like of the source."""
        about = {key: columns.pop(key) for key in NewSource.__dataclass_fields__ if key in columns}
        slug = name.replace(" ", "-")

        async def work(db: Connection) -> int:
            new = NewSource(url=f"https://{host or f'{slug}.example'}/{slug}", name=name, **about)
            source_id = await sources.add(db, new, actor="test", now=self.clock.at)
            source = await stored_sources.get(db, source_id)
            assert source is not None
            job_id = await job_keeper.create(db, source, norms=self.norms, now=self.clock.at)
            if columns:
                await crawl_jobs.change(db, job_id, now=self.clock.at, **columns)
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
            lambda db: runs.run_now(db, job.source_id, now=self.clock.at, deadline=HOUR, norms=self.norms)
        )

    async def end(self, name: str, *, failed: str | None = None, **tally: int) -> Any:
        """Ends the run of a job as the sinks would: its start page was had, or failed for this reason."""
        job = await self.job_of(name)
        counts = {"pages_failed": 1} if failed else {"pages_unchanged": 1}

        async def work(db: Connection) -> None:
            run_id = await crawl_runs.open_of_job(db, job.id)
            assert run_id is not None
            phase = Phase.FAILED if failed else Phase.COMPLETED
            await run_pages.close_open(db, run_id, phase=phase, reason=failed or "", detail="because")
            await crawl_runs.add_up(db, {run_id: tally or counts}, now=self.clock.at)
            await finish_done(db, [run_id], now=self.clock.at, planner=self.planner)

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
                await self.db.write(lambda db, job=job, values=values: crawl_jobs.change(db, job.id, now=now, **values))  # type: ignore[misc]
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

    async def rows(self, table: sa.Table) -> list[Any]:
        """Every row of a table, oldest first."""
        async with self.db.read() as db:
            return list(await db.execute(sa.select(table).order_by(*table.primary_key.columns)))

    async def _change(self, statement: Any) -> None:
        async def work(db: Connection) -> None:
            await db.execute(statement)

        await self.db.write(work)
