"""Checks at the end of a run which records a source still shows, and whether its extractor has drifted."""

from datetime import datetime
from typing import NamedTuple

from lamplighter import telemetry
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.rules.change import drift
from lamplighter.rules.records import presence as presence_rules
from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events
from lamplighter.store.records import presence, sightings
from lamplighter.store.runs import crawl_runs
from lamplighter.store.sources import sources

log = telemetry.logger("presence")
DRIFTED = "EXTRACTOR_DRIFTED"


class PresenceCheck(NamedTuple):
    """A source's state after a run."""

    #: whether the run visited everything
    saw_everything: bool
    #: records that its pages show
    shown: int
    #: whether earlier runs showed any
    has_shown_before: bool
    #: why its extractor may be broken; None when it works as usual
    drift: drift.Drift | None
    #: whether the previous run had not drifted
    is_news: bool


async def look(db: Connection, run: CrawlRun, *, overdue: bool) -> PresenceCheck:
    """Checks the source; a complete run first drops sightings on missing pages."""
    tally = run.tally
    had = tally.pages_fetched + tally.pages_unchanged
    source = await sources.get(db, run.source_id)
    saw_everything = presence_rules.saw_everything(
        is_full=source is None or not source.asks_since,
        pages_had=had,
        pages_unknown=await presence.count_unknown(db, run.id) if had else 0,
        page_count=run.page_count,
        page_budget=run.page_budget,
        overdue=overdue,
    )
    if saw_everything:
        await presence.drop_fallen(db, run.source_id, run_id=run.id)
    shown = await sightings.count_shown(db, run.source_id)
    earlier = await crawl_runs.shown_before(db, run.id, source_id=run.source_id, limit=drift.WINDOW)
    broken = drift.judge(
        shown=shown, found=tally.records_found, untitled=tally.empty_titles, earlier=[each.records for each in earlier]
    )
    return PresenceCheck(
        saw_everything=saw_everything,
        shown=shown,
        has_shown_before=any(each.records for each in earlier),
        drift=broken if had else None,
        is_news=not earlier or not earlier[0].has_drifted,
    )


async def settle(db: Connection, run: CrawlRun, check: PresenceCheck, *, outcome: RunOutcome, now: datetime) -> None:
    """Marks records as gone that were missing twice, and publishes an event when drift begins."""
    if check.drift is not None and check.is_news:
        reason, median = check.drift
        payload = {"source": run.source_id, "run": run.id, "shown": check.shown, "median": median, "reason": reason}
        await events.publish(db, DRIFTED, source_id=run.source_id, payload=payload, now=now)
    if outcome is not RunOutcome.OK or not check.saw_everything:
        return
    gone = await presence.note_missing(
        db,
        run.source_id,
        run_id=run.id,
        now=now,
        gone_after=presence_rules.GONE_AFTER,
        by_absence=presence_rules.WITHDRAWN_BY_ABSENCE,
    )
    if gone:
        log.info("records.gone", run=run.public_id, records=gone)
