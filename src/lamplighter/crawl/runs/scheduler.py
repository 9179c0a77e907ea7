"""The scheduler: opens runs of due crawl jobs."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from lamplighter import crash_points, metrics, telemetry
from lamplighter.crawl.planning import budget_spending, effective_source
from lamplighter.crawl.planning.source_defaults import SourceDefaults, windows_of
from lamplighter.crawl.reading import link_admission
from lamplighter.crawl.runs import page_release
from lamplighter.crawl.runs.catch_up import CatchUp
from lamplighter.model.crawl import CrawlJob, JobChange, Trigger
from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.run_log import LogAction
from lamplighter.model.source import Source
from lamplighter.ports import Clock, Queue
from lamplighter.rules.pages import frontier
from lamplighter.rules.schedule import budget, schedule, urgency, window
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database, is_away
from lamplighter.store.fleet import crawl_pause
from lamplighter.store.hosts import host_times, hosts
from lamplighter.store.hosts.host_times import HostTimes
from lamplighter.store.jobs import crawl_jobs, pricing
from lamplighter.store.jobs.crawl_jobs import ClaimableJob
from lamplighter.store.pages import pages
from lamplighter.store.pages.pages import NewPage
from lamplighter.store.runs import crawl_runs, run_log

log = telemetry.logger("scheduler")
#: jobs opened in one transaction
_BATCH = 100
#: when a job is tried again whose run could not be opened
_ASIDE = timedelta(hours=1)


class Capacity(NamedTuple):
    """How many runs may be open at once, in total and per host."""

    runs: int
    runs_per_host: int


class _Batch(NamedTuple):
    """The result of one transaction."""

    #: start page's host -> the highest priority of the runs opened there
    woken: Mapping[int, int] = MappingProxyType({})
    opened: int = 0
    postponed: int = 0
    #: hosts that may not be fetched from now; their other jobs are skipped in this round
    away: frozenset[int] = frozenset()


class _CannotOpen(Exception):
    """A job whose run cannot be opened; see its cause."""

    def __init__(self, job: CrawlJob) -> None:
        super().__init__(job.id)
        self.job = job


class Scheduler:
    """Decides which runs are opened now."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        queue: Queue,
        source_defaults: SourceDefaults,
        capacity: Capacity,
        run_deadline: timedelta,
    ) -> None:
        self._db = db
        self._clock = clock
        self._queue = queue
        self.source_defaults = source_defaults
        self.capacity = capacity
        self._run_deadline = run_deadline
        self._catch_up = CatchUp(db, clock=clock)

    async def open_due(self) -> int:
        """Opens runs of due jobs, the most urgent first, up to capacity, and returns how many."""
        await self._catch_up.look(defaults=self.source_defaults.host)
        metrics.SCHEDULER_RUNS.inc()
        opened, away = 0, frozenset[int]()
        while True:
            batch = await self._next_batch(away)
            opened, away = opened + batch.opened, away | batch.away
            metrics.JOBS_DISPATCHED.inc(batch.opened)
            if batch.opened:
                crash_points.reached("open.after_commit")
                wake(self._queue, batch.woken)
            if not (batch.opened or batch.postponed):
                return opened

    async def seconds_to_next(self, *, within: float) -> float | None:
        """How long until the next job is due; None when none is within this time."""
        now = self._clock.now()
        until = now + timedelta(seconds=within)
        at = await self._db.look(lambda db: crawl_jobs.next_due_at(db, now=now, until=until))
        return (at - now).total_seconds() if at is not None else None

    async def _next_batch(self, away: frozenset[int]) -> _Batch:
        """Opens a batch; a job that cannot be opened is postponed, and the others are tried again."""
        try:
            return await self._db.write(lambda db: self._open_batch(db, away))
        except _CannotOpen as error:
            job, cause = error.job, error.__cause__
        log.error("open.failed", job=job.public_id, exc_info=cause)
        await self._db.write(lambda db: _put_aside(db, job, cause, now=self._clock.now()))
        return _Batch(postponed=1)

    async def _open_batch(self, db: Connection, away: frozenset[int]) -> _Batch:
        now = self._clock.now()
        chosen = await self._choose(db, away=away, now=now)
        jobs = await crawl_jobs.claim(db, [job.id for job in chosen], now=now)
        known = await effective_source.of_jobs(db, jobs, default=self.source_defaults.policy)
        times = await host_times.many(db, [job.host_id for job in jobs])
        opened, shut, woken = [], set[int](), dict[int, int]()
        for job in sorted(jobs, key=_order(chosen)):
            host = times.get(job.host_id or 0)
            run = await self._open(db, job, known[job.source_id], host, now=now)
            if run is None:
                if host is not None and _away_until(host, now=now) is not None:
                    shut.add(host.id)
                continue
            opened.append(job)
            woken[run.host_id] = max(job.priority, woken.get(run.host_id, 0))
            if host is not None and (per_hour := self.source_defaults.host_budget(host)) is not None:
                free_at = budget.charged(host.budget_free_at, fetches=job.cost, per_hour=per_hour, now=now)
                times[host.id] = host._replace(budget_free_at=free_at)
        await budget_spending.charge(db, opened, source_defaults=self.source_defaults, now=now)
        if opened:
            crash_points.reached("open.before_commit")
        return _Batch(woken, len(opened), len(jobs) - len(opened), frozenset(shut))

    async def _choose(self, db: Connection, *, away: frozenset[int], now: datetime) -> list[ClaimableJob]:
        """The most urgent due jobs, as many as capacity and budget allow."""
        if await crawl_pause.get(db) is not None:
            return []
        going_on = await host_times.open_runs(db, now=now)
        room = min(_BATCH, self.capacity.runs - going_on.busy)
        if room <= 0:
            return []
        full = {host_id for host_id, runs in going_on.by_host.items() if runs >= self.capacity.runs_per_host}
        # The jobs of a disabled host stay due: they run when it is enabled, and do not fail meanwhile.
        busy = away | {host_id for host_id in full if host_id is not None} | await host_times.disabled(db)
        waiting = await crawl_jobs.due(db, lanes=urgency.LANES, now=now, limit=room, busy_hosts=busy)
        chosen = _most_urgent(waiting, going_on.by_host, room=room, per_host=self.capacity.runs_per_host, now=now)
        free_at = (await pricing.get(db)).budget_free_at
        return budget_spending.affordable(
            chosen, free_at=free_at, per_hour=self.source_defaults.budget_per_hour, now=now
        )

    async def _open(
        self, db: Connection, job: CrawlJob, source: Source, host: HostTimes | None, *, now: datetime
    ) -> "OpenedRun | None":
        """Opens a run of a claimed job, or postpones the job until it may run."""
        try:
            later = _not_before(source, host, now=now)
            if later is not None:
                await _postpone(db, job, *later, now=now)
                return None
            return await open_run(
                db,
                job,
                trigger=Trigger.SCHEDULE,
                now=now,
                deadline=self._run_deadline,
                defaults=self.source_defaults.host,
            )
        except Exception as error:
            if is_away(error):
                raise
            raise _CannotOpen(job) from error


