"""Stores the parse phase's results: records, new pages and the page's phase, in one transaction."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple, TypeGuard

from lamplighter import crash_points
from lamplighter.crawl.fetching import redirects
from lamplighter.crawl.fetching.page_revisits import PageRevisits
from lamplighter.crawl.process import spans
from lamplighter.crawl.reading import announcements, feed_notes, link_admission
from lamplighter.crawl.reading.reader_messages import Digest
from lamplighter.crawl.reading.record_sink import RecordSink, SkippedRecord, skip_lines
from lamplighter.crawl.runs import page_release
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.crawl.runs.run_notes import RunNotes
from lamplighter.model.page import Phase
from lamplighter.model.reading import EMPTY_LIST, PageRole
from lamplighter.model.run_log import LogAction, LogLevel
from lamplighter.model.visit import SOFT_NOT_FOUND, Fault
from lamplighter.ports import Clock
from lamplighter.rules.change import revisit_delay
from lamplighter.rules.urls import scope
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import page_versions, pages
from lamplighter.store.pages.pages import Downloaded, PageBeforeVisit
from lamplighter.store.runs import crawl_runs, run_log
from lamplighter.store.runs.crawl_runs import OpenRun


class PageReading(NamedTuple):
    """A page with its reading, or the error."""

    page: Downloaded
    #: of the crawl job
    priority: int
    #: a Digest, or why there is none
    result: Digest | str
    #: records that were read, but could not be stored
    lost: int = 0


def unstorable(read: PageReading, error: Exception) -> PageReading:
    """The reading for a page that cannot be stored."""
    lost = len(read.result.records) + len(read.result.skipped) if isinstance(read.result, Digest) else 0
    return read._replace(result=f"the extracted data could not be stored: {type(error).__name__}", lost=lost)


def _was_read(result: Digest | str) -> TypeGuard[Digest]:
    return isinstance(result, Digest) and result.obstacle is None


def _was_same(before: PageBeforeVisit) -> bool:
    """Whether the page is unchanged, and is read only for its links."""
    return before.links_due_at is not None


_NO_LEASE: dict[str, Any] = {"lease_owner": None, "lease_until": None}


class ParseSink:
    """Commits batches of readings."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        tools: RunTools,
        settled: Callable[[Sequence[PageReading], set[int]], None],
    ) -> None:
        self._db = db
        self._clock = clock
        self._tools = tools
        self._settled = settled

    async def commit(self, batch: Sequence[PageReading]) -> None:
        """Stores a batch, then notifies the waiting phases."""
        flush = _Flush(self._tools, now=self._clock.now())
        await self._db.write(lambda db: flush.write(db, batch))
        spans.of_reads(batch, flush.runs, began_at=flush.now, now=self._clock.now())
        crash_points.reached("parse.after_commit")
        self._remember(batch, flush)
        self._settled(batch, flush.woken)
        if flush.finished:
            crash_points.reached("finish.after_commit")

    def _remember(self, batch: Sequence[PageReading], flush: "_Flush") -> None:
        for run_id, urls in flush.offered.items():
            self._tools.memory.offered(run_id, urls)
        for page, _, result, _ in batch:
            if _was_read(result):
                self._tools.memory.read(page.run_id, result.content_hash, brought_records=page.id in flush.fruitful)
        for run_id in flush.finished:
            self._tools.memory.forget(run_id)


