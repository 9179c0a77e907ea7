"""Opens runs for crawl jobs whose time has come."""

from datetime import datetime, timedelta

from lamplighter import crash_points, telemetry
from lamplighter.crawl import admission
from lamplighter.crawl.bells import Bells
from lamplighter.model.crawl import CrawlJob, Trigger
from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase
from lamplighter.model.reading import Role
from lamplighter.ports import Clock
from lamplighter.rules import frontier, urls
from lamplighter.store import crawl_jobs, crawl_runs, hosts, pages, run_log, sources
from lamplighter.store.database import Connection, Database

log = telemetry.logger("scheduler")
#: jobs opened in one transaction
_BATCH = 100


class Scheduler:
    """Answers one question: which runs are to be opened now?"""

    def __init__(
        self, db: Database, *, clock: Clock, bells: Bells, defaults: HostPolicy, run_deadline: timedelta
    ) -> None:
        self._db = db
        self._clock = clock
        self._bells = bells
        self._defaults = defaults
        self._run_deadline = run_deadline

    async def open_due(self) -> int:
        """Opens a run for every due job and returns how many."""
        opened = 0
        while batch := await self._db.write(self._open_batch):
            opened += batch
            crash_points.reached("open.after_commit")
            self._bells.hosts.ring()
            if batch < _BATCH:
                break
        return opened

    async def _open_batch(self, db: Connection) -> int:
        now = self._clock.now()
        jobs = await crawl_jobs.claim_due(db, now=now, limit=_BATCH)
        for job in jobs:
            await open_run(
                db, job, trigger=Trigger.SCHEDULE, now=now, deadline=self._run_deadline, defaults=self._defaults
            )
        crash_points.reached("open.before_commit")
        return len(jobs)


async def open_run(
    db: Connection, job: CrawlJob, *, trigger: Trigger, now: datetime, deadline: timedelta, defaults: HostPolicy
) -> int:
    """Opens a run of a job already marked running: the run, its seed page, the host's bell. Returns the run's id."""
    source = await sources.get(db, job.source_id)
    assert source is not None, "a crawl job cannot outlive its source"
    seed = urls.parse(source.url)
    host_id = (await hosts.ensure(db, [seed.host_key], now=now))[seed.host_key]
    host = await hosts.get(db, seed.host_key, defaults=defaults)
    budget = source.max_pages or (host.policy.max_pages if host is not None else defaults.max_pages)
    run_id = await crawl_runs.add(
        db,
        job_id=job.id,
        source_id=source.id,
        number=job.run_count + 1,
        trigger=trigger,
        now=now,
        deadline_at=now + deadline,
        page_budget=budget,
    )
    rank = frontier.rank(priority=job.priority, depth=0)
    key = urls.url_key(seed.href)
    by_source = (await pages.known(db, [key])).get(key, {})
    known = by_source.get(source.id)
    if known is not None:
        await pages.readmit(db, [{"page": known.id, "run": run_id, "new_depth": 0, "new_rank": rank, "new_hops": 0}])
    else:
        row = {
            "source_id": source.id,
            "run_id": run_id,
            "host_id": host_id,
            "url": seed.href,
            "url_key": key,
            "role": Role.SEED,
            "depth": 0,
            "rank": rank,
            "phase": Phase.PENDING,
            "created_at": now,
        } | pages.body_values(admission.body_of_others(by_source))
        await pages.add(db, [row])
    await hosts.wake(db, [host_id], now=now)
    message = f"run {job.run_count + 1} of {source.name!r} opened ({trigger}), up to {budget} pages"
    await run_log.write(db, [run_log.line(run_id, at=now, category="lifecycle", message=message, url=seed.href)])
    return run_id
