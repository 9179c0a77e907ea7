"""What can be done with a page once it is known: ask again, read again, pause, resume, cancel, put first, forget.

Pages that somebody submitted and pages that a crawl found are the same here. One that nobody submitted gets an order
for this once when it is to be asked for; the run it was in is not begun again. Whatever is in flight is not waited for:
the page's phase says at once what was wished, and the answer that still comes finds that nobody waits for it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.task_rounds import run_for
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.model.page import PAUSED_UNASKED, PAUSED_UNREAD, Phase, Stage
from lamplighter.model.reading import Role
from lamplighter.operations.domain_proxies import host_of
from lamplighter.rules import frontier
from lamplighter.store import audit_log, crawl_jobs, page_changes, page_lists, page_orders
from lamplighter.store.database import Connection

_ENDED = (Phase.COMPLETED, Phase.FAILED, Phase.CANCELLED, Phase.PAUSED)
_IN_LINE = (Phase.WAITING, Phase.PENDING)
_IN_FLIGHT = (Stage.CRAWLING, Stage.PARSING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """How a page is to be asked for again."""

    #: gives it all its tries anew
    reset_retries: bool = True
    #: 0 to 100; None leaves it as it is
    priority: int | None = None
    #: None means at once
    at: datetime | None = None


async def find(db: Connection, page_id: int, *, now: datetime) -> Any:
    """The page with this id, held until the transaction ends."""
    if not await page_lists.hold(db, page_id):
        raise NotFound(f"there is no task {page_id}", code="task_not_found")
    return await page_lists.one(db, page_id, now=now)


def priority_of(page: Any) -> int:
    """The priority that its rank stands for."""
    return frontier.priority_of(page.rank)


def actions_of(page: Any) -> tuple[str, ...]:
    """What can be done with a page as it stands."""
    possible = list(_POSSIBLE.get(page.phase, ("pause", "cancel")))
    if page.body_key is None and "restart-parsing" in possible:
        possible.remove("restart-parsing")
    if page.stage not in _IN_FLIGHT:
        possible.append("forget")
    if page.role == Role.SEED:
        stays = ("pause", "forget", "cancel") if page.phase in _IN_LINE else ("pause", "forget")
        possible = [action for action in possible if action not in stays]
    return tuple(possible)


async def restart(db: Connection, page_id: int, again: Again, *, actor: str, now: datetime) -> Any:
    """Has a page that ended or was paused asked for again; one that is in line already stays as it stands."""
    page = await find(db, page_id, now=now)
    if page.phase in _IN_LINE:
        return page
    _refuse_unless(page, "restart", page.phase in _ENDED)
    await _ask_again(db, page, again, actor=actor, now=now)
    return await _done(db, page, "restart", actor=actor, now=now)


async def restart_failed(
    db: Connection, *, host_id: int | None, failed_after: datetime | None, limit: int, actor: str, now: datetime
) -> list[int]:
    """Has submitted pages that failed asked for again, with all their tries; returns which."""
    if host_id is not None:
        await host_of(db, host_id)
    failed = await page_changes.failed_orders(db, host_id=host_id, failed_after=failed_after, limit=limit, now=now)
    await page_changes.restart_many(db, failed, now=now)
    told = {"restarted": len(failed), "host_id": host_id}
    await audit_log.write(db, actor=actor, action="task.restart_failed", subject="tasks", now=now, after=told)
    return failed


async def _ask_again(db: Connection, page: Any, again: Again, *, actor: str, now: datetime) -> None:
    priority = again.priority if again.priority is not None else priority_of(page)
    retries = {"retry_count": 0} if again.reset_retries else {}
    rank = frontier.rank(priority=priority, depth=page.depth)
    await page_changes.wait(db, page.id, rank=rank, **retries)
    await page_orders.renew(db, page.id, at=again.at or now, priority=priority, created_by=actor)


async def restart_reading(
    db: Connection, page_id: int, *, reset_retries: bool, actor: str, deadline: timedelta, now: datetime
) -> Any:
    """Has the body that we hold of a page read again, without asking the site for anything."""
    page = await find(db, page_id, now=now)
    if page.phase == Phase.DOWNLOADED:
        return page
    _refuse_unless(page, "read again", page.phase in _ENDED)
    body_key_of(page)
    await _read_again(db, page, reset_retries=reset_retries, deadline=deadline, now=now)
    return await _done(db, page, "restart_reading", actor=actor, now=now)


def body_key_of(page: Any) -> str:
    """Where the archive keeps the page's body; refuses when we hold none."""
    if page.body_key is None:
        raise no_body(page.id)
    return str(page.body_key)


def no_body(page_id: int) -> BadInput:
    """What is said of a page without a body."""
    message = f"we hold no copy of what task {page_id} answered; restart it to ask for it again"
    return BadInput(message, code="html_not_available")


