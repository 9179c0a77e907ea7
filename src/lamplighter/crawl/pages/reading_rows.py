"""The rows of readings: records, new pages, and what became of the page itself."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeGuard

from lamplighter.crawl.pages.commit_state import CommitState
from lamplighter.crawl.pages.page_results import PageReading
from lamplighter.crawl.reading import announcements, feed_notes, link_admission
from lamplighter.crawl.reading.reader_messages import Digest
from lamplighter.crawl.reading.record_sink import RecordSink, SkippedRecord, skip_lines
from lamplighter.model.page import Phase
from lamplighter.model.reading import EMPTY_LIST, PageRole
from lamplighter.model.run_log import LogAction, LogLevel
from lamplighter.model.visit import SOFT_NOT_FOUND, Fault
from lamplighter.rules.change import revisit_delay
from lamplighter.rules.urls import scope
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import page_versions, pages
from lamplighter.store.pages.pages import Downloaded, PageBeforeVisit
from lamplighter.store.runs import run_log
from lamplighter.store.sources import list_positions


def was_read(result: Digest | str) -> TypeGuard[Digest]:
    """Whether there is a reading, of the page's content and not of an obstacle."""
    return isinstance(result, Digest) and result.obstacle is None


def _was_same(before: PageBeforeVisit) -> bool:
    """Whether the page is unchanged, and is read only for its links."""
    return before.links_due_at is not None


_NO_LEASE: dict[str, Any] = {"lease_owner": None, "lease_until": None}


