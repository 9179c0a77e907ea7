"""The parse phase: reader processes parse bodies, and the readings go to the sink."""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from lamplighter import crash_points, telemetry
from lamplighter.crawl.fetching.missing_bodies import MissingBodies
from lamplighter.crawl.fetching.page_versioning import body_after, forget_bodies
from lamplighter.crawl.fetching.page_visits import LeaseTerms, PageVisit, ParseLease, downloaded
from lamplighter.crawl.pages.page_results import PageReading, PageResult
from lamplighter.crawl.process import counters, loops
from lamplighter.crawl.process.batcher import Batcher
from lamplighter.crawl.process.bells import Bell
from lamplighter.crawl.process.in_flight import STEP_SECONDS, InFlight
from lamplighter.crawl.reading.reader_messages import Digest, PageWork
from lamplighter.crawl.reading.reader_pool import NoReader, ReaderPool, Unreadable
from lamplighter.crawl.reading.source_cache import KnownSource, SourceCache
from lamplighter.crawl.reading.unread_pages import UnreadPage, UnreadPages
from lamplighter.extract import directives
from lamplighter.model.visit import Fetched, NotModified
from lamplighter.ports import Archive, Clock
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import downloads
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.pages.pages_in_flight import PageStep

log = telemetry.logger("parse")
#: pages that a reader parses in one batch, and the bytes of bodies after which no more are added
_BATCH, _BATCH_BYTES = 16, 512 * 1024
#: pages taken but not yet stored; beyond this other processes may take them
_MOST_IN_HAND = 512
SWEEP_EVERY_SECONDS = 2.0
#: reader crashes after which a page is given up
_MOST_CRASHES = 2
#: why a page is given up whose body is missing
_NOT_HERE = "its body is not in the archive; is LAMPLIGHTER_ARCHIVE_URL the same in every process?"
#: a reader that could not be started is tried again after this long, then after twice as long each time
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 1.0, 30.0


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
        results: Batcher[PageResult],
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
        #: collects results until they are stored together
        self._results = results
        self._clock = clock
        #: rung when a body may wait to be parsed
        self._bell = bell
        self._owner = lease.owner
        self._lease = lease.lasts
        self._missing = missing
        self._stopping = stopping
        #: one claim at a time, so that none is under way when all pages are released
        self._claiming = asyncio.Lock()
        #: pages that wait for a reader; `_queued` is set when there is one, or when we stop
        self._queue: deque[UnreadPage] = deque()
        self._queued = asyncio.Event()
        self._in_hand = UnreadPages(clock, most=2 * _BATCH * (pool.workers + 1), stopping=stopping)
        #: the pages that a reader parses now -> since when
        self._parsing: dict[int, datetime] = {}
        self._in_flight = InFlight(db, clock=clock, work=PageStep.PARSE)
        #: pages were left in the database because we had no room
        self._are_more_waiting = False
        #: why the last read from the archive failed; None when it succeeded
        self._trouble: str | None = None

    @property
    def in_hand(self) -> int:
        """How many pages are taken, and their readings are not stored yet."""
        return len(self._in_hand)

    @property
    def trouble(self) -> str | None:
        """Why bodies of our pages cannot be read from the archive; None if they can."""
        return self._trouble if self._in_hand else None

    async def take(self, visited: PageVisit) -> bool:
        """Takes a page that was just fetched, to be stored when it is read; False when there is no room for it.

        It waits a little for room: what is stored before it is read is written twice.
        """
        page, visit = visited.page, visited.visit
        assert isinstance(visit, Fetched | NotModified), "only a page with a body is read"
        # A body that the archive is said to have is read from there: if it is lost, that is noticed.
        body = visit.body if isinstance(visit, Fetched) and visited.body_key is None else None
        if self._stopping.is_set() or not await self._in_hand.has_room(len(body or b"")):
            self._are_more_waiting = True
            return False
        key = visited.body_key or (page.body.key if page.body is not None else "")
        held = body_after(page, visit, visited.body_hash or "", key)
        seen = page.seen_hash if page.was_read and not visited.leads_on(now=self._clock.now()) else None
        return self._take(UnreadPage(page=downloaded(page, held, seen_hash=seen), body=body, visited=visited))

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

    def settled(self, results: Iterable[PageResult], downloads: Mapping[int, Downloaded]) -> None:
        """Notes stored results, and pages that were stored before they are read."""
        for visited, reading, lease in results:
            if reading is not None:
                self._in_hand.let_go(reading.page.id)
                if isinstance(reading.result, Digest) and reading.result.list_at is not None:
                    self._sources.learn(reading.page.source_id, reading.result.list_at)
            elif visited is not None and lease is not None and (item := self._in_hand.get(visited.page.id)):
                stored = downloads.get(visited.page.id)
                item.page, item.is_dropped = stored or item.page, stored is None
        if self._are_more_waiting and len(self._in_hand) < _MOST_IN_HAND // 4:
            self._bell.ring()

    async def run(self) -> None:
        """Parses until stopped; then releases pages that were not begun."""
        async with asyncio.TaskGroup() as group:
            readers = [group.create_task(self._read_batches()) for _ in range(self._pool.workers + 1)]
            renewing = self._lease.total_seconds() / 3
            renewal = loops.repeat(self._renew_leases, seconds=renewing, log=log, failed="parse.renew_failed")
            noting = loops.repeat(self._note_parsing, seconds=STEP_SECONDS, log=log, failed="parse.note_failed")
            helpers = [group.create_task(each) for each in (self._sweep(), self._store_slow(), renewal, noting)]
            await self._stopping.wait()
            await self._give_back()
            self._queued.set()
            await asyncio.gather(*readers)
            for helper in helpers:
                helper.cancel()
        await self._results.settled()
        await self._give_back()  # pages that arrived with the last commit or claim

    async def close(self) -> None:
        """Releases all pages still leased to us, when no more can arrive."""
        async with self._claiming:
            await self._give_back()

    def _take(self, item: UnreadPage) -> bool:
        if not self._in_hand.add(item):
            return False
        self._enqueue(item)
        return True

    def _enqueue(self, item: UnreadPage) -> None:
        if not self._queue:
            self._queued.set()
        self._queue.append(item)

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
                self._take(UnreadPage(page=page))
            return claimed

    async def _renew_leases(self) -> None:
        held, until = list(self._in_hand), self._clock.now() + self._lease
        if held:
            await self._db.keep(lambda db: downloads.keep(db, held, owner=self._owner, until=until))

    async def _give_back(self) -> None:
        """Lets other processes read what was not begun."""
        left: list[int] = []
        while self._queue:
            item = self._queue.popleft()
            self._in_hand.let_go(item.page.id)
            if item.visited is not None:
                self._results.add(PageResult(item.visited))
            else:
                left.append(item.page.id)
        if left:
            await self._results.settled()  # they may be on their way to the database, with our lease
            await self._db.write(lambda db: downloads.give_back(db, left, owner=self._owner))

    async def _store(self, items: Iterable[UnreadPage]) -> None:
        """Stores fetched pages before they are read, leased to us."""
        lease = ParseLease(self._owner, self._clock.now() + self._lease)
        unstored = [item for item in items if item.visited is not None]
        for item in unstored:
            self._results.add(PageResult(item.visited, None, lease))
            item.visited = None
        if unstored:
            await self._results.settled()

    async def _store_slow(self) -> None:
        while True:
            await self._store(await self._in_hand.slow())

    async def _put(self, item: UnreadPage, source: KnownSource, result: Digest | str) -> None:
        """Passes on what was read, with the visit if that is not stored yet."""
        visited, item.visited = item.visited, None
        self._in_hand.is_read(item.page.id)
        if not isinstance(result, Digest) or not result.is_same:
            await self._results.put(PageResult(visited, PageReading(item.page, source.priority, result)))
        elif visited is not None:
            self._in_hand.let_go(item.page.id)
            await self._results.put(PageResult(visited._replace(says_the_same=True)))
        else:  # stored as fetched already, so that it has to be read
            item.page = item.page._replace(seen_hash=None)
            self._enqueue(item)

    async def _read_batches(self) -> None:
        while batch := await self._next_batch():
            try:
                await self._read(batch)
            except _ArchiveAway:  # already logged
                await self._put_back(batch)
            except Exception as error:
                loops.report_failure(log, "parse.batch_failed", error, pages=len(batch))
                await self._put_back(batch)

    async def _next_batch(self) -> list[UnreadPage]:
        """The pages that wait, as many as a reader takes at once; none when we stop."""
        while not self._queue and not self._stopping.is_set():
            self._queued.clear()
            await self._queued.wait()
        batch, size = list[UnreadPage](), 0
        while self._queue and not self._stopping.is_set() and len(batch) < _BATCH and size < _BATCH_BYTES:
            batch.append(item := self._queue.popleft())
            size += len(item.body or b"")
        return batch

    async def _put_back(self, batch: Sequence[UnreadPage]) -> None:
        await asyncio.sleep(1)
        for item in batch:
            self._enqueue(item)

    async def _bodies_of(self, batch: Sequence[UnreadPage]) -> dict[int, bytes | None]:
        bodies = {item.page.id: item.body for item in batch}
        archived = [item.page for item in batch if item.body is None]
        if not archived:
            return bodies
        try:
            found = await self._archive.get_all([page.body_key for page in archived])
        except OSError as error:
            if self._trouble is None:
                log.error("archive.away", error=str(error), pages=len(batch))
            self._trouble = str(error)
            raise _ArchiveAway from error
        if self._trouble is not None:
            log.info("archive.back")
            self._trouble = None
        return bodies | dict(zip([page.id for page in archived], found, strict=True))

    async def _read(self, batch: list[UnreadPage]) -> None:
        known = await self._sources.many({item.page.source_id for item in batch})
        bodies = await self._bodies_of(batch)
        work: list[tuple[UnreadPage, KnownSource, PageWork]] = []
        for item in batch:
            source, body = known.get(item.page.source_id), bodies[item.page.id]
            if source is None:  # its source was deleted, and the page with it
                await self._drop(item)
            elif body is None:
                await self._fetch_again(item, source)
            elif source.trouble is not None:
                await self._give_up(item, source, source.trouble)
            else:
                work.append((item, source, source.work(item.page, body)))
        if not work:
            return
        try:
            digests = await self._digests([each for _, _, each in work], [item.page.id for item, _, _ in work])
        except Unreadable:
            await self._store(item for item, _, _ in work)
            for item, source, each in work:
                await self._read_alone(item, source, each)
            return
        counters.pages_read(digests)
        crash_points.reached("parse.after_extract")
        await self._discard([item for (item, _, _), result in zip(work, digests, strict=True) if result.noarchive])
        for (item, source, _), result in zip(work, digests, strict=True):
            await self._put(item, source, result)

    async def _drop(self, item: UnreadPage) -> None:
        """Lets go of a page that is not to be read."""
        await self._store([item])
        self._in_hand.let_go(item.page.id)

    async def _note_parsing(self) -> None:
        """Stores since when readers parse pages that are downloaded."""
        parsing = [(self._in_hand.get(page_id), at) for page_id, at in self._parsing.items()]
        await self._in_flight.store({item.page.id: at for item, at in parsing if item and item.visited is None})

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
                await self._store([item for page_id in page_ids if (item := self._in_hand.get(page_id))])
            finally:
                for page_id in page_ids:
                    self._parsing.pop(page_id, None)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    async def _read_alone(self, item: UnreadPage, source: KnownSource, work: PageWork) -> None:
        """Parses one page of a batch that killed its reader, so that only the bad page fails."""
        crashes = item.page.crash_count
        while True:
            try:
                digests = await self._digests([work], [item.page.id])
            except Unreadable as error:
                crashes += 1
                await self._db.write(lambda db: downloads.note_crash(db, item.page.id))
                if crashes >= _MOST_CRASHES:
                    log.warning("parse.unreadable", url=item.page.url, error=str(error))
                    return await self._give_up(item, source, str(error))
            else:
                counters.pages_read(digests)
                await self._discard([item for digest in digests if digest.noarchive])
                return await self._put(item, source, digests[0])

    async def _give_up(self, item: UnreadPage, source: KnownSource, why: str) -> None:
        """Stores that a page cannot be read; its robots header still applies."""
        if directives.from_header(item.page.robots_tag, source.agent).noarchive:
            await self._discard([item])
        await self._put(item, source, why)

    async def _discard(self, unwanted: Sequence[UnreadPage]) -> None:
        """Deletes bodies of pages that forbid archiving, before they can be shown."""
        if not unwanted:
            return
        # Rows first: after a crash in between, the pages are parsed and their bodies deleted again.
        await self._store(unwanted)
        keys = {item.page.id: item.page.body_key for item in unwanted if not item.is_dropped}
        if keys:
            await self._archive.discard(await self._db.write(lambda db: forget_bodies(db, keys)))

    async def _fetch_again(self, item: UnreadPage, source: KnownSource) -> None:
        """Fetches a page again whose body is missing from the archive, or gives it up without retries left."""
        await self._store([item])
        if item.is_dropped or await self._missing.fetch_again(item.page):
            self._in_hand.let_go(item.page.id)
        else:
            await self._give_up(item, source, _NOT_HERE)
