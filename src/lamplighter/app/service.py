"""Puts the service together and keeps it running until it is asked to stop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Any

from lamplighter import crash_points, telemetry
from lamplighter.app.defaults import norms
from lamplighter.app.engines import archive_of, vault_of
from lamplighter.app.opening import Store, database_time, open_door, open_store
from lamplighter.crawl import fetch_sink, parse_sink
from lamplighter.crawl.batcher import Batcher
from lamplighter.crawl.bells import Bell, Bells
from lamplighter.crawl.cohort_keeper import CohortKeeper
from lamplighter.crawl.deliver import Deliver
from lamplighter.crawl.fetch_phase import FetchPhase
from lamplighter.crawl.fetch_sink import Answer, FetchSink, Limits
from lamplighter.crawl.gauge import Gauge
from lamplighter.crawl.janitor import Janitor
from lamplighter.crawl.loops import keep_doing
from lamplighter.crawl.parse_phase import ParsePhase
from lamplighter.crawl.parse_sink import ParseSink, Read
from lamplighter.crawl.planner import Planner
from lamplighter.crawl.pricer import Pricer
from lamplighter.crawl.reader_pool import ReaderPool
from lamplighter.crawl.reconciler import Reconciler
from lamplighter.crawl.run_memory import RunMemory
from lamplighter.crawl.scheduler import Capacity, Scheduler
from lamplighter.crawl.secret_book import SecretBook
from lamplighter.crawl.source_cache import SourceCache
from lamplighter.crawl.task_rounds import TaskRounds
from lamplighter.fetch.door import Door
from lamplighter.operations.trials import Simulator
from lamplighter.settings import Settings
from lamplighter.store import frozen_sessions

log = telemetry.logger("app")
_SWEEP_SECONDS = 60.0
_OUTBOX_SECONDS = 5.0
_CLOCK_SECONDS = 60.0
#: how often is looked for sessions that a stopped worker left behind, and after how long one counts as such
_FROZEN_SECONDS = 5.0
_FROZEN_AFTER = timedelta(seconds=15)
#: how often stored secrets are read again
_SECRETS_SECONDS = 30.0
#: how often is looked whether it is time to distribute the budget anew
_PRICE_SECONDS = 60.0
#: how often is looked whether it is time to gather what sources that are alike have in common
_COHORTS_SECONDS = 3600.0


class Service:
    """Everything that makes the rounds."""

    def __init__(self, settings: Settings, store: Store, way: Door, pool: ReaderPool) -> None:
        self.settings = settings
        self.db = store.db
        self.clock = store.clock
        self.door = way
        self.vault = vault_of(settings)
        self.secrets = SecretBook(self.db, vault=self.vault, given=settings.secrets)
        self.bells = Bells()
        self.stopping = asyncio.Event()
        self.norms = norms(settings)
        self.planner = Planner(norms=self.norms, clock=self.clock)
        archive = self.archive = archive_of(settings)
        self.simulator = Simulator(self.db, door=way, pool=pool, archive=archive, secrets=self.secrets)
        self.parse_sink = Batcher[Read](
            self._commit_reads, broken=parse_sink.unstorable, most=128, linger=0.05, name="parse"
        )
        self.parse_phase = ParsePhase(
            self.db,
            archive=archive,
            pool=pool,
            sources=SourceCache(self.db, clock=self.clock, agent=way.robots.token),
            sink=self.parse_sink,
            clock=self.clock,
            bells=self.bells,
            owner=way.turns.owner,
            lease=settings.lease,
            stopping=self.stopping,
        )
        self.fetch_sink = Batcher[Answer](
            self._commit_answers, broken=fetch_sink.unstorable, most=128, linger=0.05, name="fetch"
        )
        self.fetch_phase = FetchPhase(
            self.db,
            turns=way.turns,
            fetcher=way.fetcher,
            rendering=way.rendering,
            # Not the parse phase's: what that knows of a source's sites must be no older than the redirects it follows.
            sources=SourceCache(self.db, clock=self.clock, agent=way.robots.token),
            secrets=self.secrets,
            sink=self.fetch_sink,
            clock=self.clock,
            bells=self.bells,
            slots=settings.fetch_slots,
            request_retries=settings.request_retries,
            lease_seconds=settings.lease_seconds,
            stopping=self.stopping,
        )
        memory = RunMemory()
        self._answers = FetchSink(
            self.db,
            archive=archive,
            clock=self.clock,
            bells=self.bells,
            memory=memory,
            planner=self.planner,
            limits=Limits(settings.page_retries, settings.max_redirects),
            hand_over=self.parse_phase.take_on,
            settled=self.fetch_phase.settled,
            downloaded=self.parse_phase.offer,
        )
        self._reads = ParseSink(
            self.db,
            clock=self.clock,
            bells=self.bells,
            memory=memory,
            planner=self.planner,
            settled=self._reads_settled,
        )
        deadline = timedelta(minutes=settings.run_deadline_minutes)
        self.scheduler = Scheduler(
            self.db,
            clock=self.clock,
            bells=self.bells,
            norms=self.norms,
            capacity=Capacity(settings.max_open_runs, settings.runs_per_host),
            run_deadline=deadline,
        )
        self.task_rounds = TaskRounds(
            self.db, clock=self.clock, bells=self.bells, planner=self.planner, run_deadline=deadline
        )
        self.deliver = Deliver(self.db, clock=self.clock, bells=self.bells, norms=self.norms)
        self.reconciler = Reconciler(self.db, clock=self.clock, norms=self.norms)
        self.janitor = Janitor(
            self.db,
            clock=self.clock,
            bells=self.bells,
            planner=self.planner,
            stale_after=timedelta(minutes=settings.stale_minutes),
        )
        outlooks = self.planner.outlooks
        self.cohort_keeper = CohortKeeper(self.db, clock=self.clock, outlooks=outlooks)
        every = timedelta(minutes=settings.reprice_minutes)
        self.pricer = Pricer(self.db, clock=self.clock, norms=self.norms, outlooks=outlooks, every=every)
        self.gauge = Gauge(self.db, clock=self.clock, janitor=self.janitor)

    async def _commit_answers(self, batch: Sequence[Answer]) -> None:
        await self._answers.commit(batch)

    async def _commit_reads(self, batch: Sequence[Read]) -> None:
        await self._reads.commit(batch)

    def _reads_settled(self, reads: Sequence[Read], woken: set[int]) -> None:
        self.parse_phase.settled(reads)
        self.fetch_phase.woken(woken)

    async def run(self, *, schedule: bool = True) -> None:
        """Makes the rounds until `stopping` is set; then ends what is in flight within the grace period."""
        async with asyncio.TaskGroup() as group:
            sinks = [group.create_task(self.fetch_sink.run()), group.create_task(self.parse_sink.run())]
            loops = [group.create_task(loop) for loop in self._loops(schedule)]
            phases = [group.create_task(self.fetch_phase.run()), group.create_task(self.parse_phase.run())]
            await self.stopping.wait()
            for bell in (self.bells.hosts, self.bells.downloads):
                bell.ring()
            try:
                async with asyncio.timeout(self.settings.grace_seconds):
                    await asyncio.gather(*phases)
                    await self.fetch_sink.settled()
                    await self.parse_sink.settled()
                    await self.parse_phase.close()
            except TimeoutError:
                log.warning("stop.grace_over", seconds=self.settings.grace_seconds)
            for task in (*loops, *phases, *sinks):
                task.cancel()

    def _loops(self, schedule: bool) -> list[Coroutine[Any, Any, None]]:
        settings = self.settings

        def loop(
            name: str, step: Callable[[], Awaitable[object]], seconds: float, bell: Bell | None = None
        ) -> Coroutine[Any, Any, None]:
            return keep_doing(name, step, every=seconds, bell=bell or Bell(), stopping=self.stopping)

        loops = [
            loop("deliver", self.deliver.deliver_all, _OUTBOX_SECONDS, self.bells.events),
            loop("janitor", self.janitor.sweep, _SWEEP_SECONDS),
            loop("secrets", self.secrets.refresh, _SECRETS_SECONDS),
        ]
        if schedule and not settings.disable_scheduler:
            loops += [
                loop("scheduler", self.scheduler.open_due, settings.poll_seconds, self.bells.jobs),
                loop("tasks", self.task_rounds.make_round, settings.poll_seconds, self.bells.tasks),
                loop("reconciler", self.reconciler.reconcile, 60 * settings.reconcile_minutes),
                loop("cohorts", self.cohort_keeper.gather_if_old, _COHORTS_SECONDS),
                loop("pricer", self.pricer.reprice_if_old, _PRICE_SECONDS),
                loop("gauge", self.gauge.read, settings.metrics_seconds),
            ]
        if not self.db.is_sqlite:
            loops += [
                loop("clock", self._set_clock, _CLOCK_SECONDS),
                loop("frozen sessions", self._end_frozen_sessions, _FROZEN_SECONDS),
            ]
        return loops

    async def _end_frozen_sessions(self) -> None:
        ended = await self.db.write(lambda db: frozen_sessions.end(db, after=_FROZEN_AFTER))
        if ended:
            log.warning("sessions.ended", count=ended)

    async def _set_clock(self) -> None:
        now = await database_time(self.db)
        if now is not None:
            self.clock.set(now)


@asynccontextmanager
async def open_service(settings: Settings, *, also_allow: Sequence[str] = ()) -> AsyncIterator[Service]:
    """A complete service, ready to run."""
    crash_points.arm(settings.crash_at)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings))
        pool = await stack.enter_async_context(
            ReaderPool(workers=settings.parse_workers, timeout=settings.parse_timeout_seconds)
        )
        way = await stack.enter_async_context(open_door(settings, store, also_allow=also_allow))
        service = Service(settings, store, way, pool)
        await service.secrets.refresh()
        yield service