class ReadingRows:
    """The part of a transaction that stores readings; a new instance for each try."""

    def __init__(self, state: CommitState) -> None:
        self._state = state
        #: run -> URLs that were offered to it
        self.offered: dict[int, set[tuple[PageRole, str]]] = {}
        #: pages that brought a new or changed record
        self.fruitful: set[int] = set()
        #: runs whose waiting pages may have room now
        self.lists: set[int] = set()
        #: page -> until when its feed says that it is fresh
        self._announced: dict[int, datetime] = {}
        #: page -> when an obstacle was fetched in its place
        self._walls: dict[int, datetime] = {}
        self._skips: list[SkippedRecord] = []
        #: pages with new, changed or other records
        self._with_news: set[int] = set()
        #: page -> when the first page to which it links may be due
        self._links_due: Mapping[int, datetime] = {}
        #: page -> how many further pages of its list are remembered as found on it
        self._held: Mapping[int, int] = {}

    async def write(self, db: Connection, live: Sequence[PageReading]) -> None:
        """Writes the readings of pages that wait to be read in an open run."""
        state = self._state
        self.lists = {read.page.run_id for read in live if read.page.role is not PageRole.LINK}
        await self._save_records(db, live)
        await self._admit(db, live)
        await self._save_pages(db, live)
        for read in live:
            if was_read(read.result) and read.result.changed_at:
                await announcements.hear(db, read.result.changed_at, planner=state.tools.planner, now=state.now)
            if state.tools.finds_feeds and was_read(read.result) and read.page.role is PageRole.SEED:
                await feed_notes.note(db, read.page.source_id, read.result.feeds, now=state.now)
        found = ((read.page.source_id, read.result.list_at) for read in live if was_read(read.result))
        await list_positions.save(db, [(source_id, at) for source_id, at in found if at is not None])
        for skip in self._skips:
            state.notes.of[skip.page.run_id].skip_record(skip.reason)
        state.notes.add(skip_lines(self._skips, now=state.now))

    async def _save_records(self, db: Connection, live: Sequence[PageReading]) -> None:
        sink = RecordSink(now=self._state.now, runs={run.id: run.started_at for run in self._state.runs.values()})
        partial = {read.page.id for read in live if was_read(read.result) and read.result.is_partial}
        shown = [(read.page, read.result.records) for read in live if was_read(read.result)]
        yielding = {read.page.id for read in live if was_read(read.result) and read.result.yields}
        await sink.save(db, shown, partial=partial, yielding=yielding)
        self.fruitful = sink.fruitful
        self._with_news = sink.fruitful | sink.restocked
        for run_id, by in sink.counts.items():
            self._state.count(run_id, **by)
        self._skips += sink.skips

    async def _save_pages(self, db: Connection, live: Sequence[PageReading]) -> None:
        before = self._state.before
        compared = [read for read in live if was_read(read.result) and before[read.page.id].content_hash is not None]
        await self._state.revisits.look(db, [read.page for read in compared])
        for page, _, result, lost in live:
            if isinstance(result, Digest):
                self._state.notes.of[page.run_id].read(result)
            if not isinstance(result, Digest):
                self._broken(page, result, lost, before[page.id])
            elif result.obstacle is not None:
                self._obstructed(page, result.obstacle, before[page.id])
            else:
                self._done(page, result, before[page.id])
        await self._state.save(db)
        await pages.stay_fresh(db, self._announced)
        await page_versions.take_back(db, self._walls)

    def _done(self, page: Downloaded, result: Digest, before: PageBeforeVisit) -> None:
        untitled = sum(skip.title is None for skip in result.skipped)
        count = len(result.skipped)
        self._state.count(page.run_id, records_found=count, records_skipped=count, empty_titles=untitled)
        self._skips += [SkippedRecord(page, skip.title, skip.reason) for skip in result.skipped]
        for warning in result.warnings:
            level = LogLevel.INFO if warning.startswith(EMPTY_LIST) else LogLevel.WARNING
            self._note(page, LogAction.PARSE_NOTED, warning, level=level)
        if self._state.notes.is_wordy:
            self._log_reading(page, result)
        row = _NO_LEASE | {
            "page": page.id,
            "phase": Phase.COMPLETED,
            "content_hash": result.content_hash,
            # A page that is not read again would be kept against its directives, and its faults would not be noted.
            "seen_hash": None if result.noarchive or result.warnings else result.seen_hash or None,
            "usage": result.usage,
            "links_due_at": self._lead_again_at(page, result),
        }
        if result.ttl is not None:
            self._announced[page.id] = self._state.now + result.ttl
        is_changed = before.content_hash != result.content_hash and not _was_same(before)
        # Records decide what is new: a page may have a visitor counter, or show another picture each time.
        is_news = is_changed and (page.id in self._with_news or not result.records)
        revisit = self._state.revisits.after_reading(page, is_changed=is_news, now=self._state.now)
        if is_news and before.content_hash is not None:
            self._state.count(page.run_id, pages_changed=1)
        if is_changed:
            self._state.add("changed", row | revisit | {"changed_at": self._state.now})
        else:
            self._state.add("same", row | revisit)

    def _lead_again_at(self, page: Downloaded, result: Digest) -> datetime | None:
        # A body that must not be archived cannot be read again.
        # To the further pages that are remembered it leads without being read (`waiting_pages.hold_listings`).
        leads_on = (result.links or len(result.listings) > self._held.get(page.id, 0)) and not result.noarchive
        return revisit_delay.lead_again_at(self._links_due.get(page.id), now=self._state.now) if leads_on else None

    def _not_fetched(self, page: Downloaded, before: PageBeforeVisit) -> None:
        """Counts a page as failed that was counted as fetched."""
        self._state.count(
            page.run_id, pages_failed=1, **{"pages_unchanged" if _was_same(before) else "pages_fetched": -1}
        )

    def _broken(self, page: Downloaded, detail: str, lost: int, before: PageBeforeVisit) -> None:
        fault = Fault.UNSTORABLE if lost else Fault.UNREADABLE
        self._not_fetched(page, before)
        self._state.count(page.run_id, records_found=lost, records_failed=lost)
        # Without a content hash it counts as unread: after the next 304 this body is read again.
        unread = {"phase": Phase.FAILED, "content_hash": None, "reason": str(fault), "detail": detail}
        revisit = self._state.revisits.after_nothing_said(page, at=before.fetched_at or self._state.now)
        self._state.add("broken", _NO_LEASE | {"page": page.id} | unread | revisit)
        self._state.notes.of[page.run_id].broken(fault, detail)
        self._note(page, LogAction.PAGE_UNREADABLE, f"{fault}: {detail}", lost=lost or None)

    def _obstructed(self, page: Downloaded, obstacle: str, before: PageBeforeVisit) -> None:
        """Keeps what was read before; drops only the body, so that the page is fetched in full."""
        at = before.fetched_at or self._state.now
        self._walls[page.id] = at
        self._not_fetched(page, before)
        failed = {"phase": Phase.FAILED, "reason": str(Fault.OBSTRUCTED), "detail": obstacle}
        is_missing = obstacle == SOFT_NOT_FOUND
        revisit = (self._state.revisits.after_missing if is_missing else self._state.revisits.after_nothing_said)(
            page, at=at
        )
        self._state.add("obstructed", _NO_LEASE | {"page": page.id} | failed | pages.body_values(None) | revisit)
        self._state.notes.of[page.run_id].broken(Fault.OBSTRUCTED, obstacle)
        self._note(page, LogAction.PAGE_OBSTRUCTED, f"{Fault.OBSTRUCTED}: {obstacle}", obstacle=obstacle)

    async def _admit(self, db: Connection, live: Sequence[PageReading]) -> None:
        runs = self._state.runs
        found: dict[int, dict[tuple[PageRole, str], link_admission.DiscoveredUrl]] = defaultdict(dict)
        priorities: dict[int, int] = {}
        for page, priority, result, _ in live:
            if not was_read(result):
                continue
            priorities[page.run_id] = priority
            circling = self._state.tools.memory.is_going_in_circles(page.run_id)
            figures = self._state.notes.of[page.run_id]
            figures.skip("going_in_circles", len(result.links) if circling else 0)
            for role, links in ((PageRole.LISTING, result.listings), (PageRole.LINK, [] if circling else result.links)):
                depth = scope.depth_of(role, found_at=page.depth)
                new = self._state.tools.memory.not_offered(page.run_id, role, links)
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
        admitted = await link_admission.admit(db, offers, now=self._state.now, read=roles)
        self._state.woken |= admitted.woken
        self._links_due, self._held = admitted.due, admitted.held
        for run_id, left in admitted.left.items():
            for reason, count in left.items():
                self._state.notes.of[run_id].skip(reason, count)
            if self._state.notes.is_wordy and (beyond := left["page_budget"]):
                message = f"links not followed: {beyond}; the run may fetch {runs[run_id].page_budget} pages"
                self._state.notes.add(
                    [run_log.line(run_id, LogAction.LINKS_LEFT, message, at=self._state.now, links=beyond)]
                )

    def _note(self, page: Downloaded, action: LogAction, message: str, **fields: Any) -> None:
        self._state.notes.of[page.run_id].noted(message)
        self._state.notes.say(page, action, message, **fields)

    def _log_reading(self, page: Downloaded, result: Digest) -> None:
        cpu_ms = result.effort.cpu_ms if result.effort is not None else None
        found = {"records": len(result.records), "links": len(result.links) + len(result.listings)}
        message = f"records: {found['records']}, links to follow: {found['links']}"
        self._state.notes.say(page, LogAction.PAGE_READ, message, **found, skipped=len(result.skipped), cpu_ms=cpu_ms)
