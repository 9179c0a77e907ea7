"""Builds the fetch phase and the parse phase, and the sinks that store their results."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from lamplighter.app.foundation import Foundation
from lamplighter.app.storing import Storing
from lamplighter.crawl.fetching import page_visits
from lamplighter.crawl.fetching.cookie_jar import CookieJar
from lamplighter.crawl.fetching.fetch_phase import FetchLimits, FetchPhase
from lamplighter.crawl.fetching.fetch_sink import FetchSink, Handover
from lamplighter.crawl.fetching.missing_bodies import MissingBodies
from lamplighter.crawl.fetching.page_visitor import PageVisitor
from lamplighter.crawl.fetching.page_visits import PageVisit, RetryLimits
from lamplighter.crawl.fleet.crawl_pause import CrawlPauseWatch
from lamplighter.crawl.fleet.mirror_updates import MirrorUpdates
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.process.batcher import Batcher
from lamplighter.crawl.reading import parse_sink
from lamplighter.crawl.reading.parse_phase import LeaseTerms, ParsePhase
from lamplighter.crawl.reading.parse_sink import PageReading, ParseSink
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.crawl.reading.source_cache import SourceCache
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.model.fleet import Duty
from lamplighter.model.page import HeldBody
from lamplighter.ports import Archive


class Parsing:
    """From downloaded bodies to stored records."""

    def __init__(
        self,
        base: Foundation,
        runs: RunTools,
        *,
        pool: ReaderPool,
        archive: Archive,
        mirroring: MirrorUpdates,
        wake: Callable[[Iterable[int]], None],
    ) -> None:
        settings, db, clock = base.settings, base.db, base.clock
        self._mirroring = mirroring
        self._wake = wake
        #: collects readings until they are stored together
        self.readings = Batcher[PageReading](
            lambda batch: self._sink.commit(batch), broken=parse_sink.unstorable, most=128, linger=0.25, name="parse"
        )
        self.phase = ParsePhase(
            db,
            archive=archive,
            pool=pool,
            sources=SourceCache(db, clock=clock, agent=base.door.robots.token),
            readings=self.readings,
            clock=clock,
            bell=base.bells.downloads,
            lease=LeaseTerms(base.owner, settings.lease),
            missing=MissingBodies(db, clock=clock, page_retries=settings.page_retries, wake=wake),
            stopping=base.stopping,
        )
        self._sink = ParseSink(
            db,
            clock=clock,
            tools=runs,
            settled=self._settled,
        )

    def _settled(self, reads: Sequence[PageReading], woken: Iterable[int]) -> None:
        self.phase.settled(reads)
        self._mirroring.read(reads)
        self._wake(woken)


class Fetching:
    """From pending pages to stored bodies."""

    def __init__(
        self,
        base: Foundation,
        runs: RunTools,
        *,
        storing: Storing,
        secrets: SecretBook,
        crawl_pause: CrawlPauseWatch,
        mirroring: MirrorUpdates,
        parse_phase: ParsePhase,
        fetchers: Callable[[], int],
    ) -> None:
        self._base = base
        self._storing = storing
        self._crawl_pause = crawl_pause
        self._mirroring = mirroring
        #: collects responses until they are stored together
        self.responses = Batcher[PageVisit](
            lambda batch: self._sink.commit(batch), broken=page_visits.unstorable, most=128, linger=0.25, name="fetch"
        )
        self.visitor = _visitor(base, runs, secrets=secrets, crawl_pause=crawl_pause)
        self.phase = FetchPhase(
            base.db,
            turns=base.door.turns,
            visitor=self.visitor,
            responses=self.responses,
            clock=base.clock,
            bell=base.bells.hosts,
            limits=_limits(base),
            stopping=base.stopping,
            may_fetch=self._may_fetch,
            fetchers=fetchers,
        )
        self._sink = FetchSink(
            base.db,
            archiving=storing.archiving,
            clock=base.clock,
            tools=runs,
            limits=RetryLimits(base.settings.page_retries, base.settings.most_redirects),
            handover=Handover(parse_phase if Duty.PARSE in base.duties else None, queue=base.queue),
            settled=self._settled,
        )

    def wake(self, host_ids: Iterable[int]) -> None:
        """Announces that these hosts have pages to fetch: to our own rounds, else to other processes."""
        if others := self.phase.announce(host_ids):
            self._base.queue.wake_hosts(others)

    def _may_fetch(self) -> bool:
        return self._crawl_pause.current is None and self._storing.has_room

    def _settled(self, stored: Sequence[PageVisit], bodies: Mapping[int, HeldBody], woken: Iterable[int]) -> None:
        self.phase.settled(stored, bodies)
        self._mirroring.visited(stored)
        self.wake(woken)


def _visitor(base: Foundation, runs: RunTools, *, secrets: SecretBook, crawl_pause: CrawlPauseWatch) -> PageVisitor:
    return PageVisitor(
        fetcher=base.door.fetcher,
        cookies=CookieJar(base.db, vault=base.vault, clock=base.clock, keeping=runs.keeping),
        rendering=base.door.rendering,
        # Not the parse phase's cache: fetching would fill that before a redirect to the source's new site is stored.
        sources=SourceCache(base.db, clock=base.clock, agent=base.door.robots.token),
        secrets=secrets,
        crawl_pause=crawl_pause,
        clock=base.clock,
        request_retries=base.settings.request_retries,
    )


def _limits(base: Foundation) -> FetchLimits:
    return FetchLimits(
        slots=base.settings.fetch_slots,
        lease_seconds=base.settings.lease_seconds,
        parses_here=Duty.PARSE in base.duties,
    )
