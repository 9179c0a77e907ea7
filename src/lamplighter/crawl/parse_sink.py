"""Where the parse phase's results become durable: records, new pages and the page's own phase, in one transaction."""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter import crash_points
from lamplighter.crawl import admission
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.digest import Digest
from lamplighter.crawl.finish import finish_done
from lamplighter.crawl.run_memory import RunMemory
from lamplighter.model.page import Phase
from lamplighter.model.reading import Role
from lamplighter.model.record import Record
from lamplighter.model.visit import Fault
from lamplighter.normalise import merging
from lamplighter.ports import Clock
from lamplighter.rules import frontier
from lamplighter.store import crawl_runs, pages, records, run_log
from lamplighter.store.crawl_runs import OpenRun
from lamplighter.store.database import Connection, Database
from lamplighter.store.pages import Downloaded


class Read(NamedTuple):
    """A page that was read, or could not be."""

    page: Downloaded
    #: of the crawl job
    priority: int
    #: a Digest, or why there is none
    result: Digest | str


def unstorable(read: Read, error: Exception) -> Read:
    """What is stored of a reading that could not be."""
    return read._replace(result=f"what was read could not be stored: {type(error).__name__}")


class ParseSink:
    """Commits batches of readings."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        bells: Bells,
        memory: RunMemory,
        settled: Callable[[Sequence[Read], set[int]], None],
    ) -> None:
        self._db = db
        self._clock = clock
        self._bells = bells
        self._memory = memory
        self._settled = settled

    async def commit(self, batch: Sequence[Read]) -> None:
        """Makes a batch durable, then tells those who wait for it."""
        flush = _Flush(now=self._clock.now(), memory=self._memory)
        await self._db.write(lambda db: flush.write(db, batch))
        crash_points.reached("parse.after_commit")
        self._remember(batch, flush)
        self._settled(batch, flush.woken)
        if flush.finished:
            crash_points.reached("finish.after_commit")
            self._bells.finished.ring()

    def _remember(self, batch: Sequence[Read], flush: "_Flush") -> None:
        for run_id, urls in flush.offered.items():
            self._memory.offered(run_id, urls)
        for page, _, result in batch:
            if isinstance(result, Digest):
                self._memory.read(page.run_id, result.content_hash, brought_records=page.id in flush.fruitful)
        for run_id in flush.finished:
            self._memory.forget(run_id)


def _is_better(record: Record, page: Downloaded, stored: records.Stored) -> bool:
    return merging.supersedes(
        record,
        page.id,
        stored_hash=stored.content_hash,
        stored_quality=stored.quality,
        stored_page_id=stored.page_id,
    )


class _Flush:
    """One transaction's work; everything is rebuilt when the transaction is repeated."""

    def __init__(self, *, now: datetime, memory: RunMemory) -> None:
        self.now = now
        self._memory = memory

    async def write(self, db: Connection, batch: Sequence[Read]) -> None:
        """Writes every page that still waits to be read and whose run is open."""
        self.woken: set[int] = set()
        self.finished: list[int] = []
        #: run -> URLs it has decided about
        self.offered: dict[int, set[tuple[Role, str]]] = {}
        #: pages that brought a new or changed record
        self.fruitful: set[int] = set()
        self._counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self._lines: list[dict[str, Any]] = []
        runs = await crawl_runs.lock_open(db, [read.page.run_id for read in batch])
        waiting = await pages.still_in(db, [read.page.id for read in batch], Phase.DOWNLOADED)
        live = [read for read in batch if read.page.id in waiting and read.page.run_id in runs]
        await self._save_records(db, live)
        await self._save_pages(db, live, waiting)
        await self._admit(db, runs, live)
        await crawl_runs.add_up(db, self._counts)
        await run_log.write(db, self._lines)
        crash_points.reached("parse.before_commit")
        self.finished = await finish_done(db, runs, now=self.now, draw=random.random)

    async def _save_records(self, db: Connection, live: Sequence[Read]) -> None:
        found = [
            (read.page, record) for read in live if isinstance(read.result, Digest) for record in read.result.records
        ]
        best: dict[str, tuple[Downloaded, Record]] = {}
        for page, record in found:
            counts = self._counts[page.run_id]
            counts["records_found"] += 1
            rival = best.get(record.canonical_hash)
            if rival is not None:
                counts["records_unchanged"] += 1
            if rival is None or record.quality > rival[1].quality:
                best[record.canonical_hash] = (page, record)
        known = await records.known(db, list(best))
        new: list[tuple[int, int, Record]] = []
        changed: list[tuple[int, int, Record]] = []
        seen: list[int] = []
        for page, record in best.values():
            stored = known.get(record.canonical_hash)
            counts = self._counts[page.run_id]
            if stored is None:
                counts["records_inserted"] += 1
                self.fruitful.add(page.id)
                new.append((page.source_id, page.id, record))
            elif _is_better(record, page, stored):
                counts["records_updated"] += 1
                self.fruitful.add(page.id)
                changed.append((stored.id, page.id, record))
            else:
                counts["records_unchanged"] += 1
                seen.append(stored.id)
        await records.add(db, new, now=self.now)
        await records.change(db, changed, now=self.now)
        await records.touch(db, seen, now=self.now)

    async def _save_pages(self, db: Connection, live: Sequence[Read], before: Mapping[int, str | None]) -> None:
        changed, same, broken = [], [], []
        for read in live:
            page, result, counts = read.page, read.result, self._counts[read.page.run_id]
            done: dict[str, Any] = {"page": page.id, "lease_owner": None, "lease_until": None}
            if not isinstance(result, Digest):
                counts["pages_failed"] += 1
                counts["pages_fetched"] -= 1
                # Without a content hash it counts as unread: the next 304 will have this very body read again.
                unread = {"content_hash": None, "reason": str(Fault.UNREADABLE), "detail": result}
                broken.append(done | {"phase": Phase.FAILED} | unread)
                self._log(page, "parse", f"{Fault.UNREADABLE}: {result}")
                continue
            counts["records_skipped"] += len(result.skipped)
            counts["records_found"] += len(result.skipped)
            for skip in result.skipped:
                self._log(page, "record", f"skipped {skip.title or 'a record without title'}: {skip.reason}")
            for warning in result.warnings:
                self._log(page, "parse", warning)
            done |= {"phase": Phase.COMPLETED, "content_hash": result.content_hash}
            if before[page.id] == result.content_hash:
                same.append(done)
            else:
                counts["pages_changed"] += 1
                changed.append(done | {"changed_at": self.now})
        for rows in (changed, same, broken):
            await pages.save(db, rows)

    async def _admit(self, db: Connection, runs: Mapping[int, OpenRun], live: Sequence[Read]) -> None:
        found: dict[int, dict[tuple[Role, str], admission.Found]] = defaultdict(dict)
        priorities: dict[int, int] = {}
        for page, priority, result in live:
            if not isinstance(result, Digest):
                continue
            priorities[page.run_id] = priority
            circling = self._memory.is_going_in_circles(page.run_id)
            for role, links in ((Role.LISTING, result.listings), (Role.LINK, [] if circling else result.links)):
                depth = frontier.depth_of(role, found_at=page.depth)
                for url in self._memory.not_offered(page.run_id, role, links):
                    found[page.run_id].setdefault((role, url), admission.Found(url, role, depth, page.id))
        self.offered = {run_id: set(by_url) for run_id, by_url in found.items()}
        offers = [
            admission.Offer(runs[run_id], priorities[run_id], list(by_url.values())) for run_id, by_url in found.items()
        ]
        self.woken = await admission.admit(db, offers, now=self.now)

    def _log(self, page: Downloaded, category: str, message: str) -> None:
        self._lines.append(
            run_log.line(page.run_id, at=self.now, level="warning", category=category, message=message, url=page.url)
        )
