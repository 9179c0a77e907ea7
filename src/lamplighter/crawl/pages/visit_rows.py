"""The rows of visits: what was fetched, what was not and why, and where redirects lead."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, assert_never

from lamplighter.crawl.fetching import proxy_waits, redirects
from lamplighter.crawl.fetching.page_visits import (
    PageVisit,
    ParseLease,
    RetryLimits,
    downloaded,
    log_action,
    log_after_commit,
)
from lamplighter.crawl.pages.commit_state import CommitState
from lamplighter.crawl.pages.page_results import PageReading
from lamplighter.crawl.reading import link_admission
from lamplighter.fetch.fetcher import too_many_redirects
from lamplighter.model.crawl import Trigger
from lamplighter.model.page import HeldBody, Page, Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.run_log import LogAction
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refusal, Refused
from lamplighter.rules.hosts import politeness
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import pages, tasks, waiting_pages
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.runs.run_pages import FOR_GOOD

#: a shorter wait for a host's turn is not worth a line
_MILLISECOND = timedelta(milliseconds=1)
_NOT_THERE = (Fault.NOT_FOUND, Fault.GONE)
#: faults that the next run would meet again: such a page gets a revisit delay like a fetched one
_NOT_FOR_US = (Fault.CONTENT_TYPE, Fault.TOO_LARGE, Fault.CLIENT_ERROR, Fault.BAD_REDIRECT)
#: client errors that may pass: request timeout, too early
_PASSING = (408, 425)
#: unavailable for legal reasons: handled like a page that is gone
_WITHHELD = 451


class VisitRows:
    """The part of a transaction that stores visits; a new instance for each try."""

    def __init__(self, state: CommitState, *, limits: RetryLimits, bodies: Mapping[int, HeldBody]) -> None:
        self._state = state
        self._limits = limits
        #: page -> its body after the visit
        self._bodies = bodies
        #: pages that are stored before they are read
        self.downloads: list[Downloaded] = []
        #: runs whose waiting pages may have room now
        self.lists: set[int] = set()
        #: URL -> why a chain of redirects ended there without a page, by run
        self._chain_ends: dict[int, dict[str, str]] = defaultdict(dict)
        self._redirects: dict[int, list[tuple[Page, link_admission.DiscoveredUrl]]] = defaultdict(list)
        self._unchanged: list[int] = []
        self._without_start: list[int] = []
        #: visits without a request because no proxy was available
        self._without_proxy: list[PageVisit] = []
        #: page -> the proxy of its request; None without one
        self._proxies: dict[int, int | None] = {}

    async def write(
        self,
        db: Connection,
        taken: Sequence[PageVisit],
        *,
        readings: Mapping[int, PageReading],
        leases: Mapping[int, ParseLease],
    ) -> None:
        """Writes visits; the rows of pages in `readings` are left in the state, to be written with what was read."""
        state = self._state
        self._readings, self._leases = readings, leases
        self._proxies = {visited.page.id: visited.proxy_id for visited in taken}
        # A page of the list was fetched, or was not.
        self.lists = {visited.page.run_id for visited in taken if visited.page.role is not PageRole.LINK}
        for visited in taken:
            self._write_visit(visited)
        await state.save(db)
        served = {each.host.id for each in taken if each.proxy_id}
        await proxy_waits.wait(db, self._without_proxy, served=served, now=state.now)
        for run_id in self._without_start:  # its run is over: submitted pages in it get another
            await tasks.put_back(db, run_id, now=state.now)
        await self._follow(db)
        for run_id, ends in self._chain_ends.items():
            await redirects.fail_origins(db, run_id, ends, now=state.now)

    def _write_visit(self, visited: PageVisit) -> None:
        page, visit = visited.page, visited.visit
        self._state.notes.of[page.run_id].visited(visit, waited=visited.waited, repeats=visited.repeats)
        log_after_commit(visited)
        if visited.waited_ms is not None and self._state.notes.is_wordy:
            waited_ms, host = visited.waited_ms, visited.host.key
            message = f"waited {waited_ms} ms for the turn of {host}"
            self._state.notes.say(page, LogAction.TURN_WAITED, message, waited_ms=waited_ms, host=host)
        match visit:
            case Fetched():
                self._fetched(visited, visit)
            case NotModified():
                self._not_modified(visited, visit)
            case Redirected() if page.hops >= self._limits.max_redirects:
                failed = too_many_redirects(visit, limit=self._limits.max_redirects)
                self._not_fetched(visited, failed, redirected_to=visit.target)
                self._chain_ends[page.run_id][page.url] = failed.detail
            case Redirected():
                self._redirected(page, visit, visited.allowed_by)
            case Failed() | Refused():
                self._not_fetched(visited, visit)
            case _:
                assert_never(visit)

    def _fetched(self, visited: PageVisit, visit: Fetched) -> None:
        page = visited.page
        counts = self._state.counts[page.run_id]
        counts["bytes_fetched"] += len(visit.body)
        is_same = visited.is_same
        counts["pages_unchanged" if is_same else "pages_fetched"] += 1
        self._log_fetch(page, LogAction.PAGE_UNCHANGED if is_same else LogAction.PAGE_FETCHED, visit, visit.status)
        self._take_body(visited, visit, {"status": visit.status, "size_bytes": len(visit.body)}, is_same=is_same)

    def _take_body(
        self, visited: PageVisit, visit: Fetched | NotModified, values: dict[str, Any], *, is_same: bool
    ) -> None:
        """Has the page parsed, unless it is unchanged and none of its links are due."""
        page = visited.page
        reading = self._readings.get(page.id)
        body = self._bodies[page.id]
        row = self._fetched_row(visited, visit, body) | values
        kind = f"{'same' if is_same else 'new'} {type(visit)}"
        if reading is None and not visited.is_to_be_read(now=self._state.now):
            self._unchanged.append(page.id)
            revisit = self._state.revisits.after_unchanged(page, at=visit.at)
            self._state.add(kind, row | revisit | {"phase": Phase.COMPLETED})
            return
        if not is_same:
            row["links_due_at"] = None
        row["crash_count"] = 0
        if reading is not None:
            self._state.is_read(page, kind, row, fetched_at=visit.at, is_same=is_same)
            return
        self.downloads.append(downloaded(page, body))
        owner, until = self._leases.get(page.id) or (None, None)
        lease = {"lease_owner": owner, "lease_until": until, "phase": Phase.DOWNLOADED}
        self._state.add(f"{kind}, to be parsed", row | lease | self._state.revisits.until_read(page))

    def _not_modified(self, visited: PageVisit, visit: NotModified) -> None:
        page = visited.page
        if page.id not in self._bodies:
            # The unchanged body is no longer stored: the page stays pending, and is fetched without validators.
            row = {"page": page.id, "proxy_id": visited.proxy_id}
            self._state.add("without_body", row | pages.body_values(None))
            return
        self._log_fetch(page, LogAction.PAGE_UNCHANGED, visit, 304)
        # Otherwise we have the body, but this source never finished reading it, or its terms have changed.
        is_same = visited.is_same
        self._state.counts[page.run_id]["pages_unchanged" if is_same else "pages_fetched"] += 1
        self._take_body(visited, visit, {"status": 304}, is_same=is_same)

    def _log_fetch(self, page: Page, action: LogAction, visit: Fetched | NotModified, status: int) -> None:
        if not self._state.notes.is_wordy:
            return
        took_ms = _took_ms(visit)
        size = len(visit.body) if isinstance(visit, Fetched) else 0
        message = f"HTTP {status} after {took_ms} ms" + (f", {size} bytes" if size else "")
        proxy = self._proxies[page.id]
        self._state.notes.say(page, action, message, status=status, took_ms=took_ms, bytes=size or None, proxy=proxy)

    def _fetched_row(self, visited: PageVisit, visit: Fetched | NotModified, body: HeldBody) -> dict[str, Any]:
        return pages.body_values(body) | {
            "page": visited.page.id,
            "took_ms": _took_ms(visit),
            "fetched_at": visit.at,
            "fresh_until": visit.at + visit.fresh_for if visit.fresh_for is not None else None,
            "robots_rule": visited.allowed_by,
            "reason": None,
            "detail": None,
            "proxy_id": visited.proxy_id,
        }

    def _redirected(self, page: Page, visit: Redirected, allowed_by: str | None) -> None:
        not_before = visit.at + visit.retry_after if visit.retry_after is not None else None
        target = link_admission.DiscoveredUrl(
            visit.target, page.role, page.depth, page.id, hops=page.hops + 1, not_before=not_before
        )
        self._redirects[page.run_id].append((page, target))
        if page.role is PageRole.SEED and not page.hops and visit.status in FOR_GOOD:
            moved = (
                f"moved for good (HTTP {visit.status}) to {visit.target}; a source with that URL would save one request"
            )
            self._state.notes.say(page, LogAction.SOURCE_MOVED, moved, target=visit.target)
        self._state.add(
            "redirected",
            {
                "page": page.id,
                "phase": Phase.COMPLETED,
                "status": visit.status,
                "took_ms": _took_ms(visit),
                "fetched_at": visit.at,
                "robots_rule": allowed_by,
                "redirected_to": visit.target,
                "reason": None,
                "detail": None,
                "proxy_id": self._proxies[page.id],
            }
            | self._state.revisits.after_first_look(page, at=visit.at),
        )

    def _not_fetched(self, visited: PageVisit, visit: Failed | Refused, *, redirected_to: str | None = None) -> None:
        page = visited.page
        if isinstance(visit, Refused) and visit.reason is Refusal.NO_PROXY:
            self._without_proxy.append(visited)
            message = f"{visit.reason}: {visit.detail}"
            self._state.notes.say(page, log_action(visit, again=True), message, reason=str(visit.reason))
            return
        if isinstance(visit, Refused):
            reason, status, until = str(visit.reason), None, visit.until
        else:
            reason, status, until = str(visit.fault), visit.status, None
        again, retries, due_at = self._retry(page, visit)
        if not again:
            self._state.counts[page.run_id]["pages_refused" if isinstance(visit, Refused) else "pages_failed"] += 1
            if self._is_start(page):
                self._without_start.append(page.run_id)
        self._state.add(
            f"not fetched: {type(visit)}, {redirected_to is not None}",
            {
                "page": page.id,
                "phase": Phase.PENDING if again else Phase.FAILED,
                "due_at": due_at if again else until,
                "retry_count": retries,
                "status": status,
                "reason": reason,
                "detail": visit.detail,
                "robots_rule": visited.allowed_by,
                "proxy_id": visited.proxy_id,
            }
            | ({"failed_at": visit.at, "took_ms": _took_ms(visit)} if isinstance(visit, Failed) else {})
            | ({"redirected_to": redirected_to} if redirected_to is not None else {})
            | self._after_trouble(page, visit),
        )
        message = f"{reason}: {visit.detail}" + (f"; next try {due_at:%H:%M:%S} UTC" if due_at else "")
        self._state.notes.say(
            page,
            log_action(visit, again=again),
            message,
            reason=reason,
            status=status,
            tries=retries if retries > page.retry_count else None,
            retry_at=due_at.isoformat() if due_at else None,
            proxy=visited.proxy_id,
        )
        self._state.notes.of[page.run_id].retries += retries > page.retry_count

    def _retry(self, page: Page, visit: Failed | Refused) -> tuple[bool, int, datetime | None]:
        """Whether the page is tried again in its run, its retries with this one, and when.

        A page that waits for its host spends no retry. The start page has none: its whole run is tried again.
        """
        if isinstance(visit, Refused) and visit.reason is Refusal.BREAKER:
            return True, page.retry_count, visit.until
        may_retry = not visit.reason.is_final if isinstance(visit, Refused) else visit.fault.is_transient
        most = page.max_retries if page.max_retries is not None else self._limits.page_retries
        if not may_retry or page.retry_count >= most or self._is_start(page):
            return False, page.retry_count, None
        retries = page.retry_count + 1
        until = visit.until if isinstance(visit, Refused) else None
        return True, retries, max(self._state.now + politeness.page_backoff(retries), until or self._state.now)

    def _is_start(self, page: Page) -> bool:
        """Whether a run stands or falls with the page; a run of tasks has no such page."""
        return page.role is PageRole.SEED and self._state.runs[page.run_id].trigger != Trigger.TASKS

    def _after_trouble(self, page: Page, visit: Failed | Refused) -> dict[str, Any]:
        if isinstance(visit, Failed) and (visit.fault in _NOT_THERE or visit.status == _WITHHELD):
            return self._state.revisits.after_missing(page, at=visit.at)
        if isinstance(visit, Failed) and visit.fault in _NOT_FOR_US and visit.status not in _PASSING:
            return self._state.revisits.after_nothing_said(page, at=visit.at)
        return self._state.revisits.as_before(page)

    def _log_redirects(
        self,
        redirected: Sequence[tuple[Page, link_admission.DiscoveredUrl]],
        found: Sequence[link_admission.DiscoveredUrl],
    ) -> None:
        followed = {item.found_on: item.url for item in found}
        for page, _ in redirected:
            if self._state.notes.is_wordy and (target := followed.get(page.id)) is not None:
                self._state.notes.say(page, LogAction.REDIRECT_FOLLOWED, f"redirects to {target}", target=target)

    async def _follow(self, db: Connection) -> None:
        """Adds redirect targets to the run, and what waits behind the pages of its list."""
        for run_id, redirected in self._redirects.items():
            run = self._state.runs[run_id]
            found, ends = await redirects.sorted_out(db, run, redirected)
            await self._end(db, ends)
            self._log_redirects(redirected, found)
            job = await crawl_jobs.lock(db, run.job_id)
            assert job is not None, "a run cannot outlive its job"
            offer = link_admission.Offer(run, job.priority, found)
            self._state.woken |= (await link_admission.admit(db, [offer], now=self._state.now)).woken
        if self._unchanged:
            self.lists |= await waiting_pages.hold_listings(db, self._unchanged)
        self.lists.difference_update(self._without_start)

    async def _end(self, db: Connection, ends: Sequence[redirects.DeadEnd]) -> None:
        await pages.save(db, [end.row() for end in ends])
        for page, phase, reason, detail in ends:
            if phase is Phase.FAILED:
                self._state.counts[page.run_id]["pages_failed"] += 1
                self._state.notes.of[page.run_id].broken(Fault(reason), detail)
                self._chain_ends[page.run_id][page.url] = detail
            else:
                self._state.notes.of[page.run_id].skip(reason)
            self._state.notes.say(page, LogAction.REDIRECT_REFUSED, detail, reason=reason)


def _took_ms(visit: Fetched | NotModified | Redirected | Failed) -> int:
    return round(visit.took / _MILLISECOND)
