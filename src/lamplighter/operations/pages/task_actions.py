"""Actions on a page: restart, parse again, pause, resume, cancel, set the priority, forget.

Submitted pages and pages that a crawl found are the same here. A page that was not submitted gets a one-time task when
it is to be fetched; its run is not opened again. A request in flight is not waited for: the page's phase changes at
once, and the late response is dropped.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.runs.task_rounds import run_for
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.page import PAUSED_UNASKED, PAUSED_UNREAD, PageStage, Phase
from lamplighter.model.reading import PageRole
from lamplighter.operations.proxies.domain_proxies import host_of
from lamplighter.rules.pages import frontier
from lamplighter.store.access import audit_log
from lamplighter.store.engine.after_commit import Signal, signal
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import hosts
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import page_actions, page_lists, tasks

_ENDED = (Phase.COMPLETED, Phase.FAILED, Phase.CANCELLED, Phase.PAUSED)
_IN_LINE = (Phase.WAITING, Phase.PENDING)
_IN_FLIGHT = (PageStage.CRAWLING, PageStage.QUEUED_PARSE, PageStage.PARSING)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRestart:
    """How a page is restarted."""

    #: gives it all its tries anew
    reset_retries: bool = True
    #: 0 to 100; None leaves it as it is
    priority: int | None = None
    #: None means at once
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChange:
    """What is changed of a task; None leaves it as it is."""

    #: 0 to 100, higher sooner
    priority: int | None = None
    max_retries: int | None = None
    #: between visits
    frequency: timedelta | None = None
    is_recurring: bool = False
    #: whether the two above are changed
    sets_frequency: bool = False


async def find(db: Connection, page_id: int, *, now: datetime) -> Any:
    """The page with this id, held until the transaction ends."""
    if not await page_lists.hold(db, page_id):
        raise NotFound(f"there is no task {page_id}", code="task_not_found")
    return await page_lists.one(db, page_id, now=now)


def actions_of(page: Any) -> tuple[str, ...]:
    """The actions that are possible on a page now."""
    possible = list(_POSSIBLE.get(page.phase, ("pause", "cancel")))
    if page.body_key is None and "restart-parsing" in possible:
        possible.remove("restart-parsing")
    if page.stage not in _IN_FLIGHT:
        possible.append("forget")
    if page.role == PageRole.SEED:
        stays = ("pause", "forget", "cancel") if page.phase in _IN_LINE else ("pause", "forget")
        possible = [action for action in possible if action not in stays]
    return tuple(possible)


async def restart(db: Connection, page_id: int, again: TaskRestart, *, stamp: Stamp) -> Any:
    """Restarts a page; one that waits for its turn or for a retry is fetched next, or at the given time."""
    page = await find(db, page_id, now=stamp.now)
    if page.phase == Phase.PENDING and (again.at is None or again.at <= stamp.now):
        await _hurry(db, page, again, now=stamp.now)
    else:
        if page.phase == Phase.PENDING:
            _refuse_start_page(page, "postpone")
        _refuse_unless(page, "restart", page.phase in (*_ENDED, *_IN_LINE))
        await _ask_again(db, page, again, stamp=stamp)
    return await _done(db, page, "restart", stamp=stamp)


async def restart_failed(
    db: Connection, *, host_id: int | None, failed_after: datetime | None, limit: int, stamp: Stamp
) -> list[int]:
    """Restarts failed tasks with all their tries; returns their ids."""
    if host_id is not None:
        await host_of(db, host_id)
    failed = await page_actions.failed_orders(
        db, host_id=host_id, failed_after=failed_after, limit=limit, now=stamp.now
    )
    await page_actions.restart_many(db, failed, now=stamp.now)
    counts = {"restarted": len(failed), "host_id": host_id}
    await audit_log.write(db, stamp, "task.restart_failed", "tasks", after=counts)
    return failed


async def _hurry(db: Connection, page: Any, again: TaskRestart, *, now: datetime) -> None:
    """Makes a page of an open run due now, whatever it backed off for; the host's delay still holds."""
    priority = again.priority if again.priority is not None else frontier.priority_of(page.rank)
    rank = frontier.rank(priority=priority, depth=page.depth)
    await page_actions.hurry(db, page.id, rank=rank, reset_retries=again.reset_retries)
    if again.priority is not None:
        await tasks.set_priority(db, page.id, priority)
    await tasks.reschedule(db, page.id, at=now)
    await hosts.wake(db, [page.host_id], now=now)
    signal(Signal.HOSTS)