async def _read_again(db: Connection, page: Any, *, reset_retries: bool, deadline: timedelta, now: datetime) -> None:
    if await crawl_jobs.of_source(db, page.source_id) is None:
        raise NotPossible("its source has no crawl job; enable the source first", possible=())
    run_id = await run_for(db, page.source_id, pages=1, bodies=1, now=now, deadline=deadline)
    await page_orders.read_again(db, page.id, run_id, retry_count=0 if reset_retries else page.retry_count)


async def pause(db: Connection, page_id: int, *, actor: str, now: datetime) -> tuple[Any, Stage]:
    """Leaves a page alone until somebody resumes it; returns it, and where it stood."""
    page = await find(db, page_id, now=now)
    if page.phase == Phase.PAUSED:
        return page, Stage.PAUSED
    _refuse_start_page(page, "pause")
    _refuse_unless(page, "pause", page.phase in (*_IN_LINE, Phase.DOWNLOADED))
    reason = PAUSED_UNREAD if page.phase == Phase.DOWNLOADED else PAUSED_UNASKED
    await page_changes.leave(db, page.id, phase=Phase.PAUSED, reason=reason, detail=f"paused by {actor}")
    await page_orders.withdraw(db, page.id)
    return await _done(db, page, "pause", actor=actor, now=now), Stage(page.stage)


async def resume(db: Connection, page_id: int, *, actor: str, deadline: timedelta, now: datetime) -> Any:
    """Lets a paused page go on: what was had is read, anything else is asked for, no sooner than was planned."""
    page = await find(db, page_id, now=now)
    if page.phase in (*_IN_LINE, Phase.DOWNLOADED):
        return page
    _refuse_unless(page, "resume", page.phase == Phase.PAUSED)
    if page.reason == PAUSED_UNREAD and page.body_key is not None:
        await _read_again(db, page, reset_retries=False, deadline=deadline, now=now)
    else:
        at = max(now, page.scheduled_at or now)
        await _ask_again(db, page, Again(reset_retries=False, at=at), actor=actor, now=now)
    return await _done(db, page, "resume", actor=actor, now=now)


async def cancel(db: Connection, page_id: int, *, actor: str, now: datetime) -> Any:
    """Ends a page's order for good, wherever it stands; a crawl that finds the page again may ask for it."""
    page = await find(db, page_id, now=now)
    if page.phase == Phase.CANCELLED:
        return page
    if page.phase in _IN_LINE:
        _refuse_start_page(page, "cancel")
    await page_changes.leave(db, page.id, phase=Phase.CANCELLED, reason="cancelled", detail=f"cancelled by {actor}")
    await page_orders.withdraw(db, page.id)
    return await _done(db, page, "cancel", actor=actor, now=now)


async def set_priority(db: Connection, page_id: int, priority: int, *, actor: str, now: datetime) -> int:
    """Puts a page before or behind others of its host; returns its priority until now.

    Of a page that nobody submitted this holds for the run it is in.
    """
    page = await find(db, page_id, now=now)
    await page_changes.rank(db, page.id, frontier.rank(priority=priority, depth=page.depth))
    await page_orders.set_priority(db, page.id, priority)
    before = priority_of(page)
    changed: dict[str, Any] = {"before": {"priority": before}, "after": {"priority": priority}}
    await audit_log.write(db, actor=actor, action="task.priority", subject=f"task {page.id}", now=now, **changed)
    return before


async def forget(db: Connection, page_id: int, *, actor: str, now: datetime) -> None:
    """Removes a page as if it had never been found; what was read on it stays. Refuses while it is in flight."""
    page = await find(db, page_id, now=now)
    _refuse_start_page(page, "forget")
    if page.stage in _IN_FLIGHT:
        raise NotPossible(
            f"{page.url} is {page.stage} just now; try again in a moment", code="in_flight", possible=("cancel",)
        )
    await page_changes.remove(db, page.id)
    before = {"url": page.url, "phase": page.phase}
    await audit_log.write(db, actor=actor, action="page.forget", subject=f"task {page.id}", now=now, before=before)


async def _done(db: Connection, page: Any, action: str, *, actor: str, now: datetime) -> Any:
    """Notes what was done, and returns the page as it is now."""
    after = await page_lists.one(db, page.id, now=now)
    changed: dict[str, Any] = {"before": {"phase": page.phase}, "after": {"phase": after.phase}}
    await audit_log.write(db, actor=actor, action=f"task.{action}", subject=f"task {page.id}", now=now, **changed)
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
    Phase.COMPLETED: ("restart", "restart-parsing", "cancel"),
    Phase.FAILED: ("restart", "restart-parsing", "cancel"),
    Phase.CANCELLED: ("restart", "restart-parsing"),
    Phase.PAUSED: ("resume", "restart", "restart-parsing", "cancel"),
}


def _refuse_start_page(page: Any, action: str) -> None:
    """A source without its start page would have nothing to crawl."""
    if page.role == Role.SEED:
        raise NotPossible(
            f"cannot {action} {page.url}: it is the start page of a source; pause that source's job instead",
            code="invalid_status",
        )
