"""Sources with crawl jobs, as the API shows them."""

from dataclasses import dataclass
from typing import Any

import pytest

from lamplighter.app import Service
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.model.access import Stamp
from lamplighter.model.page import Phase
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs, run_pages
from tests.web.asgi_client import Ask

#: for tests of words and decisions, which are the same on every database
on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


@dataclass(frozen=True)
class Watched:
    """Whom a test asks about."""

    service: Service
    ask: Ask
    source_id: str
    job_id: str
    #: inside
    row: int

    @property
    def path(self) -> str:
        """Where its job is."""
        return f"/api/v1/jobs/{self.job_id}"

    async def job(self) -> Any:
        """Its job as the API shows it."""
        return (await self.ask.get(self.path)).json

    async def run(self, *, failed: str | None = None, **tally: int) -> str:
        """A run that is over: opened by force, ended as the sinks would; returns its id."""
        run_id = (await self.ask.post(f"{self.path}/force-run")).json["execution_id"]
        await self.end(failed=failed, **tally)
        return str(run_id)

    async def end(self, *, failed: str | None = None, **tally: int) -> None:
        """Ends the run that goes on."""
        now = self.service.clock.now()
        found = {"pages_fetched": 1, "records_found": 2, "records_inserted": 2} | tally
        counts = {"pages_failed": 1} if failed else found

        async def work(db: Connection) -> None:
            job = await crawl_jobs.of_source(db, self.row)
            run_id = await crawl_runs.open_of_job(db, job.id) if job is not None else None
            assert run_id is not None
            phase = Phase.FAILED if failed else Phase.COMPLETED
            await run_pages.close_open(db, run_id, phase=phase, reason=failed or "", detail="because")
            await crawl_runs.add_up(db, {run_id: counts}, now=now)
            planner, notice_writer = self.service.runs.planner, self.service.runs.notice_writer
            await finish_done(db, [run_id], now=now, planner=planner, notice_writer=notice_writer)

        await self.service.db.write(work)


async def watched(service: Service, ask: Ask, name: str = "a", **about: Any) -> Watched:
    """A source at https://{name}.example/ and its job."""
    new = NewSource(url=f"https://{name}.example/", name=name, **about)
    now = service.clock.now()
    row = await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))
    await service.events.deliver.deliver_all()
    (job,) = (await ask.get("/api/v1/jobs", search=f"{name}.example")).json["jobs"]
    return Watched(service, ask, job["source_id"], job["id"], row)
