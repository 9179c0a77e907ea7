"""Builds the fetch phase and the parse phase, and the sink that stores their results."""

from collections.abc import Callable, Collection, Iterable, Sequence

from lamplighter.app.foundation import Foundation
from lamplighter.app.storing import Storing
from lamplighter.crawl.fetching import page_visits
from lamplighter.crawl.fetching.archive_tail import ArchiveTail
from lamplighter.crawl.fetching.arrivals import Arrivals
from lamplighter.crawl.fetching.cookie_jar import CookieJar
from lamplighter.crawl.fetching.fetch_phase import FetchLimits, FetchPhase
from lamplighter.crawl.fetching.missing_bodies import MissingBodies
from lamplighter.crawl.fetching.page_visitor import PageVisitor
from lamplighter.crawl.fetching.page_visits import LeaseTerms, PageVisit, RetryLimits
from lamplighter.crawl.fleet.crawl_pause import CrawlPauseWatch
from lamplighter.crawl.fleet.mirror_updates import MirrorUpdates
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.pages import page_results
from lamplighter.crawl.pages.page_commit import PageCommit
from lamplighter.crawl.pages.page_results import PageResult
from lamplighter.crawl.pages.page_sink import PageSink, Settled
from lamplighter.crawl.process.batcher import Batcher
from lamplighter.crawl.reading.parse_phase import ParsePhase
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.crawl.reading.source_cache import SourceCache
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.model.fleet import Duty
from lamplighter.ports import Archive
from lamplighter.settings import Settings


class Results:
    """From visits and readings to stored pages."""

    def __init__(self, base: Foundation, runs: RunTools, *, storing: Storing, mirroring: MirrorUpdates) -> None:
        self._mirroring = mirroring
        #: who hears of what is stored
        self.hearers: list[Settled] = []
        #: collects results until they are stored together
        self.batcher = Batcher[PageResult](
            lambda batch: sink.commit(batch), broken=page_results.unstorable, most=128, linger=0.25, name="store"
        )
        sink = PageSink(
            base.db,
            archiving=storing.archiving,
            clock=base.clock,
            tools=runs,
            limits=RetryLimits(base.settings.page_retries, base.settings.most_redirects),
            queue=base.queue,
            settled=self._settled,
        )

    def _settled(self, batch: Sequence[PageResult], commit: PageCommit) -> None:
        for hear in self.hearers:
            hear(batch, commit)
        self._mirroring.stored(batch)


class Parsing:
    """From downloaded bodies to readings."""

    def __init__(
        self,
        base: Foundation,
        results: Results,
        *,
        pool: ReaderPool,
        archive: Archive,
        wake: Callable[[Iterable[int]], None],
    ) -> None:
        settings, db, clock = base.settings, base.db, base.clock
        self.phase = ParsePhase(
            db,
            archive=archive,
            pool=pool,
            sources=SourceCache(db, clock=clock, agent=base.door.robots.token),
            results=results.batcher,
            clock=clock,
            bell=base.bells.downloads,
            lease=LeaseTerms(base.owner, settings.lease),
            missing=MissingBodies(db, clock=clock, page_retries=settings.page_retries, wake=wake),
            stopping=base.stopping,
        )
        results.hearers.append(self._settled)

    def _settled(self, batch: Sequence[PageResult], commit: PageCommit) -> None:
        self.phase.settled(batch, {page.id: page for page in commit.downloads})


class Fetching:
    """From pending pages to visits."""

    def __init__(
        self,
        base: Foundation,
        runs: RunTools,
        results: Results,
        *,
        storing: Storing,
        secrets: SecretBook,
        crawl_pause: CrawlPauseWatch,
        parse_phase: ParsePhase,
        fetchers: Callable[[], int],
    ) -> None:
        self._base = base
        self._storing = storing
        self._crawl_pause = crawl_pause
        arrivals = Arrivals(
            archiving=storing.archiving,
            parse_phase=parse_phase if Duty.PARSE in base.duties else None,
            results=results.batcher,
            clock=base.clock,
        )
        #: collects responses until their bodies are archived together
        self.responses = Batcher[PageVisit](
            arrivals.take, broken=page_visits.unstorable, most=128, linger=0.25, name="archive"
        )
        self.visitor = _visitor(base, runs, archive=storing.archive, secrets=secrets, crawl_pause=crawl_pause)
        self.phase = FetchPhase(
            base.db,
            turns=base.door.turns,
            visitor=self.visitor,
            responses=self.responses,
            clock=base.clock,
            bell=base.bells.hosts,
            limits=fetch_limits(base.settings, base.duties),
            stopping=base.stopping,
            may_fetch=self._may_fetch,
            fetchers=fetchers,
        )
        results.hearers.append(self._settled)

    def wake(self, host_ids: Iterable[int]) -> None:
        """Announces that these hosts have pages to fetch: to our own rounds, else to other processes."""
        if others := self.phase.announce(host_ids):
            self._base.queue.wake_hosts(others)

    def _may_fetch(self) -> bool:
        return self._crawl_pause.current is None and self._storing.has_room

    def _settled(self, batch: Sequence[PageResult], commit: PageCommit) -> None:
        self.phase.settled([result.visited for result in batch if result.visited is not None], commit.bodies)
        self.wake(commit.woken)


def _visitor(
    base: Foundation, runs: RunTools, *, archive: Archive, secrets: SecretBook, crawl_pause: CrawlPauseWatch
) -> PageVisitor:
    return PageVisitor(
        fetcher=base.door.fetcher,
        cookies=CookieJar(base.db, vault=base.vault, clock=base.clock, keeping=runs.keeping),
        rendering=base.door.rendering,
        tail=ArchiveTail(base.db, archive, clock=base.clock),
        # Not the parse phase's cache: fetching would fill that before a redirect to the source's new site is stored.
        sources=SourceCache(base.db, clock=base.clock, agent=base.door.robots.token),
        secrets=secrets,
        crawl_pause=crawl_pause,
        clock=base.clock,
        request_retries=base.settings.request_retries,
    )


def fetch_limits(settings: Settings, duties: Collection[Duty]) -> FetchLimits:
    """How much this process fetches at once."""
    return FetchLimits(
        slots=settings.fetch_slots, lease_seconds=settings.lease_seconds, parses_here=Duty.PARSE in duties
    )
