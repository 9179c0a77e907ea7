"""One switch for the whole installation: all crawling stands still, in every process, until somebody lets it go on."""

from datetime import datetime

from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.fleet import Standstill
from lamplighter.store import audit_log, crawl_runs, standstill
from lamplighter.store.database import Connection

LONGEST_REASON = 500
_SUBJECT = "all crawling"


async def current(db: Connection) -> Standstill | None:
    """Why nobody crawls; None while they do."""
    return await standstill.get(db)


async def pause(db: Connection, *, reason: str, actor: str, now: datetime) -> Standstill:
    """Stops all crawling: no run is opened, no page asked for; what is in flight ends. NotPossible when it is so."""
    reason = " ".join(reason.split())
    if len(reason) > LONGEST_REASON:
        raise BadInput(f"a reason of {len(reason)} characters is too long; use up to {LONGEST_REASON}", field="reason")
    wanted = Standstill(since=now, paused_by=actor, reason=reason)
    if not await standstill.begin(db, wanted):
        await refuse_runs(db)
        raise NotPossible("crawling was resumed at this very moment; try again", code="crawling_paused")
    await audit_log.write(db, actor=actor, action="crawl.pause", subject=_SUBJECT, now=now, after={"reason": reason})
    return wanted


async def resume(db: Connection, *, actor: str, now: datetime) -> Standstill:
    """Lets crawling go on and returns what had stopped it; the time is not held against the runs that waited."""
    ended = await standstill.end(db)
    if ended is None:
        raise NotPossible("crawling is not paused", code="crawling_not_paused")
    await crawl_runs.make_up_for(db, now - ended.since, now=now)
    before = {"since": ended.since.isoformat(), "paused_by": ended.paused_by, "reason": ended.reason}
    await audit_log.write(db, actor=actor, action="crawl.resume", subject=_SUBJECT, now=now, before=before)
    return ended


async def refuse_runs(db: Connection) -> None:
    """Refuses to open a run while all crawling stands still, and says why it does."""
    stopped = await standstill.get(db)
    if stopped is not None:
        raise NotPossible(f"{stopped.sentence}; resume it first", code="crawling_paused")
