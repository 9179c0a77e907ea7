"""What a row of the crawl jobs' table says, as a value."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from lamplighter.model.crawl import CrawlJob, JobState, Override, PauseReason
from lamplighter.model.schedule import Belief, Learnt


def job_of(row: Any) -> CrawlJob:
    """The job that a row of its table holds."""
    return CrawlJob(
        id=row.id,
        public_id=row.public_id,
        source_id=row.source_id,
        state=JobState(row.state),
        pause_reason=PauseReason(row.pause_reason) if row.pause_reason else None,
        state_since=row.state_since,
        resume_at=row.resume_at,
        auto_managed=row.auto_managed,
        override=_override(row.override),
        deleted_at=row.deleted_at,
        max_retries=row.max_retries,
        retry_backoff=timedelta(seconds=row.retry_backoff_seconds),
        priority=row.priority,
        interval=timedelta(seconds=row.interval_seconds),
        recurring=row.recurring,
        pace=timedelta(seconds=row.pace_seconds) if row.pace_seconds is not None else None,
        host_id=row.host_id,
        next_run_at=row.next_run_at,
        next_run_reason=row.next_run_reason,
        held_since=row.held_since,
        moved_at=row.moved_at,
        retry_count=row.retry_count,
        failure_count=row.failure_count,
        failed_runs=row.failed_runs,
        turned_away_runs=row.turned_away_runs,
        unchanged_count=row.unchanged_count,
        backoff_until=row.backoff_until,
        run_count=row.run_count,
        cost=row.cost,
        learnt=_learnt(row),
        page_changes=row.page_changes,
        page_hours=row.page_hours,
    )


def _override(stored: Mapping[str, Any] | None) -> Override | None:
    if stored is None:
        return None
    seconds = stored.get("interval_seconds")
    return Override(
        interval=timedelta(seconds=seconds) if seconds is not None else None,
        priority=stored.get("priority"),
        adaptive=stored.get("adaptive"),
        windows=stored.get("windows"),
        recurring=stored.get("recurring"),
    )


def _learnt(row: Any) -> Learnt | None:
    if row.belief_a is None or row.belief_b is None:
        return None
    return Learnt(
        belief=Belief(a=row.belief_a, b=row.belief_b),
        signal=row.signal,
        rise=row.rise,
        fall=row.fall,
        visit_count=row.visit_count,
        change_count=row.change_count,
        visited_at=row.visited_at,
        changed_at=row.changed_at,
        watched_hours=row.watched_hours,
        expected_stale_hours=row.expected_stale_hours,
        seen_stale_hours=row.seen_stale_hours,
    )


def override_values(override: Override) -> dict[str, Any]:
    """What a person set, as it is stored: only what they said."""
    said = {
        "interval_seconds": int(override.interval.total_seconds()) if override.interval is not None else None,
        "priority": override.priority,
        "adaptive": override.adaptive,
        "windows": override.windows,
        "recurring": override.recurring,
    }
    return {name: value for name, value in said.items() if value is not None}
