"""Reads the figures for the alert rules."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from lamplighter.model.alert_figures import AlertFigures, DeadLetters, SilentSource
from lamplighter.model.event import EventFigures
from lamplighter.rules.alerts.alert_findings import MOST_ROWS
from lamplighter.rules.alerts.alerts import EVENT_SPAN, FAILURE_SPAN, LEAST_PROXIES, SILENT_INTERVALS, SUCCESS_SPAN
from lamplighter.rules.hosts.politeness import BREAKER_AT
from lamplighter.store.alerts import alert_counts, alert_hosts, alert_sources, alerts
from lamplighter.store.engine.database import Connection
from lamplighter.store.events import events
from lamplighter.store.fleet import crawl_pause, instances, scheduler_figures

_ASKED = (alert_sources.overdue, alert_sources.held, alert_sources.failing)


async def read(
    db: Connection,
    *,
    proxy_requests: Mapping[str, tuple[int, int]],
    proxies_were_watched: bool,
    queue_letters: int | None,
    event_figures: EventFigures,
    longest_run: timedelta,
    now: datetime,
) -> AlertFigures:
    """Reads the figures; those not in the database are arguments."""
    ended, failed = await scheduler_figures.runs_ended(db, since=now - SUCCESS_SPAN, longest=longest_run)
    return AlertFigures(
        events_waiting=await _waiting(db, event_figures),
        event_errors=await alert_counts.event_errors(db, since=now - EVENT_SPAN),
        jobs_failed=await alert_sources.newly_failed(db, since=now - FAILURE_SPAN),
        runs_ended=ended,
        runs_failed=failed,
        silent=await _silent(db, now=now),
        drifting=await alert_sources.drifting(db, limit=MOST_ROWS),
        broken_sources=await alert_sources.broken(db, breaker_at=BREAKER_AT, limit=MOST_ROWS),
        broken_hosts=await alert_hosts.broken(db, breaker_at=BREAKER_AT, limit=MOST_ROWS),
        lost_robots=await alert_hosts.lost_robots(db, limit=MOST_ROWS),
        proxies=await alert_hosts.short_of_proxies(db, fewer_than=LEAST_PROXIES, limit=MOST_ROWS),
        proxy_requests=proxy_requests,
        proxies_were_watched=proxies_were_watched,
        dead_letters=DeadLetters(
            # As many as can be retried or discarded: a stream that lost its letters has none.
            events=dead if (dead := event_figures.dead_letters) is not None else await alert_counts.dead_events(db),
            events_are_known=event_figures.dead_letters is not None,
            queue=queue_letters,
            index=await alert_counts.parked_records(db),
            notifications=await alert_counts.dead_notifications(db),
        ),
        crawl_pause=await crawl_pause.get(db),
        instances=await instances.everyone(db),
    )


async def _waiting(db: Connection, figures: EventFigures) -> int:
    """The stream's lag, or while it is away, the events waiting for it."""
    if figures.lag is None:
        return await events.count_waiting(db)
    return figures.lag + (figures.pending or 0)


async def _silent(db: Connection, *, now: datetime) -> list[SilentSource]:
    """Silent sources. One interval precedes the missed or failed run; the others follow it."""
    resumed_at = await alerts.last_cleared(db, "CrawlingPaused")
    how: dict[str, Any] = {"intervals": SILENT_INTERVALS - 1, "now": now, "not_before": resumed_at, "limit": MOST_ROWS}
    unopened = await alert_sources.unopened(db, **how)
    found = [await ask(db, breaker_at=BREAKER_AT, **how) for ask in _ASKED]
    return [*unopened, *chain.from_iterable(found)]
