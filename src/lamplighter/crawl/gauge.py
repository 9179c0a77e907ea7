"""Takes the scheduler's figures every half minute: how jobs stand, how runs end, how evenly they are spread."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.crawl.janitor import Janitor
from lamplighter.crawl.outlook import load_map
from lamplighter.ports import Clock
from lamplighter.rules import rebalance, slots
from lamplighter.store import run_hours, run_tallies, scheduler_figures
from lamplighter.store.database import Database

_LAST_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How scheduling goes."""

    at: datetime
    #: state -> number of jobs
    jobs: dict[str, int]
    due_jobs: int
    #: of the last day
    runs: int
    #: share of them that did not fail; None without runs
    success_rate: float | None
    #: silent runs that had to be looked after since this process began
    stale_runs: int
    #: 1 is as even as can be
    distribution_score: float
    should_rebalance: bool


class Gauge:
    """Reads the figures, and keeps the latest for whoever asks."""

    def __init__(self, db: Database, *, clock: Clock, janitor: Janitor) -> None:
        self._db = db
        self._clock = clock
        self._janitor = janitor
        self.latest: Figures | None = None

    async def read(self) -> Figures:
        """Takes the figures, and writes down those of hours that are over."""
        now = self._clock.now()
        async with self._db.read() as db:
            jobs = await scheduler_figures.jobs_by_state(db)
            due = await scheduler_figures.count_due(db, now=now)
            last_day = await run_tallies.summary(db, since=now - _LAST_DAY)
            score = slots.score(await load_map(db, now=now))
        await self._db.write(lambda db: run_hours.write_next(db, now=now))
        self.latest = Figures(
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
