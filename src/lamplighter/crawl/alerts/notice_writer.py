"""Writes notices in the transaction of their occurrence, but only of kinds that some rule subscribes to."""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from lamplighter.crawl.alerts import watched_items
from lamplighter.crawl.alerts.watched_items import WatchedRun
from lamplighter.model.crawl import CrawlJob, CrawlRun, JobChange, PauseReason, RunOutcome, RunTally, Trigger
from lamplighter.model.fields import otherwise
from lamplighter.model.notification import ALL_RECORDS, NewNotification, Notice, NoticeKind, NotificationState
from lamplighter.model.page import Phase
from lamplighter.ports import Clock
from lamplighter.rules.alerts import notification_text, record_watch
from lamplighter.rules.alerts.record_watch import WATCHED_RUN, WATCHING
from lamplighter.rules.change import run_streak
from lamplighter.rules.change.run_streak import EndedRun
from lamplighter.rules.schedule.backoff import BREAKER_AT
from lamplighter.store.alerts import notices, notification_rules, notifications
from lamplighter.store.alerts.watched_items import WatchedSources
from lamplighter.store.engine.database import Connection

#: a new rule takes effect after so many seconds at most
_KEPT_SECONDS = 3.0
_LONGEST_REASON = 500
_TASKS = {Phase.COMPLETED: NoticeKind.TASK_COMPLETED, Phase.FAILED: NoticeKind.TASK_FAILED}
#: kind -> the counter of a run without which there is nothing to look for
_COUNTED: Mapping[NoticeKind, Callable[[RunTally], int]] = {
    NoticeKind.RECORDS_NEW: lambda tally: tally.records_inserted,
    NoticeKind.RECORDS_CHANGED: lambda tally: tally.records_updated,
    NoticeKind.PRICE_FELL: lambda tally: tally.records_updated,
    NoticeKind.PAGES_CHANGED: lambda tally: tally.pages_changed,
}
_ABOUT_RUNS = frozenset(NoticeKind) - set(_TASKS.values()) - {NoticeKind.ALERT_FIRED, NoticeKind.ALERT_CLEARED}


class RunEnd(NamedTuple):
    """A run that ended, and what follows for its job."""

    job: CrawlJob
    run: CrawlRun
    outcome: RunOutcome
    message: str
    #: why the extractor may be broken; None when it seems to work, or was broken before
    drift: str | None
    #: columns of the job
    changes: JobChange
    #: whether the source had no complete run before this one
    is_baseline: bool = False


class NoticeWriter:
    """Writes notices; caches the subscribed kinds for a few seconds."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        #: kind -> whether some rule also wants what a baseline finds
        self._wanted: Mapping[NoticeKind, bool] = {}
        self._looked_at: float | None = None

    async def run_ended(self, db: Connection, end: RunEnd, *, now: datetime) -> None:
        """Writes the notices about the end of a run."""
        wanted = await self._wanted_kinds(db)
        if wanted.keys().isdisjoint(_ABOUT_RUNS):
            return
        watched = [kind for kind in wanted if kind in WATCHING and (wanted[kind] or not end.is_baseline)]
        facts = await _news(db, end, watched, now=now)
        if end.run.trigger is not Trigger.TASKS:
            facts |= await _about_source(db, end)
        source_id = end.run.source_id
        await notices.write(
            db, [Notice(kind=kind, at=now, source_id=source_id, data=facts[kind]) for kind in facts if kind in wanted]
        )

    async def pages_ended(self, db: Connection, ended: Collection[int], *, now: datetime) -> None:
        """Writes notices of those of these pages that are completed or failed tasks, and posts to their webhooks."""
        wanted = await self._wanted_kinds(db)
        phases = {phase for phase, kind in _TASKS.items() if kind in wanted}
        tasks = [row for row in await notices.tasks_among(db, ended) if row.phase in _TASKS] if ended else []
        await notices.write(db, [_task(row, now=now) for row in tasks if row.phase in phases])
        await notifications.add(db, [_post(row, now=now) for row in tasks if row.channel_id is not None])

    async def _wanted_kinds(self, db: Connection) -> Mapping[NoticeKind, bool]:
        now = self._clock.monotonic()
        if self._looked_at is None or now - self._looked_at >= _KEPT_SECONDS:
            self._wanted, self._looked_at = await notification_rules.wanted_kinds(db), now
        return self._wanted


def _task(row: Any, *, now: datetime) -> Notice:
    data = {"task_id": row.id, "url": row.url, "status": row.phase, "product_id": row.product_id}
    return Notice(kind=_TASKS[Phase(row.phase)], at=now, source_id=row.source_id, data=data)


def _post(row: Any, *, now: datetime) -> NewNotification:
    """The post to a task's own webhook."""
    notice = _task(row, now=now)
    payload = {"items": [notification_text.item_of(notice, None)], "more": 0}
    state = NotificationState.PENDING
    return NewNotification(
        channel_id=row.channel_id, kind=notice.kind, payload=payload, state=state, created_at=now, due_at=now
    )


