"""Puts the service together and keeps it running until it is asked to stop."""

import asyncio
import resource
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

from lamplighter import crash_points, metrics, telemetry, tracing
from lamplighter.app import running
from lamplighter.app.background import loops_of
from lamplighter.app.defaults import log_keeping, norms
from lamplighter.app.duties import duties_of
from lamplighter.app.engines import archive_of, mirror_of, queue_of, vault_of
from lamplighter.app.event_traffic import EventTraffic
from lamplighter.app.exits import write_pool
from lamplighter.app.messaging import messenger_of
from lamplighter.app.opening import Store, open_door, open_store
from lamplighter.app.record_index import RecordIndex
from lamplighter.app.room import archive_bounds, growing_folders, kept
from lamplighter.crawl import answers, parse_sink
from lamplighter.crawl.answers import Answer, Limits
from lamplighter.crawl.archiving import Archiving
from lamplighter.crawl.batcher import Batcher
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.cohort_keeper import CohortKeeper
from lamplighter.crawl.cookie_jar import CookieJar
from lamplighter.crawl.disk_watch import DiskWatch, FreeBytes, free_bytes
from lamplighter.crawl.fetch_phase import FetchPhase
from lamplighter.crawl.fetch_sink import FetchSink
from lamplighter.crawl.gauge import Gauge
from lamplighter.crawl.hand_out import HandOut
from lamplighter.crawl.instances import Membership
from lamplighter.crawl.janitor import Janitor
from lamplighter.crawl.leadership import Leadership
from lamplighter.crawl.meter import Meter
from lamplighter.crawl.mirroring import Mirroring
from lamplighter.crawl.notify import Notify
from lamplighter.crawl.page_asker import PageAsker
from lamplighter.crawl.parse_phase import ParsePhase
from lamplighter.crawl.parse_sink import ParseSink, Read
from lamplighter.crawl.planner import Planner
from lamplighter.crawl.pricer import Pricer
from lamplighter.crawl.pruning import Pruning
from lamplighter.crawl.reader_pool import ReaderPool
from lamplighter.crawl.reconciler import Reconciler
from lamplighter.crawl.retention import Retention
from lamplighter.crawl.run_memory import RunMemory
from lamplighter.crawl.scheduler import Capacity, Scheduler
from lamplighter.crawl.secret_book import SecretBook
from lamplighter.crawl.source_cache import SourceCache
from lamplighter.crawl.standstill import StandstillWatch
from lamplighter.crawl.tally_keeper import TallyKeeper
from lamplighter.crawl.task_rounds import TaskRounds
from lamplighter.crawl.watch import Watch
from lamplighter.fetch.door import Door
from lamplighter.model.fleet import Duty, Lead
from lamplighter.model.page import HeldBody
from lamplighter.operations.backup_maker import BackupMaker
from lamplighter.operations.backups import shelf_of
from lamplighter.operations.first_looks import FirstLooks
from lamplighter.operations.proxy_rounds import ProxyRounds
from lamplighter.operations.proxy_trials import ProxyTrials
from lamplighter.operations.restore_desk import RestoreDesk
from lamplighter.operations.trials import Simulator
from lamplighter.ports import Queue
from lamplighter.rules.alert_findings import DISK_FREE_MB, DISK_LOW
from lamplighter.settings import Settings
from lamplighter.store.pages import Downloaded


