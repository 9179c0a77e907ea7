"""The crawl pause: one switch that pauses all crawling in every process until an operator resumes it."""

from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.fleet import CrawlPause
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import crawl_pause
from lamplighter.store.runs import crawl_runs

LONGEST_REASON = 500
_SUBJECT = "all crawling"


async def pause(db: Connection, *, reason: str, stamp: Stamp) -> CrawlPause:
    """Pauses all crawling: no run is opened, no page fetched; requests in flight end. NotPossible if it is paused."""
    reason = " ".join(reason.split())
    if len(reason) > LONGEST_REASON:
        raise BadInput(f"a reason of {len(reason)} characters is too long; use up to {LONGEST_REASON}", field="reason")
    wanted = CrawlPause(since=stamp.now, paused_by=stamp.actor, reason=reason)
    if not await crawl_pause.begin(db, wanted):
        await refuse_runs(db)
        raise NotPossible("crawling was resumed at the same time; try again", code="crawling_paused")
    await audit_log.write(db, stamp, "crawl.pause", _SUBJECT, after={"reason": reason})
    return wanted


async def resume(db: Connection, *, stamp: Stamp) -> CrawlPause:
    """Resumes crawling and returns the pause; its time does not count towards the deadlines of runs."""
    ended = await crawl_pause.end(db)
    if ended is None:
        raise NotPossible("crawling is not paused", code="crawling_not_paused")
    await crawl_runs.make_up_for(db, stamp.now - ended.since, now=stamp.now)
    before = {"since": ended.since.isoformat(), "paused_by": ended.paused_by, "reason": ended.reason}
    await audit_log.write(db, stamp, "crawl.resume", _SUBJECT, before=before)
    return ended


async def refuse_runs(db: Connection) -> None:
    """Refuses to open a run while all crawling is paused, with the reason."""
    stopped = await crawl_pause.get(db)
    if stopped is not None:
        raise NotPossible(f"{stopped.sentence}; resume it first", code="crawling_paused")