def _not_before(source: Source, host: HostTimes | None, *, now: datetime) -> tuple[datetime, dict[str, Any]] | None:
    """When a due job may run, and why not now; None when it may now."""
    opening = window.next_opening_of(windows_of(source, host), now)
    if opening is not None and opening > now:
        return opening, schedule.opening_step(opening, planned_at=now)
    away_until = _away_until(host, now=now) if host is not None else None
    if away_until is not None:
        return away_until, {"step": "hint", "by": "away", "seconds": (away_until - now).total_seconds()}
    return None


def _away_until(host: HostTimes, *, now: datetime) -> datetime | None:
    """Until when a host is blocked or over its budget; None when it is neither."""
    return max((time for time in (host.blocked_until, host.budget_free_at) if time and time > now), default=None)


def _most_urgent(
    waiting: Iterable[ClaimableJob], going_on: Mapping[int | None, int], *, room: int, per_host: int, now: datetime
) -> list[ClaimableJob]:
    """The jobs whose waiting has cost most; per host no more than may run at once."""
    by_host = dict(going_on)
    chosen: list[ClaimableJob] = []
    for job in sorted(waiting, key=lambda job: -urgency.value_lost(job.urgency, due_at=job.next_run_at, now=now)):
        if job.host_id is not None:
            if by_host.get(job.host_id, 0) >= per_host:
                continue
            by_host[job.host_id] = by_host.get(job.host_id, 0) + 1
        chosen.append(job)
        if len(chosen) == room:
            break
    return chosen


def _order(chosen: Iterable[ClaimableJob]) -> Any:
    """Sorts jobs as they were chosen."""
    places = {job.id: place for place, job in enumerate(chosen)}
    return lambda job: places[job.id]


