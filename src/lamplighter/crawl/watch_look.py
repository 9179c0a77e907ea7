"""Reads all that alerts are judged by, in one go."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from lamplighter.model.event import EventFigures
from lamplighter.model.watch_figures import DeadLetters, SilentSource, WatchFigures
from lamplighter.rules.alert_findings import MOST_ROWS
from lamplighter.rules.alerts import EVENT_SPAN, FAILURE_SPAN, LEAST_EXITS, SILENT_INTERVALS, SUCCESS_SPAN
from lamplighter.rules.politeness import BREAKER_AT
from lamplighter.store import (
    alerts,
    events,
    instances,
    scheduler_figures,
    standstill,
    watch_counts,
    watch_hosts,
    watch_sources,
)
from lamplighter.store.database import Connection

_ASKED = (watch_sources.overdue, watch_sources.held, watch_sources.failing)


async def read(
    db: Connection,
    *,
    exit_requests: Mapping[str, tuple[int, int]],
    exits_were_watched: bool,
    queue_letters: int | None,
    event_figures: EventFigures,
    longest_run: timedelta,
    now: datetime,
) -> WatchFigures:
    """The figures of now; what the database does not know is given."""
    ended, failed = await scheduler_figures.runs_ended(db, since=now - SUCCESS_SPAN, longest=longest_run)
    return WatchFigures(
        events_waiting=await _waiting(db, event_figures),
        event_errors=await watch_counts.event_errors(db, since=now - EVENT_SPAN),
        jobs_failed=await watch_sources.newly_failed(db, since=now - FAILURE_SPAN),
        runs_ended=ended,
        runs_failed=failed,
        silent=await _silent(db, now=now),
        drifting=await watch_sources.drifting(db, limit=MOST_ROWS),
        broken_sources=await watch_sources.broken(db, breaker_at=BREAKER_AT, limit=MOST_ROWS),
        broken_hosts=await watch_hosts.broken(db, breaker_at=BREAKER_AT, limit=MOST_ROWS),
        lost_robots=await watch_hosts.lost_robots(db, limit=MOST_ROWS),
        exits=await watch_hosts.exits(db, fewer_than=LEAST_EXITS, limit=MOST_ROWS),
        exit_requests=exit_requests,
        exits_were_watched=exits_were_watched,
        dead_letters=DeadLetters(
            # Those that cannot be read are with the stream alone.
            events=max(await watch_counts.dead_events(db), event_figures.dead_letters or 0),
            events_are_known=event_figures.dead_letters is not None,
            queue=queue_letters,
            index=await watch_counts.parked_records(db),
            notifications=await watch_counts.dead_notifications(db),
        ),
        standstill=await standstill.get(db),
        instances=await instances.everyone(db),
    )


async def _waiting(db: Connection, figures: EventFigures) -> int:
    """As the metric says it, or while the stream is away, how many wait for it."""
    if figures.lag is None:
        return await events.count_waiting(db)
    return figures.lag + (figures.pending or 0)


async def _silent(db: Connection, *, now: datetime) -> list[SilentSource]:
    """One interval lies before the run that did not come or failed; the others pass after it."""
    resumed_at = await alerts.last_cleared(db, "CrawlingPaused")
    how: dict[str, Any] = {"intervals": SILENT_INTERVALS - 1, "now": now, "not_before": resumed_at, "limit": MOST_ROWS}
    unopened = await watch_sources.unopened(db, **how)
    found = [await ask(db, breaker_at=BREAKER_AT, **how) for ask in _ASKED]
    return [*unopened, *chain.from_iterable(found)]
