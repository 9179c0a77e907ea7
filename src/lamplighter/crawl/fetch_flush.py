"""The work of one transaction that makes answers durable: pages, hosts, counters, log lines, and what follows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, assert_never

from lamplighter import crash_points, telemetry
from lamplighter.crawl import admission, exit_waits, redirects
from lamplighter.crawl.answers import Answer, Limits, ParseLease
from lamplighter.crawl.archiving import Brought
from lamplighter.crawl.finish import finish_done
from lamplighter.crawl.planner import Planner
from lamplighter.crawl.resting import Resting
from lamplighter.crawl.run_notes import RunNotes
from lamplighter.crawl.versioning import note_bodies
from lamplighter.fetch.fetcher import too_many_redirects
from lamplighter.model.host import Host
from lamplighter.model.page import HeldBody, Page, Phase
from lamplighter.model.reading import Role
from lamplighter.model.run_log import Action, Keeping
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refusal, Refused, Visit
from lamplighter.rules import politeness, terms
from lamplighter.store import crawl_jobs, crawl_runs, hosts, page_orders, pages
from lamplighter.store.crawl_runs import OpenRun
from lamplighter.store.database import Connection
from lamplighter.store.pages import Downloaded

log = telemetry.logger("fetch")
#: a shorter wait for a host's turn is not worth a line
_SHORT_WAIT = timedelta(milliseconds=10)
_MILLISECOND = timedelta(milliseconds=1)
#: redirects that are there to stay
_FOR_GOOD = (301, 308)
_NOT_THERE = (Fault.NOT_FOUND, Fault.GONE)
#: what will be no other in the next run: such a page rests like one that was had
_NOT_FOR_US = (Fault.CONTENT_TYPE, Fault.TOO_LARGE, Fault.CLIENT_ERROR, Fault.BAD_REDIRECT)
#: of client errors: too slow, too early
_PASSING = (408, 425)
#: unavailable for legal reasons, which pass as seldom as those for which a page is gone
_WITHHELD = 451


class Flush:
    """One transaction's work; built anew for every try."""

    def __init__(
        self,
        *,
        now: datetime,
        brought: Brought,
        limits: Limits,
        lease: ParseLease | None,
        saved_hosts: Mapping[int, Host],
        planner: Planner,
        keeping: Keeping,
    ) -> None:
        self.now = now
        self.brought = brought
        self.limits = limits
        self.lease = lease
        self.saved_hosts = saved_hosts
        self._planner = planner
        self._keeping = keeping

    async def write(self, db: Connection, batch: Sequence[Answer]) -> None:
        """Writes every answer whose host is still ours, whose run is open, and whose page still waits for it."""
        self.woken: set[int] = set()
        self.downloads: list[Downloaded] = []
        self.finished: list[int] = []
        self._saves: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._counts: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(int))
        self._redirects: dict[int, list[tuple[Page, admission.Found]]] = defaultdict(list)
        self._unchanged: list[Page] = []
        #: pages that could not be asked for for want of a proxy, with their hosts
        self._exitless: dict[int, tuple[int, Refused]] = {}
        self._notes = RunNotes(self._keeping, now=self.now)
        tokens = await hosts.lease_tokens(db, [answer.host.id for answer in batch])
        waiting = await pages.still_in(db, [answer.page.id for answer in batch], Phase.PENDING)
        self.runs = runs = await crawl_runs.lock_open(db, [answer.page.run_id for answer in batch])
        same = [answer.page for answer in batch if self._is_same(answer.page, answer.visit)]
        self._resting = await Resting.of(db, waiting, compared=same, now=self.now)
        self.learnt = learnt = dict[int, Host]()
        stored, taken = dict(waiting), list[Answer]()
        for answer in batch:
            if tokens.get(answer.host.id) != answer.host.lease_token:
                log.warning("fetch.fenced", url=answer.page.url, host=answer.host.key)
                continue
            if self.saved_hosts.get(answer.host.id) != answer.host:
                learnt[answer.host.id] = answer.host
            there = waiting.pop(answer.page.id, None)
            # Another run may have the page by now, and asks for it itself.
            if there is None or there.run_id != answer.page.run_id:
                continue
            if answer.page.run_id in runs:
                taken.append(answer)
            else:  # its run is over: left pending, it would be asked for again and again
                detail = "its run had ended when the answer came"
                row = {"page": answer.page.id, "phase": Phase.FAILED, "reason": "run_ended", "detail": detail}
                self._saves["too_late"].append(row)
        visited = [(answer.page, answer.visit) for answer in taken]
        self.bodies = await note_bodies(db, visited, waiting=stored, brought=self.brought)
        #: page -> the proxy by which it was asked for; None when by none
        self._exits = {answer.page.id: answer.proxy_id for answer in taken}
        for answer in taken:
            self._take(answer)
        self._note_exits()
        for run_id, by in self._resting.counts.items():
            self._counts[run_id].update(by)
        for rows in self._saves.values():
            await pages.save(db, rows)
        await page_orders.put_back_pages(db, [row["page"] for row in self._saves["too_late"]], now=self.now)
        await hosts.save_learnt(db, learnt.values(), now=self.now)
        await exit_waits.wait(db, self._exitless)
        await self._follow(db, runs)
        await self._notes.write(db, runs, self._counts)
        crash_points.reached("fetch.before_commit")
        await self._planner.noticing.pages_ended(db, self._saves.values(), now=self.now)
        self.finished = await finish_done(db, runs, now=self.now, planner=self._planner)

    def _take(self, answer: Answer) -> None:
        page, visit = answer.page, answer.visit
        self._notes.of[page.run_id].answered(visit, waited=answer.waited, repeats=answer.repeats)
        if self._notes.is_wordy and answer.waited > _SHORT_WAIT:
            waited_ms = round(answer.waited / _MILLISECOND)
            message = f"waited {waited_ms} ms for the turn of {answer.host.key}"
            self._notes.say(page, Action.TURN_WAITED, message, waited_ms=waited_ms, host=answer.host.key)
        match visit:
            case Fetched():
                self._fetched(page, visit, answer.allowed_by)
            case NotModified():
                self._not_modified(page, visit, answer.allowed_by)
            case Redirected() if page.hops >= self.limits.max_redirects:
                self._not_had(answer, too_many_redirects(visit, limit=self.limits.max_redirects))
            case Redirected():
                self._redirected(page, visit, answer.allowed_by)
            case Failed() | Refused():
                self._not_had(answer, visit)
            case _:
                assert_never(visit)

    def _is_same(self, page: Page, visit: Visit) -> bool:
        """Whether it is what was read last time, and on the same terms: the site says so, or sent the very body."""
        if not page.was_read or page.body is None or not isinstance(visit, Fetched | NotModified):
            return False
        is_body = isinstance(visit, NotModified) or self.brought.hashes[page.id] == page.body.hash
        return is_body and terms.after(visit, page.body) == terms.of_body(page.body)

    def _leads_on(self, page: Page) -> bool:
        """Whether pages are due to which it leads, so that it is read again, unchanged as it is."""
        return page.links_due_at is not None and page.links_due_at <= self.now

    def _fetched(self, page: Page, visit: Fetched, allowed_by: str | None) -> None:
        body = self.bodies[page.id]
        counts = self._counts[page.run_id]
        counts["bytes_fetched"] += len(visit.body)
        is_same = self._is_same(page, visit)
        counts["pages_unchanged" if is_same else "pages_fetched"] += 1
        row = self._answered(page, visit, body, allowed_by) | {
            "status": visit.status,
            "size_bytes": len(visit.body),
        }
        self._tell(page, Action.PAGE_UNCHANGED if is_same else Action.PAGE_FETCHED, visit, visit.status)
        self._take_body(page, visit, row, body, is_same=is_same)

    def _take_body(
        self, page: Page, visit: Fetched | NotModified, row: dict[str, Any], body: HeldBody, *, is_same: bool
    ) -> None:
        """A page whose body we have: it is read, unless it is as it was and leads nowhere for now."""
        if is_same and not self._leads_on(page):
            self._saves[f"same {type(visit)}"].append(row | self._unread(page, visit))
        elif is_same:
            self._saves[f"same {type(visit)}, to be read"].append(row | self._to_parse(page, body))
        else:
            news = {"links_due_at": None}
            self._saves[f"new {type(visit)}"].append(row | self._to_parse(page, body) | news)

    def _not_modified(self, page: Page, visit: NotModified, allowed_by: str | None) -> None:
        if (body := self.bodies.get(page.id)) is None:
            # What it has not changed from is kept no more: it stays pending, and is asked for whole.
            self._saves["without_body"].append({"page": page.id} | pages.body_values(None))
            return
        self._tell(page, Action.PAGE_UNCHANGED, visit, 304)
        row = self._answered(page, visit, body, allowed_by) | {"status": 304}
        # Otherwise the body is ours already, but was never read to the end for this source, or on other terms.
        is_same = self._is_same(page, visit)
        self._counts[page.run_id]["pages_unchanged" if is_same else "pages_fetched"] += 1
        self._take_body(page, visit, row, body, is_same=is_same)

    def _tell(self, page: Page, action: Action, visit: Fetched | NotModified, status: int) -> None:
        if not self._notes.is_wordy:
            return
        took_ms = _took_ms(visit)
        size = len(visit.body) if isinstance(visit, Fetched) else 0
        message = f"HTTP {status} after {took_ms} ms" + (f", {size} bytes" if size else "")
        proxy = self._exits[page.id]
        self._notes.say(page, action, message, status=status, took_ms=took_ms, bytes=size or None, proxy=proxy)

    def _answered(
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
        """Of a page that need not be read again."""
        self._unchanged.append(page)
        return self._resting.after_same_answer(page, at=visit.at) | {"phase": Phase.COMPLETED}

    def _to_parse(self, page: Page, body: HeldBody) -> dict[str, Any]:
        self.downloads.append(
            Downloaded(
                id=page.id,
                source_id=page.source_id,
                run_id=page.run_id,
                url=page.url,
                depth=page.depth,
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
        return self._resting.until_read(page) | {"phase": Phase.DOWNLOADED} | lease

    def _redirected(self, page: Page, visit: Redirected, allowed_by: str | None) -> None:
        not_before = visit.at + visit.retry_after if visit.retry_after is not None else None
        target = admission.Found(
            visit.target, page.role, page.depth, page.id, hops=page.hops + 1, not_before=not_before
        )
        self._redirects[page.run_id].append((page, target))
        if page.role is Role.SEED and not page.hops and visit.status in _FOR_GOOD:
            moved = f"moved for good (HTTP {visit.status}) to {visit.target}; a source with that URL asks once less"
            self._notes.say(page, Action.SOURCE_MOVED, moved, target=visit.target)
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
            | self._resting.after_first_look(page, at=visit.at)
        )

    def _note_exits(self) -> None:
        """Writes down by which exit each page was asked for."""
        for row in chain.from_iterable(self._saves.values()):
            if row["page"] in self._exits:
                row["proxy_id"] = self._exits[row["page"]]

    def _not_had(self, answer: Answer, visit: Failed | Refused) -> None:
        page = answer.page
        if isinstance(visit, Refused) and visit.reason is Refusal.NO_PROXY:
            self._exitless[page.id] = (answer.host.id, visit)
            message = f"{visit.reason}: {visit.detail}"
            self._notes.say(page, _action(visit, again=True), message, reason=str(visit.reason))
            return
        if isinstance(visit, Refused):
            reason, status, may_retry, until = str(visit.reason), None, not visit.reason.is_final, visit.until
        else:
            reason, status, may_retry, until = str(visit.fault), visit.status, visit.fault.is_transient, None
        retries = page.retry_count + 1
        most = page.max_retries if page.max_retries is not None else self.limits.page_retries
        again = may_retry and retries <= most
        due_at = max(self.now + politeness.page_backoff(retries), until or self.now) if again else None
        if not again:
            self._counts[page.run_id]["pages_refused" if isinstance(visit, Refused) else "pages_failed"] += 1
        self._saves[f"not had: {type(visit)}"].append(
            {
                "page": page.id,
                "phase": Phase.PENDING if again else Phase.FAILED,
                "due_at": due_at,
                "retry_count": retries if again else page.retry_count,
                "status": status,
                "reason": reason,
                "detail": visit.detail,
                "robots_rule": answer.allowed_by,
            }
            | ({"failed_at": visit.at, "took_ms": _took_ms(visit)} if isinstance(visit, Failed) else {})
            | self._after_trouble(page, visit)
        )
        message = f"{reason}: {visit.detail}" + (f"; next try {due_at:%H:%M:%S} UTC" if due_at else "")
        retry_at = due_at.isoformat() if due_at else None
        self._notes.say(
            page,
            _action(visit, again=again),
            message,
            reason=reason,
            status=status,
            tries=retries if again else None,
            retry_at=retry_at,
            proxy=answer.proxy_id,
        )
        self._notes.of[page.run_id].retries += again

    def _after_trouble(self, page: Page, visit: Failed | Refused) -> dict[str, Any]:
        if isinstance(visit, Failed) and (visit.fault in _NOT_THERE or visit.status == _WITHHELD):
            return self._resting.after_missing(page, at=visit.at)
        if isinstance(visit, Failed) and visit.fault in _NOT_FOR_US and visit.status not in _PASSING:
            return self._resting.after_nothing_said(page, at=visit.at)
        return self._resting.as_before(page)

    def _say_where(self, redirected: Sequence[tuple[Page, admission.Found]], found: Sequence[admission.Found]) -> None:
        followed = {item.found_on: item.url for item in found}
        for page, _ in redirected:
            if self._notes.is_wordy and (target := followed.get(page.id)) is not None:
                self._notes.say(page, Action.REDIRECT_FOLLOWED, f"redirects to {target}", target=target)

    async def _follow(self, db: Connection, runs: Mapping[int, OpenRun]) -> None:
        """Redirect targets become pages of the run; an unchanged listing leads on to its next page as before."""
        for run_id, redirected in self._redirects.items():
            run = runs[run_id]
            found, ends = await redirects.sorted_out(db, run, redirected, limit=self.limits.max_redirects)
            await self._end(db, ends)
            self._say_where(redirected, found)
            job = await crawl_jobs.lock(db, run.job_id)
            assert job is not None, "a run cannot outlive its job"
            self.woken |= (await admission.admit(db, [admission.Offer(run, job.priority, found)], now=self.now)).woken
        for page in self._unchanged:
            run, counts = runs[page.run_id], self._counts[page.run_id]
            if run.page_count + counts["page_count"] < run.page_budget:
                woken = await pages.readmit_listings(db, page.id, run_id=page.run_id)
                counts["page_count"] += len(woken)
                await hosts.wake(db, woken, now=self.now)
                self.woken |= set(woken)

    async def _end(self, db: Connection, ends: Sequence[redirects.DeadEnd]) -> None:
        await pages.save(db, [end.row() for end in ends])
        for page, phase, reason, detail in ends:
            if phase is Phase.FAILED:
                self._counts[page.run_id]["pages_failed"] += 1
                self._notes.of[page.run_id].broken(Fault(reason), detail)
            else:
                self._notes.of[page.run_id].skip(reason)
            self._notes.say(page, Action.REDIRECT_REFUSED, detail, reason=reason)


def _took_ms(visit: Fetched | NotModified | Redirected | Failed) -> int:
    return round(visit.took / _MILLISECOND)


def _action(visit: Failed | Refused, *, again: bool) -> Action:
    """What it is called that a page was not had."""
    if isinstance(visit, Refused):
        is_robots = visit.reason in (Refusal.ROBOTS, Refusal.ROBOTS_UNREACHABLE)
        return Action.ROBOTS_REFUSED if is_robots else Action.GATE_REFUSED
    return Action.PAGE_RETRIED if again else Action.PAGE_FAILED
