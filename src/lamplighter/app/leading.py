"""Builds the leader's work for the installation: schedule, sweep, price; and its figures."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from lamplighter.app.foundation import Foundation, RunTools
from lamplighter.crawl.fleet.database_gauges import DatabaseGauges
from lamplighter.crawl.fleet.scheduler_gauge import SchedulerGauge
from lamplighter.crawl.fleet.tally_keeper import TallyKeeper
from lamplighter.crawl.jobs.job_reconciler import Reconciler
from lamplighter.crawl.planning.cohort_keeper import CohortKeeper
from lamplighter.crawl.planning.pricer import Pricer
from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.crawl.runs.scheduler import Capacity, Scheduler
from lamplighter.crawl.runs.task_rounds import TaskRounds
from lamplighter.ports import Events


@dataclass(frozen=True, slots=True, kw_only=True)
class Leading:
    """The leader's work."""

    scheduler: Scheduler
    task_rounds: TaskRounds
    reconciler: Reconciler
    janitor: Janitor
    cohort_keeper: CohortKeeper
    tally_keeper: TallyKeeper
    pricer: Pricer
    #: figures of the scheduler, and of the database; each process reads them for itself
    gauge: SchedulerGauge
    meter: DatabaseGauges

    @classmethod
    def of(cls, base: Foundation, runs: RunTools, *, events: Events) -> Self:
        """Builds it from the settings."""
        db, clock, outlooks = base.db, base.clock, runs.planner.outlooks
        janitor = _janitor(base, runs)
        every = timedelta(minutes=base.settings.reprice_minutes)
        return cls(
            scheduler=_scheduler(base),
            task_rounds=TaskRounds(
                db,
                clock=clock,
                queue=base.queue,
                planner=runs.planner,
                notice_writer=runs.notice_writer,
                run_deadline=base.run_deadline,
            ),
            reconciler=Reconciler(db, clock=clock, source_defaults=base.source_defaults),
            janitor=janitor,
            cohort_keeper=CohortKeeper(db, clock=clock, outlooks=outlooks),
            tally_keeper=TallyKeeper(db, clock=clock),
            pricer=Pricer(db, clock=clock, source_defaults=base.source_defaults, outlooks=outlooks, every=every),
            gauge=SchedulerGauge(db, clock=clock, janitor=janitor),
            meter=DatabaseGauges(db, clock=clock, events=events),
        )


def _scheduler(base: Foundation) -> Scheduler:
    return Scheduler(
        base.db,
        clock=base.clock,
        queue=base.queue,
        source_defaults=base.source_defaults,
        capacity=Capacity(base.settings.max_open_runs, base.settings.runs_per_host),
        run_deadline=base.run_deadline,
    )


def _janitor(base: Foundation, runs: RunTools) -> Janitor:
    return Janitor(
        base.db,
        clock=base.clock,
        planner=runs.planner,
        notice_writer=runs.notice_writer,
        stale_after=timedelta(minutes=base.settings.stale_minutes),
        run_deadline=base.run_deadline,
    )
