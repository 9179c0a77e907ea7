"""Builds the parse phase, and the sink that stores its readings."""

from collections.abc import Callable, Iterable, Sequence

from lamplighter.app.foundation import Foundation, RunTools
from lamplighter.crawl.fetching.missing_bodies import MissingBodies
from lamplighter.crawl.fleet.mirror_updates import MirrorUpdates
from lamplighter.crawl.process.batcher import Batcher
from lamplighter.crawl.reading import parse_sink
from lamplighter.crawl.reading.parse_phase import LeaseTerms, ParsePhase
from lamplighter.crawl.reading.parse_sink import PageReading, ParseSink
from lamplighter.crawl.reading.reader_pool import ReaderPool
from lamplighter.crawl.reading.source_cache import SourceCache
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
            self._store, broken=parse_sink.unstorable, most=128, linger=0.25, name="parse"
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
            memory=runs.memory,
            planner=runs.planner,
            notice_writer=runs.notice_writer,
            keeping=runs.keeping,
            settled=self._settled,
        )

    async def _store(self, batch: Sequence[PageReading]) -> None:
        await self._sink.commit(batch)

    def _settled(self, reads: Sequence[PageReading], woken: Iterable[int]) -> None:
        self.phase.settled(reads)
        self._mirroring.read(reads)
        self._wake(woken)
