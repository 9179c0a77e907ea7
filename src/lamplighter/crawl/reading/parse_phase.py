"""The parse phase: reader processes parse bodies, and the readings go to the sink."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter import crash_points, telemetry
from lamplighter.crawl.fetching.missing_bodies import MissingBodies
from lamplighter.crawl.fetching.page_versioning import forget_bodies
from lamplighter.crawl.fetching.page_visits import ParseLease
from lamplighter.crawl.process import counters, loops
from lamplighter.crawl.process.batcher import Batcher
from lamplighter.crawl.process.bells import Bell
from lamplighter.crawl.process.in_flight import STEP_SECONDS, InFlight
from lamplighter.crawl.reading.parse_sink import PageReading
from lamplighter.crawl.reading.reader_messages import Digest, PageWork
from lamplighter.crawl.reading.reader_pool import NoReader, ReaderPool, Unreadable
from lamplighter.crawl.reading.source_cache import KnownSource, SourceCache
from lamplighter.extract import directives
from lamplighter.ports import Archive, Clock
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import downloads
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.pages.pages_in_flight import PageStep

log = telemetry.logger("parse")
#: pages that a reader parses in one batch
_BATCH = 16
#: pages leased but not yet stored; beyond this other processes may take them
_MOST_IN_HAND = 512
SWEEP_EVERY_SECONDS = 2.0
#: reader crashes after which a page is given up
_MOST_CRASHES = 2
#: why a page is given up whose body is missing
_NOT_HERE = "its body is not in the archive; is LAMPLIGHTER_ARCHIVE_URL the same in every process?"
#: a reader that could not be started is tried again after this long, then after twice as long each time
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 1.0, 30.0


class LeaseTerms(NamedTuple):
    """Who leases pages, and for how long."""

    owner: str
    lasts: timedelta


class _ArchiveAway(Exception):
    """The archive cannot be read."""


class ParsePhase:
    """Parses downloaded pages with reader processes."""

    def __init__(
        self,
        db: Database,
        *,
        archive: Archive,
        pool: ReaderPool,
        sources: SourceCache,
        readings: Batcher[PageReading],
        clock: Clock,
        bell: Bell,
        lease: LeaseTerms,
        missing: MissingBodies,
        stopping: asyncio.Event,
    ) -> None:
        self._db = db
        self._archive = archive
        self._pool = pool
        self._sources = sources
        #: collects readings until they are stored together
        self._readings = readings
        self._clock = clock
        #: rung when a body may wait to be parsed
        self._bell = bell
        self._owner = lease.owner
        self._lease = lease.lasts
        self._missing = missing
        self._stopping = stopping
        #: one claim at a time, so that none is under way when all pages are released
        self._claiming = asyncio.Lock()
        self._queue: asyncio.Queue[Downloaded] = asyncio.Queue()
        self._in_hand: set[int] = set()
        #: the pages that a reader parses now -> since when
        self._parsing: dict[int, datetime] = {}
        self._in_flight = InFlight(db, clock=clock, work=PageStep.PARSE)
        #: pages were left in the database because we had no room
        self._are_more_waiting = False
        #: why the last read from the archive failed; None when it succeeded
        self._trouble: str | None = None

    @property
    def in_hand(self) -> int:
        """How many leased pages are not stored yet."""
        return len(self._in_hand)

    @property
    def trouble(self) -> str | None:
        """Why bodies of our pages cannot be read from the archive; None if they can."""
        return self._trouble if self._in_hand else None

    def take_on(self, count: int) -> ParseLease | None:
        """The lease for `count` more pages that are parsed at once; None when there is no room for them."""
        if self._stopping.is_set() or len(self._in_hand) + count > _MOST_IN_HAND:
            self._are_more_waiting = True
            return None
        return ParseLease(self._owner, self._clock.now() + self._lease)

    def offer(self, leased: Sequence[Downloaded]) -> None:
        """Takes pages stored with our lease."""
        for page in leased:
            self._take(page)

    async def hear(self, page_ids: Sequence[int]) -> None:
        """Leases pages that a message says wait for parsing, if they do.

        Pages beyond our limit are left to other processes and the sweep: returning the message would only repeat it.
        """
        room = self._room()
        if room <= 0:
            self._are_more_waiting = True
            return
        claimed = await self._claim(room, among=page_ids)
        if len(claimed) < len(page_ids):
            async with self._db.read() as db:
                gone = await downloads.unknown(db, page_ids)
            if gone:
                log.info("queue.ignored", pages=sorted(gone), reason="there are no such pages")

    def settled(self, reads: Sequence[PageReading]) -> None:
        """Notes stored readings."""
        for read in reads:
            self._in_hand.discard(read.page.id)
        if self._are_more_waiting and len(self._in_hand) < _MOST_IN_HAND // 4:
            self._bell.ring()

    async def run(self) -> None:
        """Parses until stopped; then releases pages that were not begun."""
        async with asyncio.TaskGroup() as group:
            readers = [group.create_task(self._read_batches()) for _ in range(self._pool.workers + 1)]
            renewing = self._lease.total_seconds() / 3
            renewal = loops.repeat(self._renew_leases, seconds=renewing, log=log, failed="parse.renew_failed")
            noting = loops.repeat(self._note_parsing, seconds=STEP_SECONDS, log=log, failed="parse.note_failed")
            helpers = [group.create_task(each) for each in (self._sweep(), renewal, noting)]
            await self._stopping.wait()
            await self._give_back()
            for _ in readers:
                self._queue.put_nowait(_NO_MORE)
            await asyncio.gather(*readers)
            for helper in helpers:
                helper.cancel()
        await self._readings.settled()
        await self._give_back()  # pages that arrived with the last commit or claim

    async def close(self) -> None:
        """Releases all pages still leased to us, when no more can arrive."""
        async with self._claiming:
            await self._give_back()

    def _take(self, page: Downloaded) -> None:
        if page.id not in self._in_hand:
            self._in_hand.add(page.id)
            self._queue.put_nowait(page)

    async def _sweep(self) -> None:
        """Leases pages that were not offered: left by a dead worker, or stored while we were full."""
        while not self._stopping.is_set():
            room = self._room()
            if room > 0:
                try:
                    self._are_more_waiting = len(await self._claim(room)) == room
                except Exception as error:
                    loops.report_failure(log, "parse.claim_failed", error)
            await self._bell.wait(SWEEP_EVERY_SECONDS)

    def _room(self) -> int:
        return 0 if self._stopping.is_set() else _MOST_IN_HAND // 2 - len(self._in_hand)

    async def _claim(self, room: int, *, among: Sequence[int] | None = None) -> list[Downloaded]:
        async with self._claiming:
            now = self._clock.now()
            until = now + self._lease
            claimed = await self._db.write(
                lambda db: downloads.claim(db, owner=self._owner, now=now, until=until, limit=room, among=among)
            )
            if claimed:
                crash_points.reached("parse.after_claim")
            for page in claimed:
                self._take(page)
            return claimed

    async def _renew_leases(self) -> None:
        held, until = list(self._in_hand), self._clock.now() + self._lease
        if held:
            await self._db.keep(lambda db: downloads.keep(db, held, owner=self._owner, until=until))

    async def _give_back(self) -> None:
        left: list[int] = []
        while not self._queue.empty():
            left.append(self._queue.get_nowait().id)
        self._in_hand.difference_update(left)
        if left:
            await self._db.write(lambda db: downloads.give_back(db, left, owner=self._owner))

    async def _read_batches(self) -> None:
        while (first := await self._queue.get()) is not _NO_MORE:
            batch = [first]
            while len(batch) < _BATCH and not self._queue.empty():
                page = self._queue.get_nowait()
                if page is _NO_MORE:
                    self._queue.put_nowait(_NO_MORE)
                    break
                batch.append(page)
            try:
                await self._read(batch)
            except _ArchiveAway:  # already logged
                await self._put_back(batch)
            except Exception as error:
                loops.report_failure(log, "parse.batch_failed", error, pages=len(batch))
                await self._put_back(batch)

    async def _put_back(self, batch: Sequence[Downloaded]) -> None:
        await asyncio.sleep(1)
        for page in batch:
            self._queue.put_nowait(page)

    async def _bodies_of(self, batch: Sequence[Downloaded]) -> list[bytes | None]:
        try:
            found = await self._archive.get_all([page.body_key for page in batch])
        except OSError as error:
            if self._trouble is None:
                log.error("archive.away", error=str(error), pages=len(batch))
            self._trouble = str(error)
            raise _ArchiveAway from error
        if self._trouble is not None:
            log.info("archive.back")
            self._trouble = None
        return found

    async def _read(self, batch: list[Downloaded]) -> None:
        known = await self._sources.many({page.source_id for page in batch})
        work: list[tuple[Downloaded, KnownSource, PageWork]] = []
        for page, body in zip(batch, await self._bodies_of(batch), strict=True):
            source = known.get(page.source_id)
            if source is None:
                self._in_hand.discard(page.id)  # its source was deleted, and the page with it
            elif body is None:
                await self._fetch_again(page, source)
            elif source.trouble is not None:
                await self._give_up(page, source, source.trouble)
            else:
                work.append((page, source, source.work(page, body)))
        if not work:
            return
        try:
            digests = await self._digests([item for _, _, item in work], [page.id for page, _, _ in work])
        except Unreadable:
            for page, source, item in work:
                await self._read_alone(page, source, item)
            return
        counters.pages_read(digests)
        crash_points.reached("parse.after_extract")
        await self._discard([page for (page, _, _), result in zip(work, digests, strict=True) if result.noarchive])
        for (page, source, _), result in zip(work, digests, strict=True):
            await self._readings.put(PageReading(page, source.priority, result))

    async def _note_parsing(self) -> None:
        await self._in_flight.store(self._parsing)

    async def _digests(self, work: list[PageWork], page_ids: Sequence[int]) -> list[Digest]:
        """Parses these pages in a reader. While no reader starts they wait, until we stop."""

        def begun() -> None:
            self._parsing |= dict.fromkeys(page_ids, self._clock.now())

        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return await self._pool.read(work, now=self._clock.now(), begun=begun)
            except NoReader as error:
                if self._stopping.is_set():
                    raise
                log.error("parse.no_reader", pages=len(work), error=str(error), again_in_seconds=pause)
            finally:
                for page_id in page_ids:
                    self._parsing.pop(page_id, None)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    async def _read_alone(self, page: Downloaded, source: KnownSource, work: PageWork) -> None:
        """Parses one page of a batch that killed its reader, so that only the bad page fails."""
        crashes = page.crash_count
        while True:
            try:
                digests = await self._digests([work], [page.id])
            except Unreadable as error:
                crashes += 1
                await self._db.write(lambda db: downloads.note_crash(db, page.id))
                if crashes >= _MOST_CRASHES:
                    log.warning("parse.unreadable", url=page.url, error=str(error))
                    return await self._give_up(page, source, str(error))
            else:
                counters.pages_read(digests)
                await self._discard([page for digest in digests if digest.noarchive])
                return await self._readings.put(PageReading(page, source.priority, digests[0]))

    async def _give_up(self, page: Downloaded, source: KnownSource, why: str) -> None:
        """Stores that a page cannot be read; its robots header still applies."""
        if directives.from_header(page.robots_tag, source.agent).noarchive:
            await self._discard([page])
        await self._readings.put(PageReading(page, source.priority, why))

    async def _discard(self, unwanted: Sequence[Downloaded]) -> None:
        """Deletes bodies of pages that forbid archiving, before they can be shown."""
        if unwanted:
            # Rows first: after a crash in between, the pages are parsed and their bodies deleted again.
            keys = {page.id: page.body_key for page in unwanted}
            await self._archive.discard(await self._db.write(lambda db: forget_bodies(db, keys)))

    async def _fetch_again(self, page: Downloaded, source: KnownSource) -> None:
        """Fetches a page again whose body is missing from the archive, or gives it up without retries left."""
        if await self._missing.fetch_again(page):
            self._in_hand.discard(page.id)
        else:
            await self._give_up(page, source, _NOT_HERE)


_NO_MORE = Downloaded(0, 0, 0, "", 0, 0, None, "", None, None, None, 0)  # type: ignore[arg-type]
