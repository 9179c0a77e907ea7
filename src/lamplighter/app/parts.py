"""Builds the parts of a service: its place in the fleet, the leader's work, notifications, trials."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from lamplighter.app.foundation import Foundation
from lamplighter.app.opening import messenger_of
from lamplighter.crawl.alerts.alert_keeper import AlertKeeper
from lamplighter.crawl.alerts.messenger import Messenger
from lamplighter.crawl.alerts.notification_routing import NotificationRouting
from lamplighter.crawl.alerts.notification_sender import NotificationSender
from lamplighter.crawl.fleet.database_gauges import DatabaseGauges, SchedulerGauge
from lamplighter.crawl.fleet.instances import Membership
from lamplighter.crawl.fleet.leadership import Leadership
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.fleet.tally_keeper import TallyKeeper
from lamplighter.crawl.jobs.job_reconciler import Reconciler
from lamplighter.crawl.planning.activity_keeper import ActivityKeeper
from lamplighter.crawl.planning.cohort_keeper import CohortKeeper
from lamplighter.crawl.planning.pricer import Pricer
from lamplighter.crawl.reading.feed_poller import FeedPoller
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.crawl.runs.janitor import Janitor
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.crawl.runs.scheduler import Capacity, Scheduler
from lamplighter.crawl.runs.task_rounds import TaskRounds
from lamplighter.model.fleet import Duty, Lead
from lamplighter.operations.explain.lessons import Lessons
from lamplighter.operations.explain.source_preview import FirstLooks
from lamplighter.operations.explain.trials import Simulator
from lamplighter.operations.jobs.comparison_keeper import ComparisonKeeper
from lamplighter.operations.proxies.proxy_trial_matrix import TrialMatrixRuns
from lamplighter.operations.proxies.proxy_trials import ProxyTrials
from lamplighter.ports import Archive, Events
from lamplighter.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """This process in the fleet."""

    membership: Membership
    leadership: Leadership

    @classmethod
    def of(
        cls,
        base: Foundation,
        *,
        kind: str,
        figures: Callable[[], Mapping[str, float]],
        lead_taken: Callable[[Lead], None],
    ) -> Self:
        """Joins as `kind`; every heartbeat writes `figures`, and each lead that we take calls `lead_taken`."""
        membership = Membership(
            base.db,
            clock=base.clock,
            name=base.owner,
            kind=kind,
            duties=base.duties,
            figures=figures,
            requests=base.door.past.since,
        )
        leadership = Leadership(
            base.db,
            clock=base.clock,
            owner=base.owner,
            wanted={Lead.SWEEP, Lead.SCHEDULE} if Duty.SCHEDULE in base.duties else {Lead.SWEEP},
            is_dead=membership.is_dead,
            taken=lead_taken,
        )
        return cls(membership=membership, leadership=leadership)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leading:
    """The leader's work."""

    scheduler: Scheduler
    task_rounds: TaskRounds
    reconciler: Reconciler
    janitor: Janitor
    cohort_keeper: CohortKeeper
    activity_keeper: ActivityKeeper
    tally_keeper: TallyKeeper
    pricer: Pricer
    comparison_keeper: ComparisonKeeper
    #: figures of the scheduler, and of the database; each process reads them for itself
    gauge: SchedulerGauge
    meter: DatabaseGauges

    @classmethod
    def of(cls, base: Foundation, runs: RunTools, *, events: Events) -> Self:
        """Builds it from the settings."""
        db, clock, outlooks = base.db, base.clock, runs.planner.outlooks
        janitor = _janitor(base, runs)
        every = timedelta(minutes=base.settings.reprice_minutes)
        pricer = Pricer(db, clock=clock, source_defaults=base.source_defaults, outlooks=outlooks, every=every)
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
            cohort_keeper=CohortKeeper(db, clock=clock, planner=runs.planner, pricer=pricer),
            activity_keeper=ActivityKeeper(db, clock=clock, planner=runs.planner),
            tally_keeper=TallyKeeper(db, clock=clock),
            pricer=pricer,
            comparison_keeper=ComparisonKeeper(db, clock=clock),
            gauge=SchedulerGauge(db, clock=clock, janitor=janitor),
            meter=DatabaseGauges(db, clock=clock, events=events),
        )


def _scheduler(base: Foundation) -> Scheduler:
    return Scheduler(
        base.db,
        clock=base.clock,
        queue=base.queue,
        source_defaults=base.source_defaults,
        capacity=run_capacity(base.settings),
        run_deadline=base.run_deadline,
    )


def run_capacity(settings: Settings) -> Capacity:
    """How many runs may be open at once."""
    return Capacity(settings.max_open_runs, settings.runs_per_host)


def _janitor(base: Foundation, runs: RunTools) -> Janitor:
    return Janitor(
        base.db,
        clock=base.clock,
        planner=runs.planner,
        notice_writer=runs.notice_writer,
        stale_after=timedelta(minutes=base.settings.stale_minutes),
        run_deadline=base.run_deadline,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifying:
    """Alerts, notices and notifications."""

    #: evaluates the alerts
    watch: AlertKeeper
    #: turns notices into notifications
    hand_out: NotificationRouting
    #: sends notifications
    notify: NotificationSender
    messenger: Messenger

    @classmethod
    def of(cls, base: Foundation, *, events: Events) -> Self:
        """Builds it from the settings."""
        db, clock = base.db, base.clock
        messenger = messenger_of(base.settings, base.door, base.vault)
        return cls(
            watch=AlertKeeper(db, clock=clock, queue=base.queue, events=events, longest_run=base.run_deadline),
            hand_out=NotificationRouting(db, clock=clock),
            notify=NotificationSender(db, messenger=messenger, clock=clock, stopping=base.stopping),
            messenger=messenger,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trying:
    """Trials of sources and proxies."""

    simulator: Simulator
    first_looks: FirstLooks
    #: teaches recipes from examples
    lessons: Lessons
    #: try proxies: at once, and in the background
    proxy_trials: ProxyTrials
    proxy_rounds: TrialMatrixRuns
    #: polls the feeds of sources
    feed_poller: FeedPoller

    @classmethod
    def of(cls, base: Foundation, runs: RunTools, *, pool: ReaderPool, archive: Archive, secrets: SecretBook) -> Self:
        """Builds trials on the service's web client stack."""
        simulator = Simulator(base.db, door=base.door, pool=pool, archive=archive, secrets=secrets)
        proxy_trials = ProxyTrials(base.db, trial=base.door.fetcher.trial, clock=base.clock)
        return cls(
            simulator=simulator,
            first_looks=FirstLooks(simulator, clock=base.clock),
            lessons=Lessons(base.db, pool=pool, archive=archive, agent=base.door.robots.token.lower()),
            proxy_trials=proxy_trials,
            proxy_rounds=TrialMatrixRuns(proxy_trials, clock=base.clock),
            feed_poller=FeedPoller(
                base.db,
                door=base.door,
                pool=pool,
                planner=runs.planner,
                clock=base.clock,
                every=timedelta(minutes=base.settings.feed_poll_minutes),
            ),
        )