class _Flush:
    """One transaction; all state is rebuilt when the transaction is retried."""

    def __init__(self, tools: RunTools, *, now: datetime) -> None:
        self.now = now
        self._tools = tools

    async def write(self, db: Connection, batch: Sequence[PageReading]) -> None:
        """Writes every page that still waits to be read in an open run."""
        self.woken: set[int] = set()
        self.finished: list[int] = []
        #: run -> URLs that were offered to it
        self.offered: dict[int, set[tuple[PageRole, str]]] = {}
        #: pages that brought a new or changed record
        self.fruitful: set[int] = set()
        self._counts: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(int))
        self._saves: dict[str, list[dict[str, Any]]] = defaultdict(list)
        #: page -> until when its feed says that it is fresh
        self._announced: dict[int, datetime] = {}
        #: page -> when an obstacle was fetched in its place
        self._walls: dict[int, datetime] = {}
        self._notes = RunNotes(self._tools.keeping, now=self.now)
        self._skips: list[SkippedRecord] = []
        self.runs = runs = await crawl_runs.lock_open(db, [read.page.run_id for read in batch])
        waiting = await pages.still_in(db, [read.page.id for read in batch], Phase.DOWNLOADED)
        live = [read for read in batch if read.page.id in waiting and read.page.run_id in runs]
        await self._save_records(db, live)
        await self._admit(db, runs, live)
        await self._save_pages(db, live, waiting)
        for read in live:
            if _was_read(read.result) and read.result.changed_at:
                await announcements.hear(db, read.result.changed_at, planner=self._tools.planner, now=self.now)
            if self._tools.finds_feeds and _was_read(read.result) and read.page.role is PageRole.SEED:
                await feed_notes.note(db, read.page.source_id, read.result.feeds, now=self.now)
        for skip in self._skips:
            self._notes.of[skip.page.run_id].skip_record(skip.reason)
        self._notes.add(skip_lines(self._skips, now=self.now))
        await self._notes.write(db, runs, self._counts)
        crash_points.reached("parse.before_commit")
        parsed = {read.page.id: read.page for read in live}
        ended = await redirects.ended(db, chain.from_iterable(self._saves.values()), parsed)
        await self._tools.notice_writer.pages_ended(db, ended, now=self.now)
        lists = {read.page.run_id for read in live if read.page.role is not PageRole.LINK}
        self.woken |= await page_release.release(db, lists, now=self.now)
        self.finished = await finish_done(
            db, runs, now=self.now, planner=self._tools.planner, notice_writer=self._tools.notice_writer
        )

    async def _save_records(self, db: Connection, live: Sequence[PageReading]) -> None:
        sink = RecordSink(now=self.now, runs={run.id: run.started_at for run in self.runs.values()})
        partial = {read.page.id for read in live if _was_read(read.result) and read.result.is_partial}
        shown = [(read.page, read.result.records) for read in live if _was_read(read.result)]
        yielding = {read.page.id for read in live if _was_read(read.result) and read.result.yields}
        await sink.save(db, shown, partial=partial, yielding=yielding)
        self.fruitful = sink.fruitful
        self._with_news = sink.fruitful | sink.restocked
        for run_id, by in sink.counts.items():
            self._add(run_id, **by)
        self._skips += sink.skips

    async def _save_pages(
        self, db: Connection, live: Sequence[PageReading], waiting: Mapping[int, PageBeforeVisit]
    ) -> None:
        compared = [
            read.page for read in live if _was_read(read.result) and waiting[read.page.id].content_hash is not None
        ]
        self._revisits = await PageRevisits.of(db, waiting, compared=compared, now=self.now)
        for page, _, result, lost in live:
            before = waiting[page.id]
            if isinstance(result, Digest):
                self._notes.of[page.run_id].read(result)
            if not isinstance(result, Digest):
                self._broken(page, result, lost, before)
            elif result.obstacle is not None:
                self._obstructed(page, result.obstacle, before)
            else:
                self._done(page, result, before)
        for run_id, by in self._revisits.counts.items():
            self._add(run_id, **by)
        for rows in self._saves.values():
            await pages.save(db, rows)
        await pages.stay_fresh(db, self._announced)
        await page_versions.take_back(db, self._walls)

    def _done(self, page: Downloaded, result: Digest, before: PageBeforeVisit) -> None:
        untitled = sum(skip.title is None for skip in result.skipped)
        count = len(result.skipped)
        self._add(page.run_id, records_found=count, records_skipped=count, empty_titles=untitled)
        self._skips += [SkippedRecord(page, skip.title, skip.reason) for skip in result.skipped]
        for warning in result.warnings:
            level = LogLevel.INFO if warning.startswith(EMPTY_LIST) else LogLevel.WARNING
            self._note(page, LogAction.PARSE_NOTED, warning, level=level)
        if self._notes.is_wordy:
            self._log_reading(page, result)
        row = _NO_LEASE | {
            "page": page.id,
            "phase": Phase.COMPLETED,
            "content_hash": result.content_hash,
            "usage": result.usage,
            "links_due_at": self._lead_again_at(page, result),
        }
        if result.ttl is not None:
            self._announced[page.id] = self.now + result.ttl
        is_changed = before.content_hash != result.content_hash and not _was_same(before)
        # Records decide what is new: a page may have a visitor counter, or show another picture each time.
        is_news = is_changed and (page.id in self._with_news or not result.records)
        revisit = self._revisits.after_reading(page, is_changed=is_news, now=self.now)
        if is_news and before.content_hash is not None:
            self._add(page.run_id, pages_changed=1)
        if is_changed:
            self._saves["changed"].append(row | revisit | {"changed_at": self.now})
        else:
            self._saves["same"].append(row | revisit)

    def _lead_again_at(self, page: Downloaded, result: Digest) -> datetime | None:
        # A body that must not be archived cannot be read again.
        leads_on = (result.links or result.listings) and not result.noarchive
        return revisit_delay.lead_again_at(self._links_due.get(page.id), now=self.now) if leads_on else None

    def _not_fetched(self, page: Downloaded, before: PageBeforeVisit) -> None:
        """Counts a page as failed that was counted as fetched."""
        self._add(page.run_id, pages_failed=1, **{"pages_unchanged" if _was_same(before) else "pages_fetched": -1})

    def _broken(self, page: Downloaded, detail: str, lost: int, before: PageBeforeVisit) -> None:
        fault = Fault.UNSTORABLE if lost else Fault.UNREADABLE
        self._not_fetched(page, before)
        self._add(page.run_id, records_found=lost, records_failed=lost)
        # Without a content hash it counts as unread: after the next 304 this body is read again.
        unread = {"phase": Phase.FAILED, "content_hash": None, "reason": str(fault), "detail": detail}
        revisit = self._revisits.after_nothing_said(page, at=before.fetched_at or self.now)
        self._saves["broken"].append(_NO_LEASE | {"page": page.id} | unread | revisit)
        self._notes.of[page.run_id].broken(fault, detail)
        self._note(page, LogAction.PAGE_UNREADABLE, f"{fault}: {detail}", lost=lost or None)

    def _obstructed(self, page: Downloaded, obstacle: str, before: PageBeforeVisit) -> None:
        """Keeps what was read before; drops only the body, so that the page is fetched in full."""
        at = before.fetched_at or self.now
        self._walls[page.id] = at
        self._not_fetched(page, before)
        failed = {"phase": Phase.FAILED, "reason": str(Fault.OBSTRUCTED), "detail": obstacle}
        is_missing = obstacle == SOFT_NOT_FOUND
        revisit = (self._revisits.after_missing if is_missing else self._revisits.after_nothing_said)(page, at=at)
        self._saves["obstructed"].append(_NO_LEASE | {"page": page.id} | failed | pages.body_values(None) | revisit)
        self._notes.of[page.run_id].broken(Fault.OBSTRUCTED, obstacle)
        self._note(page, LogAction.PAGE_OBSTRUCTED, f"{Fault.OBSTRUCTED}: {obstacle}", obstacle=obstacle)

    async def _admit(self, db: Connection, runs: Mapping[int, OpenRun], live: Sequence[PageReading]) -> None:
        found: dict[int, dict[tuple[PageRole, str], link_admission.DiscoveredUrl]] = defaultdict(dict)
        priorities: dict[int, int] = {}
        for page, priority, result, _ in live:
            if not _was_read(result):
                continue
            priorities[page.run_id] = priority
            circling = self._tools.memory.is_going_in_circles(page.run_id)
            figures = self._notes.of[page.run_id]
            figures.skip("going_in_circles", len(result.links) if circling else 0)
            for role, links in ((PageRole.LISTING, result.listings), (PageRole.LINK, [] if circling else result.links)):
                depth = scope.depth_of(role, found_at=page.depth)
                new = self._tools.memory.not_offered(page.run_id, role, links)
                figures.skip("duplicate", len(links) - len(new))
                for url in new:
                    changed_at = result.changed_at.get(url)
                    item = link_admission.DiscoveredUrl(url, role, depth, page.id, changed_at=changed_at)
                    found[page.run_id].setdefault((role, url), item)
        self.offered = {run_id: set(by_url) for run_id, by_url in found.items()}
        offers = [
            link_admission.Offer(runs[run_id], priorities[run_id], list(by_url.values()))
            for run_id, by_url in found.items()
        ]
        roles = {read.page.id: read.page.role for read in live}
        admitted = await link_admission.admit(db, offers, now=self.now, read=roles)
        self.woken, self._links_due = admitted.woken, admitted.due
        for run_id, left in admitted.left.items():
            for reason, count in left.items():
                self._notes.of[run_id].skip(reason, count)
            if self._notes.is_wordy and (beyond := left["page_budget"]):
                message = f"links not followed: {beyond}; the run may fetch {runs[run_id].page_budget} pages"
                self._notes.add([run_log.line(run_id, LogAction.LINKS_LEFT, message, at=self.now, links=beyond)])

    def _add(self, run_id: int, **by: float) -> None:
        counts = self._counts[run_id]
        for name, more in by.items():
            counts[name] += more

    def _note(self, page: Downloaded, action: LogAction, message: str, **fields: Any) -> None:
        self._notes.of[page.run_id].noted(message)
        self._notes.say(page, action, message, **fields)

    def _log_reading(self, page: Downloaded, result: Digest) -> None:
        cpu_ms = result.effort.cpu_ms if result.effort is not None else None
        found = {"records": len(result.records), "links": len(result.links) + len(result.listings)}
        message = f"records: {found['records']}, links to follow: {found['links']}"
        self._notes.say(page, LogAction.PAGE_READ, message, **found, skipped=len(result.skipped), cpu_ms=cpu_ms)