class Service:
    """Everything that makes the rounds."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        way: Door,
        pool: ReaderPool,
        queue: Queue,
        kind: str,
        free_bytes: FreeBytes = free_bytes,
    ) -> None:
        self.settings = settings
        #: serve, worker or crawl
        self.kind = kind
        self.duties = duties_of(settings)
        self.queue = queue
        self.db = store.db
        self.clock = store.clock
        self.door = way
        self.vault = vault_of(settings)
        self.secrets = SecretBook(self.db, vault=self.vault, given=settings.secrets)
        self.bells = Bells()
        self.standstill = StandstillWatch(self.db, bells=self.bells)
        self.stopping = asyncio.Event()
        self.membership = Membership(
            self.db, clock=self.clock, name=way.turns.owner, kind=kind, duties=self.duties, figures=self._figures
        )
        self.leadership = Leadership(
            self.db,
            clock=self.clock,
            owner=way.turns.owner,
            wanted={Lead.SWEEP, Lead.SCHEDULE} if Duty.SCHEDULE in self.duties else {Lead.SWEEP},
            is_dead=self.membership.is_dead,
            taken=self._lead_taken,
        )
        self.norms = norms(settings)
        self.planner = Planner(norms=self.norms, clock=self.clock)
        archive = self.archive = archive_of(settings, self.clock)
        self.archiving = Archiving(self.db, archive)
        self.disk = DiskWatch(
            growing_folders(settings), least_bytes=settings.least_free_mb << 20, free_bytes=free_bytes
        )
        self.retention = Retention(self.db, archive=archive, clock=self.clock, bounds=archive_bounds(settings))
        self.pruning = Pruning(self.db, clock=self.clock, kept=kept(settings))
        shelf = shelf_of(self.db, data_dir=settings.data_dir, keep=settings.keep_backups)
        self.backup_maker = BackupMaker(self.db, clock=self.clock, shelf=shelf)
        self.restore_desk = RestoreDesk(self.db, maker=self.backup_maker, me=way.turns.owner, stop=self.stopping.set)
        self.simulator = Simulator(self.db, door=way, pool=pool, archive=archive, secrets=self.secrets)
        self.first_looks = FirstLooks(self.simulator, clock=self.clock)
        self.proxy_trials = ProxyTrials(self.db, trial=way.exits.trial, clock=self.clock)
        self.proxy_rounds = ProxyRounds(self.proxy_trials, clock=self.clock)
        self.parse_sink = Batcher[Read](
            self._commit_reads, broken=parse_sink.unstorable, most=128, linger=0.25, name="parse"
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
            page_retries=settings.page_retries,
            stopping=self.stopping,
            wake=self.wake,
        )
        self.fetch_sink = Batcher[Answer](
            self._commit_answers, broken=answers.unstorable, most=128, linger=0.25, name="fetch"
        )
        keeping = log_keeping(settings)
        cookies = CookieJar(self.db, vault=self.vault, clock=self.clock, keeping=keeping)
        self.fetch_phase = FetchPhase(
            self.db,
            turns=way.turns,
            asker=PageAsker(way.fetcher, cookies=cookies),
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
            may_fetch=lambda: not self.disk.state.is_low and self.archiving.trouble is None,
            standstill=self.standstill,
            fetchers=lambda: self.membership.fetchers,
            reads_here=Duty.PARSE in self.duties,
        )
        memory = RunMemory()
        self._answers = FetchSink(
            self.db,
            archiving=self.archiving,
            clock=self.clock,
            bells=self.bells,
            memory=memory,
            planner=self.planner,
            limits=Limits(settings.page_retries, settings.max_redirects),
            keeping=keeping,
            hand_over=self.parse_phase.take_on if Duty.PARSE in self.duties else lambda count: None,
            settled=self._answers_settled,
            downloaded=self._downloaded,
        )
        self._reads = ParseSink(
            self.db,
            clock=self.clock,
            bells=self.bells,
            memory=memory,
            planner=self.planner,
            keeping=keeping,
            settled=self._reads_settled,
        )
        deadline = timedelta(minutes=settings.run_deadline_minutes)
        self.scheduler = Scheduler(
            self.db,
            clock=self.clock,
            queue=queue,
            norms=self.norms,
            capacity=Capacity(settings.max_open_runs, settings.runs_per_host),
            run_deadline=deadline,
        )
        self.task_rounds = TaskRounds(
            self.db, clock=self.clock, queue=queue, bells=self.bells, planner=self.planner, run_deadline=deadline
        )
        self.events = EventTraffic(settings, store, bells=self.bells, instance=way.turns.owner)
        self.deliver = self.events.deliver
        self.reconciler = Reconciler(self.db, clock=self.clock, norms=self.norms)
        self.janitor = Janitor(
            self.db,
            clock=self.clock,
            bells=self.bells,
            planner=self.planner,
            stale_after=timedelta(minutes=settings.stale_minutes),
            run_deadline=deadline,
        )
        outlooks = self.planner.outlooks
        self.cohort_keeper = CohortKeeper(self.db, clock=self.clock, outlooks=outlooks)
        self.tally_keeper = TallyKeeper(self.db, clock=self.clock)
        every = timedelta(minutes=settings.reprice_minutes)
        self.pricer = Pricer(self.db, clock=self.clock, norms=self.norms, outlooks=outlooks, every=every)
        self.mirroring = Mirroring(self.db, mirror=mirror_of(settings, self.clock), clock=self.clock)
        self.index = RecordIndex(settings, store)
        self.watch = Watch(self.db, clock=self.clock, queue=queue, events=self.events.carrier, longest_run=deadline)
        self.messenger = messenger_of(settings, way, self.vault)
        self.hand_out = HandOut(self.db, clock=self.clock, bells=self.bells)
        self.notify = Notify(self.db, messenger=self.messenger, clock=self.clock, stopping=self.stopping)
        self.gauge = Gauge(self.db, clock=self.clock, janitor=self.janitor)
        self.meter = Meter(self.db, clock=self.clock, events=self.events.carrier)
        self.loops = [loop for loop in loops_of(self) if loop.duty is None or loop.duty in self.duties]

    async def _commit_answers(self, batch: Sequence[Answer]) -> None:
        await self._answers.commit(batch)

    async def _commit_reads(self, batch: Sequence[Read]) -> None:
        await self._reads.commit(batch)

    def _answers_settled(self, answers: Sequence[Answer], bodies: Mapping[int, HeldBody], woken: Iterable[int]) -> None:
        self.fetch_phase.settled(answers, bodies)
        self.mirroring.answered(answers)
        self.wake(woken)

    def _reads_settled(self, reads: Sequence[Read], woken: Iterable[int]) -> None:
        self.parse_phase.settled(reads)
        self.mirroring.read(reads)
        self.wake(woken)

    def _downloaded(self, downloads: Sequence[Downloaded], is_handed_over: bool) -> None:
        if is_handed_over:
            self.parse_phase.offer(downloads)
        else:
            self.queue.offer_pages(page.id for page in downloads)

    def wake(self, host_ids: Iterable[int]) -> None:
        """Tells whoever asks these hosts, here or elsewhere, that they have pages to ask for."""
        if others := self.fetch_phase.tell(host_ids):
            self.queue.wake_hosts(others)

    def _figures(self) -> dict[str, float]:
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {
            "hosts_held": len(self.door.turns.held),
            "requests_in_flight": self.door.turns.in_flight,
            "fetch_slots": self.settings.fetch_slots if Duty.FETCH in self.duties else 0,
            "pages_in_hand": self.parse_phase.in_hand,
            "peak_memory_mb": round(kilobytes / 1024, 1),
            DISK_FREE_MB: self.disk.state.free_bytes >> 20,
            DISK_LOW: float(self.disk.state.is_low),
        } | self.mirroring.figures()

    def _lead_taken(self, lead: Lead) -> None:
        for loop in self.loops:
            if loop.lead is lead:
                loop.bell.ring()

    async def run(self) -> None:
        """Makes the rounds until `stopping` is set; then ends what is in flight within the grace period."""
        await running.run(self)


def _say_traces_lost() -> None:
    telemetry.logger("tracing").warning("traces.lost")


@asynccontextmanager
async def open_service(
    settings: Settings, *, kind: str = "worker", also_allow: Sequence[str] = (), free_bytes: FreeBytes = free_bytes
) -> AsyncIterator[Service]:
    """A complete service, ready to run; `free_bytes` tells how much room is left on the disk."""
    crash_points.arm(settings.crash_at)
    metrics.adjust(most_sources=settings.metrics_sources, taken_every_seconds=settings.metrics_seconds)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings))
        pool = await stack.enter_async_context(
            ReaderPool(workers=settings.parse_workers, timeout=settings.parse_timeout_seconds)
        )
        way = await stack.enter_async_context(open_door(settings, store, also_allow=also_allow))
        traces = settings.tracing_url.get_secret_value() if settings.tracing_url is not None else None
        await stack.enter_async_context(tracing.traced(traces, instance=way.turns.owner, say_lost=_say_traces_lost))
        service = Service(settings, store, way, pool, queue_of(settings), kind, free_bytes)
        stack.push_async_callback(service.mirroring.close)
        stack.push_async_callback(service.index.close)
        stack.push_async_callback(service.events.close)
        if kind != "crawl" or settings.proxies_enabled:
            # The shell that starts a single crawl often knows less than the service, whose pool it must not empty.
            await write_pool(store.db, settings, vault=service.vault, clock=store.clock)
        await service.secrets.refresh()
        await service.standstill.look()
        await service.index.warn_if_unattended()
        yield service
