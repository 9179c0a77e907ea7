"""The second phase: bodies are read in other processes, the readings passed to the sink."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import timedelta

from lamplighter import crash_points, telemetry
from lamplighter.crawl.batcher import Batcher
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.digest import PageWork
from lamplighter.crawl.fetch_sink import ParseLease
from lamplighter.crawl.parse_sink import Read
from lamplighter.crawl.reader_pool import ReaderPool, Unreadable
from lamplighter.crawl.source_cache import KnownSource, SourceCache
from lamplighter.model.page import Phase
from lamplighter.ports import Archive, Clock
from lamplighter.store import crawl_runs, hosts, pages
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
        stopping: asyncio.Event,
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
        self._stopping = stopping
        self._queue: asyncio.Queue[Downloaded] = asyncio.Queue()
        self._in_hand: set[int] = set()
        #: pages were left in the database because we had enough
        self._are_more_waiting = False

    def take_on(self, count: int) -> ParseLease | None:
        """The lease under which `count` more pages may be handed over right away; None when that would be too many."""
        if self._stopping.is_set() or len(self._in_hand) + count > _MOST_IN_HAND:
            self._are_more_waiting = True
            return None
        return ParseLease(self._owner, self._clock.now() + self._lease)

    def offer(self, downloads: Sequence[Downloaded]) -> None:
        """Pages leased to us as they were stored; without any, there may be some for the taking."""
        for page in downloads:
            self._take(page)
        if not downloads:
            self._bells.downloads.ring()

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
        await self._give_back()

    def _take(self, page: Downloaded) -> None:
        if page.id not in self._in_hand:
            self._in_hand.add(page.id)
            self._queue.put_nowait(page)

    async def _sweep(self) -> None:
        """Finds pages that nobody handed over: left by a worker that died, or stored while we were full."""
        while not self._stopping.is_set():
            room = _MOST_IN_HAND // 2 - len(self._in_hand)
            if room > 0:
                try:
                    await self._claim(room)
                except Exception:
                    log.exception("parse.claim_failed")
            await self._bells.downloads.wait(_SWEEP_EVERY_SECONDS)

    async def _claim(self, room: int) -> None:
        now = self._clock.now()
        claimed = await self._db.write(
            lambda db: pages.claim_downloaded(db, owner=self._owner, now=now, until=now + self._lease, limit=room)
        )
        if claimed:
            crash_points.reached("parse.after_claim")
        self._are_more_waiting = len(claimed) == room
        for page in claimed:
            self._take(page)

    async def _keep_leases(self) -> None:
        while True:
            await asyncio.sleep(self._lease.total_seconds() / 3)
            held, until = list(self._in_hand), self._clock.now() + self._lease
            if held:
                try:
                    await self._db.write(
                        lambda db, held=held, until=until: pages.extend_leases(  # type: ignore[misc]
                            db, held, owner=self._owner, until=until
                        )
                    )
                except Exception:
                    log.exception("parse.renew_failed")

    async def _give_back(self) -> None:
        left: list[int] = []
        while not self._queue.empty():
            left.append(self._queue.get_nowait().id)
        self._in_hand.difference_update(left)
        if left:
            await self._db.write(lambda db: pages.give_back(db, left, owner=self._owner))

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
            except Exception:
                log.exception("parse.batch_failed", pages=len(batch))
                await asyncio.sleep(1)
                for page in batch:
                    self._queue.put_nowait(page)

    async def _read(self, batch: list[Downloaded]) -> None:
        known = await self._sources.many({page.source_id for page in batch})
        work: list[tuple[Downloaded, KnownSource, PageWork]] = []
        for page in batch:
            body = await self._archive.get(page.body_key)
            source = known.get(page.source_id)
            if body is None or source is None:
                await self._ask_again(page)
            elif source.trouble is not None:
                await self._sink.put(Read(page, source.priority, source.trouble))
            else:
                work.append((page, source, source.work(page, body)))
        if not work:
            return
        try:
            digests = await self._pool.read([item for _, _, item in work], now=self._clock.now())
        except Unreadable:
            for page, source, item in work:
                await self._read_alone(page, source, item)
            return
        crash_points.reached("parse.after_extract")
        await self._discard(
            page.body_key for (page, _, _), result in zip(work, digests, strict=True) if result.noarchive
        )
        for (page, source, _), result in zip(work, digests, strict=True):
            await self._sink.put(Read(page, source.priority, result))

    async def _read_alone(self, page: Downloaded, source: KnownSource, work: PageWork) -> None:
        """A reader died over a batch: each page gets a reader of its own, so that only the guilty one pays."""
        crashes = page.crash_count
        while True:
            try:
                digests = await self._pool.read([work], now=self._clock.now())
            except Unreadable as error:
                crashes += 1
                await self._db.write(lambda db: pages.note_crash(db, page.id))
                if crashes >= _MOST_CRASHES:
                    log.warning("parse.unreadable", url=page.url, error=str(error))
                    return await self._sink.put(Read(page, source.priority, str(error)))
            else:
                await self._discard(page.body_key for digest in digests if digest.noarchive)
                return await self._sink.put(Read(page, source.priority, digests[0]))

    async def _discard(self, keys: Iterable[str]) -> None:
        """Forgets bodies that do not want to be kept, before anybody else can see them."""
        if unwanted := list(keys):
            await self._archive.discard(unwanted)

    async def _ask_again(self, page: Downloaded) -> None:
        """The body is gone from the archive: the page must be asked for once more, if its run is still open."""
        log.warning("parse.body_missing", url=page.url)
        self._in_hand.discard(page.id)
        row = pages.body_values(None) | {
            "page": page.id,
            "phase": Phase.PENDING,
            "lease_owner": None,
            "lease_until": None,
        }
        now = self._clock.now()

        async def work(db: Connection) -> None:
            is_open = await crawl_runs.lock_open(db, [page.run_id])
            if not is_open or not await pages.still_in(db, [page.id], Phase.DOWNLOADED):
                return
            await pages.save(db, [row])
            await hosts.wake(db, await pages.hosts_of(db, [page.id]), now=now)

        await self._db.write(work)
        self._bells.hosts.ring()


_NO_MORE = Downloaded(0, 0, 0, "", 0, None, "", None, None, None, 0)  # type: ignore[arg-type]
