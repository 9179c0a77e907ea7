"""Builds the service from its parts, runs it by its duties, and stops it when its open requests are finished."""

import asyncio
import resource
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from lamplighter import crash_points, metrics, telemetry, tracing
from lamplighter.app import running_settings
from lamplighter.app.background import loops_of
from lamplighter.app.database import open_store
from lamplighter.app.default_proxies import write_pool
from lamplighter.app.engines import archive_folder, mirror_of, queue_of
from lamplighter.app.event_traffic import EventTraffic
from lamplighter.app.foundation import Foundation, run_tools_of
from lamplighter.app.opening import open_door
from lamplighter.app.parts import Fleet, Leading, Notifying, Trying
from lamplighter.app.phases import Fetching, Parsing, Results
from lamplighter.app.record_index import RecordIndex
from lamplighter.app.storing import Storing
from lamplighter.app.virtual import Virtual
from lamplighter.crawl.fetching.fetch_phase import FetchPhase
from lamplighter.crawl.fleet.crawl_pause import CrawlPauseWatch
from lamplighter.crawl.fleet.database_gauges import TAKEN_OVER
from lamplighter.crawl.fleet.disk_watch import FreeBytes, free_bytes
from lamplighter.crawl.fleet.mirror_updates import MirrorUpdates
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.fleet.server_watch import Check, ServerWatch, archive_check, search_check
from lamplighter.crawl.fleet.settings_watch import SettingsWatch
from lamplighter.crawl.process.loops import keep_going
from lamplighter.crawl.reading.parse_phase import ParsePhase
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.model.fleet import Duty, Lead, Server
from lamplighter.operations.sources import source_input
from lamplighter.rules.alerts.alert_findings import DISK_FREE_MB, DISK_LOW
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database
from lamplighter.store.sources import sources

log = telemetry.logger("app")
#: how long a message to the other processes may take when we stop
_WORD_SECONDS = 3.0
#: sources that a log line names
_MOST_NAMED = 10


class Service:
    """A running service with all its parts."""

    def __init__(self, base: Foundation, pool: ReaderPool, *, kind: str, free_bytes: FreeBytes = free_bytes) -> None:
        self.settings = base.settings
        #: serve, worker or crawl
        self.kind = kind
        self.duties, self.queue, self.vault = base.duties, base.queue, base.vault
        self.db, self.clock, self.door = base.db, base.clock, base.door
        self.bells, self.stopping, self.source_defaults = base.bells, base.stopping, base.source_defaults
        # The metric counts for the whole process, which may have had a service before.
        self._taken_over_before = metrics.leases_taken_over()
        self.secrets = SecretBook(base.db, vault=base.vault, settings=base.settings)
        self.crawl_pause = CrawlPauseWatch(base.db, bells=base.bells)
        self.changed_settings = SettingsWatch(
            base.db, settings=base.settings, apply=lambda: running_settings.apply(self)
        )
        self.fleet = Fleet.of(base, kind=kind, figures=self._figures, lead_taken=self._lead_taken)
        self.runs = run_tools_of(base)
        self.storing = Storing.of(base, free_bytes=free_bytes)
        self.mirroring = MirrorUpdates(base.db, mirror=mirror_of(base.settings, base.clock), clock=base.clock)
        self.trying = Trying.of(base, self.runs, pool=pool, archive=self.storing.archive, secrets=self.secrets)
        self.results = Results(base, self.runs, storing=self.storing, mirroring=self.mirroring)
        self.parsing = Parsing(base, self.results, pool=pool, archive=self.storing.archive, wake=self.wake)
        self.fetching = Fetching(
            base,
            self.runs,
            self.results,
            storing=self.storing,
            secrets=self.secrets,
            crawl_pause=self.crawl_pause,
            parse_phase=self.parsing.phase,
            fetchers=lambda: self.fleet.membership.fetchers,
        )
        self.events = EventTraffic(base)
        self.leading = Leading.of(base, self.runs, events=self.events.carrier)
        self.notifying = Notifying.of(base, events=self.events.carrier)
        self.index = RecordIndex(base.settings, base.db, clock=base.clock)
        self.servers = self._watch()
        self.loops = [loop for loop in loops_of(self) if loop.duty is None or loop.duty in self.duties]

    def wake(self, host_ids: Iterable[int]) -> None:
        """Announces hosts with pages to fetch, here or to other processes."""
        self.fetching.wake(host_ids)

    def _figures(self) -> dict[str, float]:
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        disk = self.storing.disk.state
        return (
            {
                "hosts_held": len(self.door.turns.held),
                "requests_in_flight": self.door.turns.in_flight,
                "fetch_slots": self.settings.fetch_slots if Duty.FETCH in self.duties else 0,
                "pages_in_hand": self.parsing.phase.in_hand,
                "peak_memory_mb": round(kilobytes / 1024, 1),
                DISK_FREE_MB: disk.free_bytes >> 20,
                DISK_LOW: float(disk.is_low),
                TAKEN_OVER: metrics.leases_taken_over() - self._taken_over_before,
            }
            | self.mirroring.figures()
            | self.servers.figures()
        )

    def _watch(self) -> ServerWatch:
        """Watches those servers that the settings name."""
        settings, mirror = self.settings, self.mirroring
        checks: dict[Server, Check] = {}
        if self.events.is_streamed or mirror.is_on:

            async def redis() -> bool:
                return (await self.events.carrier.figures()).circuit != "open" and await mirror.answers()

            checks[Server.REDIS] = redis
        if settings.queue_url is not None and settings.queue_url.get_secret_value():

            async def rabbitmq() -> bool:
                return self.queue.trouble is None

            checks[Server.RABBITMQ] = rabbitmq
        if archive_folder(settings) is None:
            checks[Server.ARCHIVE] = archive_check(self.storing.archive)
        if self.index.server is not None:
            checks[Server.SEARCH] = search_check(self.index.server)
        return ServerWatch(checks, clock=self.clock)

    def _lead_taken(self, lead: Lead) -> None:
        for loop in self.loops:
            if loop.lead is lead:
                loop.bell.ring()

    async def run(self) -> None:
        """Runs phases and loops until `stopping` is set; then finishes open work in the grace period."""
        leads, stopping = self.fleet.leadership.holds, self.stopping
        try:
            async with asyncio.TaskGroup() as group:
                sinks = [
                    group.create_task(self.fetching.responses.run()),
                    group.create_task(self.results.batcher.run()),
                ]
                loops = [group.create_task(keep_going(loop, leads=leads, stopping=stopping)) for loop in self.loops]
                loops.append(group.create_task(self._carry_messages()))
                phases = [group.create_task(phase.run()) for phase in self._phases()]
                await stopping.wait()
                try:
                    async with asyncio.timeout(self.settings.grace_seconds):
                        await self._wind_up(phases)
                except TimeoutError:
                    log.warning("stop.grace_over", seconds=self.settings.grace_seconds)
                for task in (*loops, *phases, *sinks):
                    task.cancel()
        finally:
            # So that others take the leads at once, and do not count us as lost.
            await _try(self.fleet.leadership.give_back())
            await _try(self.fleet.membership.leave())

    def _phases(self) -> list[FetchPhase | ParsePhase]:
        fetching = [self.fetching.phase] if Duty.FETCH in self.duties else []
        reading = [self.parsing.phase] if Duty.PARSE in self.duties else []
        return [*fetching, *reading]

    async def _carry_messages(self) -> None:
        await self.queue.run(
            hosts=self.fetching.phase.hear if Duty.FETCH in self.duties else None,
            pages=self.parsing.phase.hear if Duty.PARSE in self.duties else None,
            stopping=self.stopping,
        )

    async def _wind_up(self, phases: Sequence[asyncio.Task[None]]) -> None:
        for bell in (self.bells.hosts, self.bells.downloads):
            bell.ring()
        await _try(self.fleet.membership.say_stopping())
        await asyncio.gather(*phases)
        await self.fetching.responses.settled()
        await self.results.batcher.settled()
        await self.parsing.phase.close()


