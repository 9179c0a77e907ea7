"""Reads the database gauges for `/metrics` in advance, so that a scrape needs no query; and the scheduler's figures."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter import metrics
from lamplighter.crawl.planning.outlook import load_map
from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.model.crawl import JobFacts, JobState
from lamplighter.model.fleet import Instance
from lamplighter.model.page import Phase
from lamplighter.ports import Clock, Events
from lamplighter.rules.fleet import fleet
from lamplighter.rules.schedule import rebalance, slots
from lamplighter.rules.schedule.priority_levels import LEVELS, level
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.events import events
from lamplighter.store.fleet import instances, metric_figures, samples, scheduler_figures
from lamplighter.store.fleet.metric_figures import PriorityGauges
from lamplighter.store.fleet.samples import Sample
from lamplighter.store.jobs import pricing, tallies
from lamplighter.store.proxies import proxy_lists
from lamplighter.store.proxies.proxy_lists import ProxyTally
from lamplighter.store.runs import run_hours, run_tallies

#: phase of a page -> what it waits for
_WAITS_FOR = {Phase.PENDING: "fetch", Phase.DOWNLOADED: "parse"}
_KINDS = ("serve", "worker", "crawl")
_LAST_DAY = timedelta(days=1)
#: figure of an instance: leases that it took over because their holder did not renew them
TAKEN_OVER = "leases_taken_over"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """The figures at one moment."""

    at: datetime
    #: facts -> number of jobs
    jobs: dict[JobFacts, int]
    sources: int
    levels: list[PriorityGauges]
    due: int
    in_backoff: int
    #: phase -> pages
    waiting: dict[Phase, int]
    #: outbox -> since when its oldest entry waits
    oldest: dict[str, datetime | None]
    proxies: ProxyTally
    processes: list[Instance]
    #: events that are not settled
    unsettled: int
    #: fetches; None while the budget was not distributed yet
    budget_per_hour: float | None


class DatabaseGauges:
    """Sets the gauges, and keeps some as samples; a gauge that is not set again expires."""

    def __init__(self, db: Database, *, clock: Clock, events: Events) -> None:
        self._db = db
        self._clock = clock
        self._events = events
        #: the step of the last sample that this process wrote
        self._sampled: int | None = None

    async def read(self) -> None:
        """Reads and sets every gauge; the first reading of a step is kept as its sample."""
        now = self._clock.now()
        look = await self._db.look(lambda db: _look(db, now=now))
        lag = await self._events.figures()
        _show_jobs(look)
        _show_freshness(look.levels)
        _show_rest(look)
        # While the stream is away, what waits for it is counted.
        metrics.CONSUMER_LAG.set(look.unsettled if lag.lag is None else lag.lag + (lag.pending or 0))
        if (step := samples.step_of(now)) != self._sampled:
            await self._db.write(lambda db: samples.write(db, _sample(look), now=now))
            self._sampled = step


async def _look(db: Connection, *, now: datetime) -> _Look:
    sources = await tallies.sources(db)
    return _Look(
        at=now,
        jobs=await tallies.jobs_now(db, sources=sources, now=now),
        sources=sources,
        levels=await metric_figures.jobs_by_priority(db),
        due=await scheduler_figures.count_due(db, now=now, most=metric_figures.MOST_JOBS),
        in_backoff=await metric_figures.count_in_backoff(db, now=now),
        waiting={phase: await metric_figures.pages_waiting(db, phase) for phase in _WAITS_FOR},
        oldest=dict(await metric_figures.oldest_waiting(db)),
        proxies=await proxy_lists.counts(db, now=now),
        processes=await instances.everyone(db),
        unsettled=await events.count_waiting(db),
        budget_per_hour=((await pricing.get(db)).figures or {}).get("whole_budget_per_hour"),
    )


def _show_jobs(look: _Look) -> None:
    for status, number in source_state.by_status(look.jobs).items():
        metrics.JOBS_BY_STATUS.labels(status).set(number)
    for state, number in source_state.by_state(look.jobs, sources=look.sources).items():
        metrics.SOURCES.labels(state).set(number)
    jobs = Counter[str]()
    for each in look.levels:
        jobs[level(each.priority).name] += each.jobs
    for named in LEVELS:
        metrics.JOBS_BY_PRIORITY.labels(named.name).set(jobs[named.name])
    metrics.JOBS_DUE.set(look.due)
    metrics.JOBS_IN_BACKOFF.set(look.in_backoff)


def _staleness(levels: list[PriorityGauges]) -> tuple[float, float] | None:
    """The expected and the measured share of the watched time; None without any."""
    watched = sum(each.watched for each in levels)
    if watched <= 0:
        return None
    return sum(each.expected_stale for each in levels) / watched, sum(each.seen_stale for each in levels) / watched


def _show_freshness(levels: list[PriorityGauges]) -> None:
    """Sets nothing without watched time."""
    if (stale := _staleness(levels)) is not None:
        metrics.FRESHNESS_EXPECTED.set(1 - stale[0])
        metrics.FRESHNESS_MEASURED.set(1 - stale[1])


def _sample(look: _Look) -> Sample:
    expected, measured = _staleness(look.levels) or (None, None)
    return Sample(
        to_fetch=look.waiting[Phase.PENDING],
        to_parse=look.waiting[Phase.DOWNLOADED],
        due=look.due,
        expected_staleness=expected,
        measured_staleness=measured,
        budget_per_hour=look.budget_per_hour,
    )


def _show_rest(look: _Look) -> None:
    for phase, count in look.waiting.items():
        metrics.PAGES_WAITING.labels(_WAITS_FOR[phase]).set(count)
    for outbox, since in look.oldest.items():
        age = (look.at - since).total_seconds() if since is not None else 0.0
        metrics.OUTBOX_AGE.labels(outbox).set(max(0.0, age))
    for state in ("working", "resting", "off"):
        metrics.PROXIES.labels(state).set(getattr(look.proxies, state))
    counts = Counter((each.kind, "lost" if fleet.is_lost(each, now=look.at) else "alive") for each in look.processes)
    for kind in _KINDS:
        for state in ("alive", "lost"):
            metrics.INSTANCES.labels(kind, state).set(counts[kind, state])


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerFigures:
    """Figures of the scheduler: job states, run outcomes, load distribution."""

    at: datetime
    #: status -> number of jobs
    jobs: dict[JobState, int]
    due_jobs: int
    #: of the last day
    runs: int
    #: share of them that did not fail; None without runs
    success_rate: float | None
    #: leases of crashed processes that the processes of the last day took over, and silent runs that were handled
    stale_locks: int
    #: 1 means perfectly even
    distribution_score: float
    should_rebalance: bool


class SchedulerGauge:
    """Reads the figures, and keeps the latest ones."""

    def __init__(self, db: Database, *, clock: Clock, janitor: Janitor) -> None:
        self._db = db
        self._clock = clock
        self._janitor = janitor
        self.latest: SchedulerFigures | None = None

    async def read(self) -> SchedulerFigures:
        """Reads the figures, and stores those of completed hours."""
        now = self._clock.now()
        async with self._db.read() as db:
            jobs = source_state.by_status(await tallies.jobs(db))
            due = await scheduler_figures.count_due(db, now=now)
            last_day = await run_tallies.summary(db, since=now - _LAST_DAY)
            score = slots.score(await load_map(db, now=now))
            taken_over = sum(int(each.figures.get(TAKEN_OVER, 0)) for each in await instances.everyone(db))
        await self._db.write(lambda db: run_hours.write_next(db, now=now))
        self.latest = SchedulerFigures(
            at=now,
            jobs=jobs,
            due_jobs=due,
            runs=last_day.ok + last_day.failed,
            success_rate=last_day.success_rate,
            stale_locks=self._janitor.stale_runs + taken_over,
            distribution_score=score,
            should_rebalance=rebalance.needs_rebalance(score),
        )
        return self.latest