async def change(db: Connection, page_id: int, new: TaskChange, *, stamp: Stamp) -> Any:
    """Changes priority, frequency and retries of a task; the next visit moves with the frequency."""
    page = await find(db, page_id, now=stamp.now)
    if new.sets_frequency and page.order_id is None:
        message = f"task {page.id} was found by a crawl and has no frequency of its own; submit its URL as a task first"
        raise NotPossible(message, code="invalid_status")
    if new.priority is not None:
        await page_actions.rank(db, page.id, frontier.rank(priority=new.priority, depth=page.depth))
        await tasks.set_priority(db, page.id, new.priority)
    if new.max_retries is not None:
        await page_actions.set_retries(db, page.id, new.max_retries)
    if new.sets_frequency:
        is_planned = page.phase == Phase.COMPLETED and page.fetched_at is not None
        interval = new.frequency if new.is_recurring else None
        next_at = page.fetched_at + interval if is_planned and interval is not None else None
        await tasks.set_frequency(
            db, page.id, new.frequency, is_recurring=new.is_recurring, next_at=next_at, is_planned=is_planned
        )
    after = {name: str(value) for name, value in asdict(new).items() if value is not None}
    await audit_log.write(db, stamp, "task.change", f"task {page.id}", after=after)
    return await page_lists.one(db, page.id, now=stamp.now)


async def restart_batch(db: Connection, batch_id: str, *, stamp: Stamp) -> list[int]:
    """Restarts the tasks of a batch that are not under way, with all their tries; returns their ids."""
    if not await tasks.of_batch(db, batch_id):
        raise NotFound(f"there is no batch {batch_id!r}", code="batch_not_found")
    chosen = await tasks.of_batch(db, batch_id, ended_only=True)
    await page_actions.restart_many(db, chosen, now=stamp.now)
    await audit_log.write(db, stamp, "task.restart_batch", f"batch {batch_id}", after={"restarted": len(chosen)})
    return chosen


async def _ask_again(db: Connection, page: Any, again: TaskRestart, *, stamp: Stamp) -> None:
    priority = again.priority if again.priority is not None else frontier.priority_of(page.rank)
    rank = frontier.rank(priority=priority, depth=page.depth)
    await page_actions.wait(db, page.id, rank=rank, reset_retries=again.reset_retries)
    await tasks.renew(db, page.id, at=again.at or stamp.now, priority=priority, created_by=stamp.actor)


async def restart_reading(
    db: Connection, page_id: int, *, reset_retries: bool, stamp: Stamp, deadline: timedelta
) -> Any:
    """Parses the stored body of a page again, without a request."""
    page = await find(db, page_id, now=stamp.now)
    if page.phase == Phase.DOWNLOADED:
        return page
    _refuse_unless(page, "parsed again", page.phase in _ENDED)
    body_key_of(page)
    await _read_again(db, page, reset_retries=reset_retries, deadline=deadline, now=stamp.now)
    return await _done(db, page, "restart_reading", stamp=stamp)


def body_key_of(page: Any) -> str:
    """Where the archive keeps the page's body; refuses when we hold none."""
    if page.body_key is None:
        raise no_body(page.id)
    return str(page.body_key)


def no_body(page_id: int) -> BadInput:
    """The refusal for a page without a stored body."""
    message = f"no copy of task {page_id} is stored; restart it to fetch it again"
    return BadInput(message, code="html_not_available")


async def _read_again(db: Connection, page: Any, *, reset_retries: bool, deadline: timedelta, now: datetime) -> None:
    if await crawl_jobs.of_source(db, page.source_id) is None:
        raise NotPossible("its source has no crawl job; enable the source first", possible=())
    run_id = await run_for(db, page.source_id, pages=1, bodies=1, now=now, deadline=deadline)
    await tasks.read_again(db, page.id, run_id, retry_count=0 if reset_retries else page.retry_count)


async def pause(db: Connection, page_id: int, *, stamp: Stamp) -> tuple[Any, PageStage]:
    """Pauses a page; returns it, and its stage before."""
    page = await find(db, page_id, now=stamp.now)
    if page.phase == Phase.PAUSED:
        return page, PageStage.PAUSED
    _refuse_start_page(page, "pause")
    _refuse_unless(page, "pause", page.phase in (*_IN_LINE, Phase.DOWNLOADED))
    reason = PAUSED_UNREAD if page.phase == Phase.DOWNLOADED else PAUSED_UNASKED
    await page_actions.leave(db, page.id, phase=Phase.PAUSED, reason=reason, detail=f"paused by {stamp.actor}")
    await tasks.withdraw(db, page.id)
    return await _done(db, page, "pause", stamp=stamp), PageStage(page.stage)


