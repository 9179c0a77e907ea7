"""Reads the scheduler's figures every half minute: job states, run outcomes, load distribution."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.crawl.planning.outlook import load_map
from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.ports import Clock
from lamplighter.rules.schedule import rebalance, slots
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import scheduler_figures
from lamplighter.store.runs import run_hours, run_tallies

_LAST_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerFigures:
    """Scheduler figures."""

    at: datetime
    #: state -> number of jobs
    jobs: dict[str, int]
    due_jobs: int
    #: of the last day
    runs: int
    #: share of them that did not fail; None without runs
    success_rate: float | None
    #: stale runs that were handled since this process began
    stale_runs: int
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
            jobs = await scheduler_figures.jobs_by_state(db)
            due = await scheduler_figures.count_due(db, now=now)
            last_day = await run_tallies.summary(db, since=now - _LAST_DAY)
            score = slots.score(await load_map(db, now=now))
        await self._db.write(lambda db: run_hours.write_next(db, now=now))
        self.latest = SchedulerFigures(
            at=now,
            jobs=jobs,
            due_jobs=due,
            runs=last_day.ok + last_day.failed,
            success_rate=last_day.success_rate,
            stale_runs=self._janitor.stale_runs,
            distribution_score=score,
            should_rebalance=rebalance.needs_rebalance(score),
        )
        return self.latest
