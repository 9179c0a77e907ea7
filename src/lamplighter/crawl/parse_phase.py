"""The second phase: bodies are read in other processes, the readings passed to the sink."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta

from lamplighter import crash_points, telemetry
from lamplighter.crawl import failures, measuring
from lamplighter.crawl.answers import ParseLease
from lamplighter.crawl.batcher import Batcher
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.parse_sink import Read
from lamplighter.crawl.reader_messages import Digest, PageWork
from lamplighter.crawl.reader_pool import NoReader, ReaderPool, Unreadable
from lamplighter.crawl.source_cache import KnownSource, SourceCache
from lamplighter.crawl.versioning import forget_bodies
from lamplighter.extract import directives
from lamplighter.model.page import Phase
from lamplighter.ports import Archive, Clock
from lamplighter.rules import politeness
from lamplighter.store import bodies, crawl_runs, downloads, hosts, pages
from lamplighter.store.database import Connection, Database
from lamplighter.store.pages import Downloaded

log = telemetry.logger("parse")
#: pages read in one go by one process
_BATCH = 16
#: pages taken on but not yet durable; beyond this others may have them
_MOST_IN_HAND = 512
_SWEEP_EVERY_SECONDS = 2.0
#: readers that a page may cost before it is given up
_MOST_CRASHES = 2
#: why a page is given up that was fetched and is not found
_NOT_HERE = "its body is not in the archive; is LAMPLIGHTER_ARCHIVE_URL the same in every process?"
#: a reader that could not be started is tried again after this long, then after twice as long each time
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 1.0, 30.0


class _ArchiveAway(Exception):
    """The archive does not hand out what it has."""


class ParsePhase:
    """Reads downloaded pages, its own process's first."""

    def __init__(
        self,
        db: Database,
        *,
        archive: Archive,
        pool: ReaderPool,
        sources: SourceCache,
        sink: Batcher[Read],
        clock: Clock,
        bells: Bells,
        owner: str,
        lease: timedelta,
        page_retries: int,
        stopping: asyncio.Event,
        wake: Callable[[Iterable[int]], None],
    ) -> None:
        self._db = db
        self._archive = archive
        self._pool = pool
        self._sources = sources
        self._sink = sink
        self._clock = clock
        self._bells = bells
        self._owner = owner
        self._lease = lease
        self._page_retries = page_retries
        self._stopping = stopping
        #: says that hosts have pages to ask for
        self._wake = wake
        #: one claim at a time, so that none is under way when all is given back
        self._claiming = asyncio.Lock()
        self._queue: asyncio.Queue[Downloaded] = asyncio.Queue()
        self._in_hand: set[int] = set()
        #: pages were left in the database because we had enough
        self._are_more_waiting = False
        #: why bodies could not be had from the archive when we last asked; None when they could
        self._trouble: str | None = None

    @property
    def in_hand(self) -> int:
        """How many pages are taken on and not yet durable."""
        return len(self._in_hand)

    @property
    def trouble(self) -> str | None:
        """Why what we have in hand cannot be had from the archive; None when it can."""
        return self._trouble if self._in_hand else None

    def take_on(self, count: int) -> ParseLease | None:
        """The lease under which `count` more pages may be handed over right away; None when that would be too many."""
        if self._stopping.is_set() or len(self._in_hand) + count > _MOST_IN_HAND:
            self._are_more_waiting = True
            return None
        return ParseLease(self._owner, self._clock.now() + self._lease)

    def offer(self, leased: Sequence[Downloaded]) -> None:
        """Pages leased to us as they were stored."""
        for page in leased:
            self._take(page)

    async def hear(self, page_ids: Sequence[int]) -> None:
        """Takes on pages that somebody says wait to be read, if they still do.

        What there is no room for is left to others and to the sweep: a message that came back would only come again.
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

    def settled(self, reads: Sequence[Read]) -> None:
        """These readings are durable."""
        for read in reads:
            self._in_hand.discard(read.page.id)
        if self._are_more_waiting and len(self._in_hand) < _MOST_IN_HAND // 4:
            self._bells.downloads.ring()

    async def run(self) -> None:
        """Reads until asked to stop; what was not begun by then is given back."""
        async with asyncio.TaskGroup() as group:
            readers = [group.create_task(self._read_batches()) for _ in range(self._pool.workers + 1)]
            helpers = [group.create_task(self._sweep()), group.create_task(self._keep_leases())]
            await self._stopping.wait()
            await self._give_back()
            for _ in readers:
                self._queue.put_nowait(_NO_MORE)
            await asyncio.gather(*readers)
            for helper in helpers:
                helper.cancel()
        await self._sink.settled()
        await self._give_back()  # what a commit or a claim under way still brought

    async def close(self) -> None:
        """Gives back whatever is still leased to us, when nothing more can arrive."""
        async with self._claiming:
            await self._give_back()

    def _take(self, page: Downloaded) -> None:
        if page.id not in self._in_hand:
            self._in_hand.add(page.id)
            self._queue.put_nowait(page)

    async def _sweep(self) -> None:
        """Finds pages that nobody handed over: left by a worker that died, or stored while we were full."""
        while not self._stopping.is_set():
            room = self._room()
            if room > 0:
                try:
                    self._are_more_waiting = len(await self._claim(room)) == room
                except Exception as error:
                    failures.tell(log, "parse.claim_failed", error)
            await self._bells.downloads.wait(_SWEEP_EVERY_SECONDS)

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

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._lease.total_seconds() / 3)
            held, until = list(self._in_hand), self._clock.now() + self._lease
            if held:
                try:
                    await self._db.keep(
                        lambda db, held=held, until=until: downloads.keep(  # type: ignore[misc]
                            db, held, owner=self._owner, until=until
                        )
                    )
                except Exception as error:
                    failures.tell(log, "parse.renew_failed", error)

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
            except _ArchiveAway:  # which was said when it went
                await self._put_back(batch)
            except Exception as error:
                failures.tell(log, "parse.batch_failed", error, pages=len(batch))
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
                self._in_hand.discard(page.id)  # its source is gone, and it went along
            elif body is None:
                await self._ask_again(page, source)
            elif source.trouble is not None:
                await self._give_up(page, source, source.trouble)
            else:
                work.append((page, source, source.work(page, body)))
        if not work:
            return
        try:
            digests = await self._digests([item for _, _, item in work])
        except Unreadable:
            for page, source, item in work:
                await self._read_alone(page, source, item)
            return
        measuring.pages_read(digests)
        crash_points.reached("parse.after_extract")
        await self._discard([page for (page, _, _), result in zip(work, digests, strict=True) if result.noarchive])
        for (page, source, _), result in zip(work, digests, strict=True):
            await self._sink.put(Read(page, source.priority, result))

    async def _digests(self, work: list[PageWork]) -> list[Digest]:
        """What a reader makes of these pages. While none can be started they wait, until we are to stop."""
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return await self._pool.read(work, now=self._clock.now())
            except NoReader as error:
                if self._stopping.is_set():
                    raise
                log.error("parse.no_reader", pages=len(work), error=str(error), again_in_seconds=pause)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    async def _read_alone(self, page: Downloaded, source: KnownSource, work: PageWork) -> None:
        """A reader died over a batch: each page gets a reader of its own, so that only the guilty one pays."""
        crashes = page.crash_count
        while True:
            try:
                digests = await self._digests([work])
            except Unreadable as error:
                crashes += 1
                await self._db.write(lambda db: downloads.note_crash(db, page.id))
                if crashes >= _MOST_CRASHES:
                    log.warning("parse.unreadable", url=page.url, error=str(error))
                    return await self._give_up(page, source, str(error))
            else:
                measuring.pages_read(digests)
                await self._discard([page for digest in digests if digest.noarchive])
                return await self._sink.put(Read(page, source.priority, digests[0]))

    async def _give_up(self, page: Downloaded, source: KnownSource, why: str) -> None:
        """A page that cannot be read; what its header asks for holds all the same."""
        if directives.from_header(page.robots_tag, source.agent).noarchive:
            await self._discard([page])
        await self._sink.put(Read(page, source.priority, why))

    async def _discard(self, unwanted: Sequence[Downloaded]) -> None:
        """Forgets what pages had that do not want to be kept, before anybody else can see it."""
        if unwanted:
            # The rows go first: after a crash in between, the pages are read and their bodies discarded once more.
            keys = {page.id: page.body_key for page in unwanted}
            await self._archive.discard(await self._db.write(lambda db: forget_bodies(db, keys)))

    async def _ask_again(self, page: Downloaded, source: KnownSource) -> None:
        """The body is gone from the archive: the page must be asked for once more, if its run is still open.

        Where it is not found again and again, we look into another archive than whoever fetched it. No site pays for
        that: the page is asked for no more often than after failures of its own.
        """
        log.warning("parse.body_missing", url=page.url)
        now = self._clock.now()

        async def work(db: Connection) -> list[int] | None:
            is_open = await crawl_runs.lock_open(db, [page.run_id])
            waiting = await pages.still_in(db, [page.id], Phase.DOWNLOADED)
            if not is_open or not waiting:
                return []
            if waiting[page.id].body_key != page.body_key:  # it moved meanwhile, and can be read from where it is now
                await pages.save(db, [{"page": page.id, "lease_owner": None, "lease_until": None}])
                return []
            retries, most = await downloads.retries(db, page.id, otherwise=self._page_retries)
            if retries >= max(1, most):
                return None
            row = pages.body_values(None) | {
                "page": page.id,
                "phase": Phase.PENDING,
                "retry_count": retries + 1,
                "due_at": now + politeness.page_backoff(retries) if retries else None,
                "lease_owner": None,
                "lease_until": None,
            }
            await bodies.lost(db, page.id, page.body_key)
            await pages.save(db, [row])
            woken = await pages.hosts_of(db, [page.id])
            await hosts.wake(db, woken, now=now)
            return woken

        woken = await self._db.write(work)
        if woken is None:
            await self._give_up(page, source, _NOT_HERE)
        else:
            self._in_hand.discard(page.id)
            self._wake(woken)


_NO_MORE = Downloaded(0, 0, 0, "", 0, None, "", None, None, None, 0)  # type: ignore[arg-type]