async def _try(word: Awaitable[None]) -> None:
    """Sends a notice that others would notice anyway."""
    try:
        async with asyncio.timeout(_WORD_SECONDS):
            await word
    except Exception:
        log.exception("stop.word_failed")


async def _warn_of_deep_sources(db: Database) -> None:
    """Says which sources follow links further than most need; each of their runs may fetch many pages."""
    async with db.read() as connection:
        count, urls = await sources.deeper_than(connection, source_input.DEEP, named=_MOST_NAMED)
    if count:
        log.warning("sources.deep", sources=count, deeper_than=source_input.DEEP, urls=urls)


def _say_traces_lost() -> None:
    telemetry.logger("tracing").warning("traces.lost")


@asynccontextmanager
async def open_service(
    settings: Settings,
    *,
    kind: str = "worker",
    also_allow: Sequence[str] = (),
    free_bytes: FreeBytes = free_bytes,
    virtual: Virtual | None = None,
) -> AsyncIterator[Service]:
    """Opens a complete service; `free_bytes` returns the free disk space.

    With `virtual` it lives on that loop's time, and asks the sites there instead of the web.
    """
    crash_points.arm(settings.crash_at)
    metrics.adjust(most_sources=settings.metrics_sources, taken_every_seconds=settings.metrics_seconds)
    async with AsyncExitStack() as stack:
        clock, wire, pool_kind = (virtual.clock, virtual.wire, virtual.pool) if virtual else (None, None, ReaderPool)
        store = await stack.enter_async_context(open_store(settings, clock=clock))
        pool = await stack.enter_async_context(
            pool_kind(workers=settings.parse_workers, timeout=settings.parse_timeout_seconds)
        )
        door = await stack.enter_async_context(open_door(settings, store, also_allow=also_allow, wire=wire))
        traces = settings.tracing_url.get_secret_value() if settings.tracing_url is not None else None
        await stack.enter_async_context(tracing.traced(traces, instance=door.turns.owner, say_lost=_say_traces_lost))
        base = Foundation.of(settings, store, door, queue_of(settings))
        service = Service(base, pool, kind=kind, free_bytes=free_bytes)
        stack.push_async_callback(service.mirroring.close)
        stack.push_async_callback(service.index.close)
        stack.push_async_callback(service.events.close)
        if kind != "crawl" or settings.proxies_enabled:
            # A single crawl's environment often lacks the service's proxy settings; it must not empty that pool.
            await write_pool(store.db, settings, vault=service.vault, clock=store.clock)
        await service.secrets.refresh()
        await service.crawl_pause.look()
        await service.index.warn_if_unattended()
        await _warn_of_deep_sources(store.db)
        yield service