async def _postpone(db: Connection, job: CrawlJob, until: datetime, step: Mapping[str, Any], *, now: datetime) -> None:
    """Postpones a claimed job: it runs once when it may, however often it would have been due by then.

    If its host is always blocked when it is due, the job never runs and is never overdue; so `held_since` stores
    since when it is postponed. The hours until its window opens do not count.
    """
    reason = schedule.postponed(job.next_run_reason, step)
    held_since = job.held_since
    if step["step"] != "window":
        held_since = held_since or job.next_run_at
    elif held_since is not None:
        held_since += until - now
    await crawl_jobs.put_back(db, job, next_run_at=until, reason=reason, held_since=held_since, now=now)


async def _put_aside(db: Connection, job: CrawlJob, cause: BaseException | None, *, now: datetime) -> None:
    """Postpones a job that cannot be opened; an operator may fix its source meanwhile.

    It counts as failing meanwhile: without a run an operator would not notice it otherwise.
    """
    why = {"why": f"its run could not be started, and is retried later: {cause}"}
    aside = JobChange(next_run_at=now + _ASIDE, next_run_reason=why, failure_count=max(1, job.failure_count))
    await crawl_jobs.change(db, job.id, aside, now=now)


def wake(queue: Queue, woken: Mapping[int, int]) -> None:
    """Wakes workers for hosts (id -> the highest priority of their pages), urgent ones apart."""
    urgent = {host_id for host_id, priority in woken.items() if priority >= frontier.URGENT}
    queue.wake_hosts(urgent, urgent=True)
    queue.wake_hosts(woken.keys() - urgent)


class OpenedRun(NamedTuple):
    """A run that was just opened."""

    id: int
    #: of its start page
    host_id: int


async def open_run(
    db: Connection, job: CrawlJob, *, trigger: Trigger, now: datetime, deadline: timedelta, defaults: HostPolicy
) -> OpenedRun:
    """Opens a run of a job already marked running: the run, its seed page, the host's turn in the database."""
    source = await effective_source.of_job(db, job)
    seed = urls.parse(source.url)
    host_id = (await hosts.ensure(db, [seed.host_key], now=now))[seed.host_key]
    if job.host_id != host_id:
        await crawl_jobs.change(db, job.id, JobChange(host_id=host_id), now=now)
    host = await hosts.get(db, seed.host_key, defaults=defaults)
    budget_of_pages = source.max_pages or (host.policy.max_pages if host is not None else defaults.max_pages)
    run_id = await crawl_runs.add(
        db,
        job_id=job.id,
        source_id=source.id,
        number=job.run_count + 1,
        trigger=trigger,
        now=now,
        deadline_at=now + deadline,
        page_budget=budget_of_pages,
        log_lines=1,
    )
    key, rank = urls.url_key(seed.href), frontier.rank(priority=job.priority, depth=0)
    by_source = (await pages.known(db, [key])).get(key, {})
    known = by_source.get(source.id)
    if known is not None:
        if known.role is not PageRole.SEED:  # it was found as a link before it became the start page
            await pages.promote(db, [{"page": known.id, "new_role": PageRole.SEED, "found_page": None}])
        await pages.readmit(db, [{"page": known.id, "run": run_id, "new_depth": 0, "new_rank": rank, "new_hops": 0}])
    else:
        new = NewPage(
            source_id=source.id,
            run_id=run_id,
            host_id=host_id,
            url=seed.href,
            url_key=key,
            role=PageRole.SEED,
            depth=0,
            rank=rank,
            phase=Phase.PENDING,
            created_at=now,
            body=link_admission.body_of_others(by_source),
        )
        await pages.add(db, [new])
    await hosts.wake(db, [host_id], now=now)
    await page_release.take_over(db, source.id, run_id=run_id, page_budget=budget_of_pages, now=now)
    number = job.run_count + 1
    message = f"run {number} of {source.name!r} opened ({trigger}), up to {budget_of_pages} pages"
    said: dict[str, Any] = {"source": source.name, "host": seed.host_key, "number": number, "trigger": trigger}
    line = run_log.line(
        run_id, LogAction.RUN_OPENED, message, at=now, url=seed.href, **said, page_budget=budget_of_pages
    )
    await run_log.write(db, [line])
    return OpenedRun(run_id, host_id)