def _has(tally: RunTally, kind: NoticeKind) -> bool:
    return kind not in _COUNTED or _COUNTED[kind](tally) > 0


async def _news(
    db: Connection, end: RunEnd, kinds: Iterable[NoticeKind], *, now: datetime
) -> dict[NoticeKind, dict[str, Any]]:
    """What the run found, changed or lost; with the run, for rules that want only some of it."""
    run = end.run
    of, seen = WatchedSources(run.source_id), WatchedRun(run.id, run.started_at, now)
    found: dict[NoticeKind, dict[str, Any]] = {}
    watched = {"run_id": run.id, "since": run.started_at.isoformat(), "is_baseline": end.is_baseline}
    for kind in kinds:
        if not _has(run.tally, kind):
            continue
        # The run counted its new records; what else happened must be looked at.
        count = run.tally.records_inserted if kind is NoticeKind.RECORDS_NEW else None
        limit = watched_items.MOST if count is None else record_watch.NAMED
        items = record_watch.wanted(kind, ALL_RECORDS, await watched_items.load(db, kind, of, seen, limit=limit))
        if items or count:
            found[kind] = {"run": run.number, **record_watch.told(items, count=count), WATCHED_RUN: watched}
    return found


async def _about_source(db: Connection, end: RunEnd) -> dict[NoticeKind, dict[str, Any]]:
    row = await notices.end_before(db, end.run.id, source_id=end.run.source_id)
    before = EndedRun(row.outcome, row.message or "") if row is not None else None
    resume_at = otherwise(end.changes.resume_at, None)
    facts = {"run": end.run.number, "reason": end.message[:_LONGEST_REASON]}
    paused = facts | {"until": resume_at.isoformat() if resume_at is not None else None}
    failures, failures_before = otherwise(end.changes.failed_runs, 0), end.job.failed_runs
    found: dict[NoticeKind, dict[str, Any]] = {}
    if failures > failures_before:
        found[NoticeKind.RUN_FAILED] = facts | {"failures": failures}
    if failures_before and end.outcome is not RunOutcome.FAIL:
        found[NoticeKind.RUN_RECOVERED] = facts | {"failures": failures_before}
    if _has_opened_breaker(end):
        found[NoticeKind.BREAKER_OPENED] = paused | {"failures": failures}
    is_shut_out = end.changes.turned_away_runs == run_streak.BLOCKED_AT
    if is_shut_out or run_streak.is_newly_refused(EndedRun(end.outcome, end.message), before):
        found[NoticeKind.SOURCE_BLOCKED] = paused
    if end.drift is not None:
        found[NoticeKind.SOURCE_DRIFTED] = facts | {"reason": end.drift}
    return found


def _has_opened_breaker(end: RunEnd) -> bool:
    """Whether this run opened the breaker."""
    return end.changes.pause_reason is PauseReason.BREAKER and end.job.failure_count < BREAKER_AT
