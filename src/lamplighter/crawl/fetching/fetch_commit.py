"""The transaction that stores visits: pages, hosts, counters, log lines, redirects and finished runs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, assert_never

from lamplighter import crash_points, telemetry
from lamplighter.crawl.fetching import proxy_waits, redirects
from lamplighter.crawl.fetching.body_archiving import ArchivedBatch
from lamplighter.crawl.fetching.page_revisits import PageRevisits
from lamplighter.crawl.fetching.page_versioning import note_bodies
from lamplighter.crawl.fetching.page_visits import PageVisit, ParseLease, RetryLimits, log_action, log_after_commit
from lamplighter.crawl.reading import link_admission
from lamplighter.crawl.runs import page_release
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.crawl.runs.run_notes import RunNotes
from lamplighter.fetch.fetcher import too_many_redirects
from lamplighter.model.crawl import Trigger
from lamplighter.model.host import Host
from lamplighter.model.page import HeldBody, Page, Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.run_log import LogAction
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refusal, Refused, Visit
from lamplighter.rules.hosts import politeness
from lamplighter.rules.robots import terms
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import pages, tasks, waiting_pages
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.runs import crawl_runs
from lamplighter.store.runs.crawl_runs import OpenRun

log = telemetry.logger("fetch")
#: a shorter wait for a host's turn is not worth a line
_MILLISECOND = timedelta(milliseconds=1)
#: permanent redirects
_FOR_GOOD = (301, 308)
_NOT_THERE = (Fault.NOT_FOUND, Fault.GONE)
#: faults that the next run would meet again: such a page gets a revisit delay like a fetched one
_NOT_FOR_US = (Fault.CONTENT_TYPE, Fault.TOO_LARGE, Fault.CLIENT_ERROR, Fault.BAD_REDIRECT)
#: client errors that may pass: request timeout, too early
_PASSING = (408, 425)
#: unavailable for legal reasons: handled like a page that is gone
_WITHHELD = 451


class FetchCommit:
    """One transaction; a new instance for each try."""

    def __init__(
        self,
        *,
        now: datetime,
        brought: ArchivedBatch,
        limits: RetryLimits,
        lease: ParseLease | None,
        saved_hosts: Mapping[int, Host],
        tools: RunTools,
    ) -> None:
        self.now = now
        self.brought = brought
        self.limits = limits
        self.lease = lease
        self.saved_hosts = saved_hosts
        self._tools = tools

    def _begin(self) -> None:
        """Forgets the last try of this transaction."""
        self.woken: set[int] = set()
        self.downloads: list[Downloaded] = []
        self.finished: list[int] = []
        self._saves: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._counts: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(int))
        self._redirects: dict[int, list[tuple[Page, link_admission.DiscoveredUrl]]] = defaultdict(list)
        #: run -> the URLs at which a chain of redirects ended without a page, and why
        self._chain_ends: dict[int, dict[str, str]] = defaultdict(dict)
        self._unchanged: list[Page] = []
        self._without_start: list[int] = []
        #: pages that were not requested because no proxy was available, with their hosts
        self._without_proxy: dict[int, tuple[int, Refused]] = {}
        self._notes = RunNotes(self._tools.keeping, now=self.now)

    async def write(self, db: Connection, batch: Sequence[PageVisit]) -> None:
        """Writes each visit whose host we still lease, whose run is open and whose page is still pending."""
        self._begin()
        tokens = await hosts.lease_tokens(db, [visited.host.id for visited in batch])
        waiting = await pages.still_in(db, [visited.page.id for visited in batch], Phase.PENDING)
        self.runs = runs = await crawl_runs.lock_open(db, [visited.page.run_id for visited in batch])
        same = [visited.page for visited in batch if self._is_same(visited.page, visited.visit)]
        self._revisits = await PageRevisits.of(db, waiting, compared=same, now=self.now)
        self.learnt = learnt = dict[int, Host]()
        stored, taken = dict(waiting), list[PageVisit]()
        for visited in batch:
            if tokens.get(visited.host.id) != visited.host.lease_token:
                log.warning("fetch.fenced", url=visited.page.url, host=visited.host.key)
                continue
            if self.saved_hosts.get(visited.host.id) != visited.host:
                learnt[visited.host.id] = visited.host
            there = waiting.pop(visited.page.id, None)
            # Another run may have taken the page, and fetches it itself.
            if there is None or there.run_id != visited.page.run_id:
                continue
            if visited.page.run_id in runs:
                taken.append(visited)
            else:  # its run is over: left pending, it would be fetched again and again
                detail = "its run had ended when the response came"
                row = {"page": visited.page.id, "phase": Phase.FAILED, "reason": "run_ended", "detail": detail}
                self._saves["too_late"].append(row)
        pairs = [(visited.page, visited.visit) for visited in taken]
        self.bodies = await note_bodies(db, pairs, waiting=stored, brought=self.brought)
        #: page -> the proxy of its request; None without one
        self._proxies = {visited.page.id: visited.proxy_id for visited in taken}
        #: runs of which a page of the list was fetched, or was not
        self._lists = {visited.page.run_id for visited in taken if visited.page.role is not PageRole.LINK}
        for visited in taken:
            self._write_visit(visited)
        self._note_proxies()
        for run_id, by in self._revisits.counts.items():
            self._counts[run_id].update(by)
        for rows in self._saves.values():
            await pages.save(db, rows)
        await tasks.put_back_pages(db, [row["page"] for row in self._saves["too_late"]], now=self.now)
        await hosts.save_learnt(db, learnt.values(), now=self.now)
        await proxy_waits.wait(db, self._without_proxy, served={each.host.id for each in taken if each.proxy_id})
        for run_id in self._without_start:  # its run is over: submitted pages in it get another
            await tasks.put_back(db, run_id, now=self.now)
        await self._follow(db, runs)
        for run_id, ends in self._chain_ends.items():
            await redirects.fail_origins(db, run_id, ends, now=self.now)
        await self._notes.write(db, runs, self._counts)
        crash_points.reached("fetch.before_commit")
        planner, notice_writer = self._tools.planner, self._tools.notice_writer
        asked = {visited.page.id: visited.page for visited in taken}
        ended = await redirects.ended(db, chain.from_iterable(self._saves.values()), asked)
        await notice_writer.pages_ended(db, ended, now=self.now)
        self.finished = await finish_done(db, runs, now=self.now, planner=planner, notice_writer=notice_writer)

    def _write_visit(self, visited: PageVisit) -> None:
        page, visit = visited.page, visited.visit
        self._notes.of[page.run_id].visited(visit, waited=visited.waited, repeats=visited.repeats)
        log_after_commit(visited)
        if visited.waited_ms is not None and self._notes.is_wordy:
            waited_ms, host = visited.waited_ms, visited.host.key
            message = f"waited {waited_ms} ms for the turn of {host}"
            self._notes.say(page, LogAction.TURN_WAITED, message, waited_ms=waited_ms, host=host)
        match visit:
            case Fetched():
                self._fetched(page, visit, visited.allowed_by)
            case NotModified():
                self._not_modified(page, visit, visited.allowed_by)
            case Redirected() if page.hops >= self.limits.max_redirects:
                failed = too_many_redirects(visit, limit=self.limits.max_redirects)
                self._not_fetched(visited, failed, redirected_to=visit.target)
                self._chain_ends[page.run_id][page.url] = failed.detail
            case Redirected():
                self._redirected(page, visit, visited.allowed_by)
            case Failed() | Refused():
                self._not_fetched(visited, visit)
            case _:
                assert_never(visit)

    def _is_same(self, page: Page, visit: Visit) -> bool:
        """Whether body and terms are those last read: the site says so, or sent the same bytes."""
        if not page.was_read or page.body is None or not isinstance(visit, Fetched | NotModified):
            return False
        is_body = isinstance(visit, NotModified) or self.brought.hashes[page.id] == page.body.hash
        return is_body and terms.after(visit, page.body) == terms.of_body(page.body)

    def _leads_on(self, page: Page) -> bool:
        """Whether pages it links to are due, so that it is read again though unchanged."""
        return page.links_due_at is not None and page.links_due_at <= self.now

    def _fetched(self, page: Page, visit: Fetched, allowed_by: str | None) -> None:
        body = self.bodies[page.id]
        counts = self._counts[page.run_id]
        counts["bytes_fetched"] += len(visit.body)
        is_same = self._is_same(page, visit)
        counts["pages_unchanged" if is_same else "pages_fetched"] += 1
        row = self._fetched_row(page, visit, body, allowed_by) | {"status": visit.status, "size_bytes": len(visit.body)}
        self._log_fetch(page, LogAction.PAGE_UNCHANGED if is_same else LogAction.PAGE_FETCHED, visit, visit.status)
        self._take_body(page, visit, row, body, is_same=is_same)

    def _take_body(
        self, page: Page, visit: Fetched | NotModified, row: dict[str, Any], body: HeldBody, *, is_same: bool
    ) -> None:
        """Has the page parsed, unless it is unchanged and none of its links are due."""
        if is_same and not self._leads_on(page):
            self._saves[f"same {type(visit)}"].append(row | self._unread(page, visit))
        elif is_same:
            self._saves[f"same {type(visit)}, to be parsed"].append(row | self._to_parse(page, body))
        else:
            news = {"links_due_at": None}
            self._saves[f"new {type(visit)}"].append(row | self._to_parse(page, body) | news)

    def _not_modified(self, page: Page, visit: NotModified, allowed_by: str | None) -> None:
        if (body := self.bodies.get(page.id)) is None:
            # The unchanged body is no longer stored: the page stays pending, and is fetched without validators.
            self._saves["without_body"].append({"page": page.id} | pages.body_values(None))
            return
        self._log_fetch(page, LogAction.PAGE_UNCHANGED, visit, 304)
        row = self._fetched_row(page, visit, body, allowed_by) | {"status": 304}
        # Otherwise we have the body, but this source never finished reading it, or its terms have changed.
        is_same = self._is_same(page, visit)
        self._counts[page.run_id]["pages_unchanged" if is_same else "pages_fetched"] += 1
        self._take_body(page, visit, row, body, is_same=is_same)

    def _log_fetch(self, page: Page, action: LogAction, visit: Fetched | NotModified, status: int) -> None:
        if not self._notes.is_wordy:
            return
        took_ms = _took_ms(visit)
        size = len(visit.body) if isinstance(visit, Fetched) else 0
        message = f"HTTP {status} after {took_ms} ms" + (f", {size} bytes" if size else "")
        proxy = self._proxies[page.id]
        self._notes.say(page, action, message, status=status, took_ms=took_ms, bytes=size or None, proxy=proxy)

    def _fetched_row(
        self, page: Page, visit: Fetched | NotModified, body: HeldBody, allowed_by: str | None
    ) -> dict[str, Any]:
        return pages.body_values(body) | {
            "page": page.id,
            "took_ms": _took_ms(visit),
            "fetched_at": visit.at,
            "fresh_until": visit.at + visit.fresh_for if visit.fresh_for is not None else None,
            "robots_rule": allowed_by,
            "reason": None,
            "detail": None,
        }

    def _unread(self, page: Page, visit: Fetched | NotModified) -> dict[str, Any]:
        """The row of a page not read again."""
        self._unchanged.append(page)
        return self._revisits.after_unchanged(page, at=visit.at) | {"phase": Phase.COMPLETED}

    def _to_parse(self, page: Page, body: HeldBody) -> dict[str, Any]:
        self.downloads.append(
            Downloaded(
                id=page.id,
                source_id=page.source_id,
                run_id=page.run_id,
                url=page.url,
                depth=page.depth,
                hops=page.hops,
                role=page.role,
                body_key=body.key,
                content_type=body.content_type,
                robots_tag=body.robots_tag,
                usage=body.usage,
                crash_count=0,
            )
        )
        owner, until = self.lease or (None, None)
        lease = {"lease_owner": owner, "lease_until": until, "crash_count": 0}
        return self._revisits.until_read(page) | {"phase": Phase.DOWNLOADED} | lease

    def _redirected(self, page: Page, visit: Redirected, allowed_by: str | None) -> None:
        not_before = visit.at + visit.retry_after if visit.retry_after is not None else None
        target = link_admission.DiscoveredUrl(
            visit.target, page.role, page.depth, page.id, hops=page.hops + 1, not_before=not_before
        )
        self._redirects[page.run_id].append((page, target))
        if page.role is PageRole.SEED and not page.hops and visit.status in _FOR_GOOD:
            moved = (
                f"moved for good (HTTP {visit.status}) to {visit.target}; a source with that URL would save one request"
            )
            self._notes.say(page, LogAction.SOURCE_MOVED, moved, target=visit.target)
        self._saves["redirected"].append(
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
            }
            | self._revisits.after_first_look(page, at=visit.at)
        )

    def _note_proxies(self) -> None:
        """Notes the proxy of each page's request."""
        for row in chain.from_iterable(self._saves.values()):
            if row["page"] in self._proxies:
                row["proxy_id"] = self._proxies[row["page"]]

    def _not_fetched(self, visited: PageVisit, visit: Failed | Refused, *, redirected_to: str | None = None) -> None:
        page = visited.page
        if isinstance(visit, Refused) and visit.reason is Refusal.NO_PROXY:
            self._without_proxy[page.id] = (visited.host.id, visit)
            message = f"{visit.reason}: {visit.detail}"
            self._notes.say(page, log_action(visit, again=True), message, reason=str(visit.reason))
            return
        if isinstance(visit, Refused):
            reason, status, until = str(visit.reason), None, visit.until
        else:
            reason, status, until = str(visit.fault), visit.status, None
        again, retries, due_at = self._retry(page, visit)
        if not again:
            self._counts[page.run_id]["pages_refused" if isinstance(visit, Refused) else "pages_failed"] += 1
            if self._is_start(page):
                self._without_start.append(page.run_id)
        self._saves[f"not fetched: {type(visit)}"].append(
            {
                "page": page.id,
                "phase": Phase.PENDING if again else Phase.FAILED,
                "due_at": due_at if again else until,
                "retry_count": retries,
                "status": status,
                "reason": reason,
                "detail": visit.detail,
                "robots_rule": visited.allowed_by,
            }
            | ({"failed_at": visit.at, "took_ms": _took_ms(visit)} if isinstance(visit, Failed) else {})
            | ({"redirected_to": redirected_to} if redirected_to is not None else {})
            | self._after_trouble(page, visit)
        )
        message = f"{reason}: {visit.detail}" + (f"; next try {due_at:%H:%M:%S} UTC" if due_at else "")
        self._notes.say(
            page,
            log_action(visit, again=again),
            message,
            reason=reason,
            status=status,
            tries=retries if retries > page.retry_count else None,
            retry_at=due_at.isoformat() if due_at else None,
            proxy=visited.proxy_id,
        )
        self._notes.of[page.run_id].retries += retries > page.retry_count

    def _retry(self, page: Page, visit: Failed | Refused) -> tuple[bool, int, datetime | None]:
        """Whether the page is tried again in its run, its retries with this one, and when.

        A page that waits for its host spends no retry. The start page has none: its whole run is tried again.
        """
        if isinstance(visit, Refused) and visit.reason is Refusal.BREAKER:
            return True, page.retry_count, visit.until
        may_retry = not visit.reason.is_final if isinstance(visit, Refused) else visit.fault.is_transient
        most = page.max_retries if page.max_retries is not None else self.limits.page_retries
        if not may_retry or page.retry_count >= most or self._is_start(page):
            return False, page.retry_count, None
        retries = page.retry_count + 1
        until = visit.until if isinstance(visit, Refused) else None
        return True, retries, max(self.now + politeness.page_backoff(retries), until or self.now)

    def _is_start(self, page: Page) -> bool:
        """Whether a run stands or falls with the page; a run of tasks has no such page."""
        return page.role is PageRole.SEED and self.runs[page.run_id].trigger != Trigger.TASKS

    def _after_trouble(self, page: Page, visit: Failed | Refused) -> dict[str, Any]:
        if isinstance(visit, Failed) and (visit.fault in _NOT_THERE or visit.status == _WITHHELD):
            return self._revisits.after_missing(page, at=visit.at)
        if isinstance(visit, Failed) and visit.fault in _NOT_FOR_US and visit.status not in _PASSING:
            return self._revisits.after_nothing_said(page, at=visit.at)
        return self._revisits.as_before(page)

    def _log_redirects(
        self,
        redirected: Sequence[tuple[Page, link_admission.DiscoveredUrl]],
        found: Sequence[link_admission.DiscoveredUrl],
    ) -> None:
        followed = {item.found_on: item.url for item in found}
        for page, _ in redirected:
            if self._notes.is_wordy and (target := followed.get(page.id)) is not None:
                self._notes.say(page, LogAction.REDIRECT_FOLLOWED, f"redirects to {target}", target=target)

    async def _follow(self, db: Connection, runs: Mapping[int, OpenRun]) -> None:
        """Adds redirect targets to the run, and what waits behind the pages of its list."""
        for run_id, redirected in self._redirects.items():
            run = runs[run_id]
            found, ends = await redirects.sorted_out(db, run, redirected)
            await self._end(db, ends)
            self._log_redirects(redirected, found)
            job = await crawl_jobs.lock(db, run.job_id)
            assert job is not None, "a run cannot outlive its job"
            offer = link_admission.Offer(run, job.priority, found)
            self.woken |= (await link_admission.admit(db, [offer], now=self.now)).woken
        for page in self._unchanged:
            if await waiting_pages.hold_listings(db, page.id, run_id=page.run_id):
                self._lists.add(page.run_id)
        self.woken |= await page_release.release(db, self._lists - set(self._without_start), now=self.now)

    async def _end(self, db: Connection, ends: Sequence[redirects.DeadEnd]) -> None:
        await pages.save(db, [end.row() for end in ends])
        for page, phase, reason, detail in ends:
            if phase is Phase.FAILED:
                self._counts[page.run_id]["pages_failed"] += 1
                self._notes.of[page.run_id].broken(Fault(reason), detail)
                self._chain_ends[page.run_id][page.url] = detail
            else:
                self._notes.of[page.run_id].skip(reason)
            self._notes.say(page, LogAction.REDIRECT_REFUSED, detail, reason=reason)


def _took_ms(visit: Fetched | NotModified | Redirected | Failed) -> int:
    return round(visit.took / _MILLISECOND)