async def resume(db: Connection, page_id: int, *, stamp: Stamp, deadline: timedelta) -> Any:
    """Resumes a paused page: a stored body is parsed, any other page is fetched, not sooner than planned."""
    page = await find(db, page_id, now=stamp.now)
    if page.phase in (*_IN_LINE, Phase.DOWNLOADED):
        return page
    _refuse_unless(page, "resume", page.phase == Phase.PAUSED)
    if page.reason == PAUSED_UNREAD and page.body_key is not None:
        await _read_again(db, page, reset_retries=False, deadline=deadline, now=stamp.now)
    else:
        at = max(stamp.now, page.scheduled_at or stamp.now)
        await _ask_again(db, page, TaskRestart(reset_retries=False, at=at), stamp=stamp)
    return await _done(db, page, "resume", stamp=stamp)


async def cancel(db: Connection, page_id: int, *, stamp: Stamp) -> Any:
    """Cancels a page's task in any phase; a crawl that finds the page again may fetch it."""
    page = await find(db, page_id, now=stamp.now)
    if page.phase == Phase.CANCELLED:
        return page
    if page.phase in _IN_LINE:
        _refuse_start_page(page, "cancel")
    await page_actions.leave(
        db, page.id, phase=Phase.CANCELLED, reason="cancelled", detail=f"cancelled by {stamp.actor}"
    )
    await tasks.withdraw(db, page.id)
    return await _done(db, page, "cancel", stamp=stamp)


async def set_priority(db: Connection, page_id: int, priority: int, *, stamp: Stamp) -> int:
    """Puts a page before or behind others of its host; returns its priority until now.

    For a page that was not submitted this holds for its current run.
    """
    page = await find(db, page_id, now=stamp.now)
    await page_actions.rank(db, page.id, frontier.rank(priority=priority, depth=page.depth))
    await tasks.set_priority(db, page.id, priority)
    before = frontier.priority_of(page.rank)
    changed: dict[str, Any] = {"before": {"priority": before}, "after": {"priority": priority}}
    await audit_log.write(db, stamp, "task.priority", f"task {page.id}", **changed)
    return before


async def forget(db: Connection, page_id: int, *, stamp: Stamp) -> None:
    """Removes a page as if it had never been found; what was read on it stays. Refuses while it is in flight."""
    page = await find(db, page_id, now=stamp.now)
    _refuse_start_page(page, "forget")
    if page.stage in _IN_FLIGHT:
        raise NotPossible(
            f"{page.url} is {page.stage} now; try again in a moment", code="in_flight", possible=("cancel",)
        )
    await page_actions.remove(db, page.id)
    await audit_log.write(db, stamp, "page.forget", f"task {page.id}", before={"url": page.url, "phase": page.phase})


async def _done(db: Connection, page: Any, action: str, *, stamp: Stamp) -> Any:
    """Notes what was done, and returns the page as it is now."""
    after = await page_lists.one(db, page.id, now=stamp.now)
    changed: dict[str, Any] = {"before": {"phase": page.phase}, "after": {"phase": after.phase}}
    await audit_log.write(db, stamp, f"task.{action}", f"task {page.id}", **changed)
    return after


def _refuse_unless(page: Any, action: str, possible: bool) -> None:
    if possible:
        return
    instead = _POSSIBLE.get(page.phase, ("pause", "cancel"))
    raise NotPossible(
        f"cannot {action} task {page.id}: it is {page.stage}; from here it can only {' or '.join(instead)}",
        code="invalid_status",
        possible=instead,
    )


#: what can be done with a page in these phases; with one that is under way, pausing and cancelling
_POSSIBLE: dict[str, tuple[str, ...]] = {
    Phase.WAITING: ("restart", "pause", "cancel"),
    Phase.PENDING: ("restart", "pause", "cancel"),
    Phase.COMPLETED: ("restart", "restart-parsing", "cancel"),
    Phase.FAILED: ("restart", "restart-parsing", "cancel"),
    Phase.CANCELLED: ("restart", "restart-parsing"),
    Phase.PAUSED: ("resume", "restart", "restart-parsing", "cancel"),
}


def _refuse_start_page(page: Any, action: str) -> None:
    """A source without its start page would have nothing to crawl."""
    if page.role == PageRole.SEED:
        raise NotPossible(
            f"cannot {action} {page.url}: it is the start page of a source; pause that source's job instead",
            code="invalid_status",
        )
