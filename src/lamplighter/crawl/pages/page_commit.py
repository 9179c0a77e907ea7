"""The transaction that stores pages: visits and readings, records, links, hosts, counters and finished runs."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from lamplighter import crash_points, telemetry
from lamplighter.crawl.fetching import redirects
from lamplighter.crawl.fetching.page_revisits import PageRevisits
from lamplighter.crawl.fetching.page_versioning import note_bodies
from lamplighter.crawl.fetching.page_visits import PageVisit, RetryLimits
from lamplighter.crawl.pages.commit_state import CommitState
from lamplighter.crawl.pages.page_results import PageReading, PageResult
from lamplighter.crawl.pages.reading_rows import ReadingRows
from lamplighter.crawl.pages.visit_rows import VisitRows
from lamplighter.crawl.runs import page_release
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.model.host import Host
from lamplighter.model.page import HeldBody, Page, Phase
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import pages, tasks
from lamplighter.store.pages.pages import Downloaded, PageBeforeVisit
from lamplighter.store.runs import crawl_runs
from lamplighter.store.runs.crawl_runs import OpenRun

log = telemetry.logger("pages")


class PageCommit:
    """One transaction; all state is rebuilt when it is tried again."""

    def __init__(self, *, now: datetime, limits: RetryLimits, saved_hosts: Mapping[int, Host], tools: RunTools) -> None:
        self.now = now
        self._limits = limits
        self._saved_hosts = saved_hosts
        self._tools = tools

    async def write(self, db: Connection, batch: Sequence[PageResult]) -> None:
        """Writes what was fetched under a lease that we still have, and what was read, for runs that are open."""
        visits = [result.visited for result in batch if result.visited is not None]
        reads = {result.reading.page.id: result.reading for result in batch if result.reading is not None}
        leases = {each.visited.page.id: each.lease for each in batch if each.visited is not None and each.lease}
        visited_pages = {visited.page.id: visited.page for visited in visits}
        tokens = await hosts.lease_tokens(db, [visited.host.id for visited in visits]) if visits else {}
        self.runs: dict[int, OpenRun] = await crawl_runs.lock_open(db, _runs_of(visited_pages.values(), reads.values()))
        before = await pages.still_open(db, visited_pages.keys() | reads.keys())
        self.learnt: dict[int, Host] = {}
        taken = await self._taken(db, visits, tokens, before)
        await hosts.save_learnt(db, self.learnt.values(), now=self.now)
        self.bodies: dict[int, HeldBody] = await note_bodies(db, taken, waiting=before) if taken else {}
        revisits = PageRevisits(before, now=self.now)
        state = CommitState(self._tools, now=self.now, runs=self.runs, before=before, revisits=revisits)
        fetched = VisitRows(state, limits=self._limits, bodies=self.bodies)
        if taken:
            await revisits.look(db, [each.page for each in taken if each.page.id not in reads and each.is_same])
            await fetched.write(db, taken, readings=reads, leases=leases)
        live = [read for read in reads.values() if read.page.run_id in self.runs and _waits(state, read.page)]
        self.readings = ReadingRows(state)
        if live:
            await self.readings.write(db, live)
        for run_id, by in revisits.counts.items():
            state.count(run_id, **by)
        await state.notes.write(db, self.runs, state.counts)
        crash_points.reached("store.before_commit")
        ended = await redirects.ended(db, state.ended, visited_pages | {read.page.id: read.page for read in live})
        await self._tools.notice_writer.pages_ended(db, ended, now=self.now)
        lists = fetched.lists | self.readings.lists
        self.woken = state.woken | (await page_release.release(db, lists, now=self.now) if lists else set())
        self.downloads: list[Downloaded] = fetched.downloads
        self.finished = await finish_done(
            db, self.runs, now=self.now, planner=self._tools.planner, notice_writer=self._tools.notice_writer
        )

    async def _taken(
        self,
        db: Connection,
        visits: Iterable[PageVisit],
        tokens: Mapping[int, int],
        before: Mapping[int, PageBeforeVisit],
    ) -> list[PageVisit]:
        """The visits whose host we still lease, whose run is open and whose page is still pending."""
        waiting = {page_id for page_id, there in before.items() if there.phase is Phase.PENDING}
        taken, too_late = list[PageVisit](), list[int]()
        for visited in visits:
            page, host = visited.page, visited.host
            if tokens.get(host.id) != host.lease_token:
                log.warning("fetch.fenced", url=page.url, host=host.key)
                continue
            if self._saved_hosts.get(host.id) != host:
                self.learnt[host.id] = host
            # Another run may have taken the page, and fetches it itself.
            if page.id not in waiting or before[page.id].run_id != page.run_id:
                continue
            waiting.discard(page.id)
            if page.run_id in self.runs:
                taken.append(visited)
            else:  # its run is over: left pending, it would be fetched again and again
                too_late.append(page.id)
        if too_late:
            ended = {"phase": Phase.FAILED, "reason": "run_ended"}
            ended["detail"] = "its run had ended when the response came"
            await pages.save(db, [{"page": page_id} | ended for page_id in too_late])
            await tasks.put_back_pages(db, too_late, now=self.now)
        return taken


def _runs_of(visited: Iterable[Page], reads: Iterable[PageReading]) -> set[int]:
    return {page.run_id for page in visited} | {read.page.run_id for read in reads}


def _waits(state: CommitState, page: Downloaded) -> bool:
    there = state.before.get(page.id)
    return there is not None and there.phase is Phase.DOWNLOADED
