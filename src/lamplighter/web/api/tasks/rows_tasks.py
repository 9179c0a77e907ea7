"""Formats pages for the task API."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.model.page import PageStage, Phase
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.rules.pages.frontier import priority_of
from lamplighter.rules.schedule import interval_text
from lamplighter.web.api.envelope import waiting_out
from lamplighter.web.api.tasks.shapes_tasks import outside, status_of


def line_of(page: Any, *, wait: Wait | None = None) -> dict[str, Any]:
    """A task in a list; `wait` is what it waits for."""
    return {
        "id": page.id,
        "domain_name": page.domain_name or page.host,
        "url": page.url,
        "status": status_of(page.stage),
        "priority": outside(priority_of(page.rank)),
        "scheduled_at": _scheduled_at(page),
        "completed_at": _completed_at(page),
        "response_time_ms": page.took_ms,
        "waiting": waiting_out(wait),
    }


def _scheduled_at(page: Any) -> datetime:
    """When it is or was due: its next try, if it waits for one."""
    retry_at = page.due_at if page.phase == Phase.PENDING else None
    at: datetime = retry_at or page.scheduled_at or page.created_at
    return at


def _completed_at(page: Any) -> datetime | None:
    """When it ended, with success or not."""
    if page.phase == Phase.FAILED:
        return _failed_by(page)
    at: datetime | None = page.fetched_at if page.phase == Phase.COMPLETED else None
    return at


def whole(page: Any, *, wait: Wait | None, page_retries: int, acted_at: datetime | None) -> dict[str, Any]:
    """A task with all its fields; `page_retries` is the default, `acted_at` the time of the last action on it."""
    frequency = timedelta(seconds=page.frequency_seconds) if page.frequency_seconds is not None else None
    return line_of(page, wait=wait) | {
        "domain_id": page.host_id,
        "url_hash": page.url_key,
        "started_at": _started_at(page),
        "retry_count": page.retry_count,
        "max_retries": page.max_retries if page.max_retries is not None else page_retries,
        "error_message": _error(page),
        "crawl_frequency": interval_text.describe(frequency) if frequency is not None else None,
        "next_crawl_at": _next_crawl_at(page, frequency if page.is_recurring else None),
        "recrawl_count": max((page.visit_count or 0) - 1, 0),
        "is_recurring": bool(page.is_recurring),
        "html_path": page.body_key if page.fetched_at is not None else None,
        "http_status_code": page.status,
        "redirected_to": page.redirected_to,
        "proxy_id": page.proxy_id,
        "proxy_url": f"{page.proxy_protocol}://{page.proxy_address}:{page.proxy_port}" if page.proxy_address else None,
        "parent_task_id": page.parent_page_id,
        "batch_id": page.batch_id,
        "created_at": page.created_at,
        "updated_at": _updated_at(page, acted_at),
        "created_by": page.created_by or "system",
    }


def _started_at(page: Any) -> datetime | None:
    """When its request was sent: the one in flight, or the last, whatever its outcome."""
    if page.stage == PageStage.CRAWLING:
        at: datetime | None = page.requested_at
        return at
    times = (page.fetched_at, page.failed_at)
    ended_at: datetime | None = max((time for time in times if time is not None), default=None)
    if ended_at is None or page.phase == Phase.WAITING:
        return None
    return ended_at - timedelta(milliseconds=page.took_ms or 0)


def _updated_at(page: Any, acted_at: datetime | None) -> datetime:
    """When it last changed; a page that its run did not reach failed when the run ended."""
    failed_by = _failed_by(page) if page.phase == Phase.FAILED else None
    times = (
        page.created_at,
        page.fetched_at,
        page.failed_at,
        page.changed_at,
        page.run_started_at,
        failed_by,
        acted_at,
        page.requested_at if page.stage == PageStage.CRAWLING else None,
    )
    return max(time for time in times if time is not None)


def _failed_by(page: Any) -> datetime | None:
    has_failed_in_run = page.failed_at is not None and page.failed_at >= (page.run_started_at or page.failed_at)
    at: datetime | None = page.failed_at if has_failed_in_run else page.run_finished_at
    return at


def _next_crawl_at(page: Any, frequency: timedelta | None) -> datetime | None:
    """The next visit; from the plan, or computed while the run is not over."""
    if page.phase != Phase.COMPLETED or frequency is None or page.fetched_at is None:
        return None
    at: datetime = page.next_at or page.fetched_at + frequency
    return at


def _error(page: Any) -> str | None:
    if page.reason is None or page.phase in (Phase.PAUSED, Phase.CANCELLED, Phase.COMPLETED):
        return None
    return f"{page.reason}: {page.detail}" if page.detail else str(page.reason)
