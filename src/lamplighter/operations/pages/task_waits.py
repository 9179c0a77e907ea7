"""What tasks wait for besides their turn: a host that gets no requests, a proxy, a window."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from lamplighter.model import window_json
from lamplighter.model.page import PageStage
from lamplighter.rules.hosts import waiting
from lamplighter.rules.hosts.waiting import HeldCase, Wait
from lamplighter.rules.schedule import window, window_text
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import activity

_TO_BE_FETCHED = (PageStage.WAITING, PageStage.PENDING, PageStage.QUEUED)


async def of_tasks(db: Connection, tasks: Iterable[Any], *, now: datetime) -> dict[int, Wait]:
    """Task -> what it waits for; without those that wait for their turn or time only."""
    waits = [task for task in tasks if task.stage in _TO_BE_FETCHED]
    hosts = (
        {host.id: host for host in await activity.hosts_by_id(db, {task.host_id for task in waits})} if waits else {}
    )
    found = {task.id: _wait(task, hosts[task.host_id], now=now) for task in waits}
    return {task_id: wait for task_id, wait in found.items() if wait is not None}


async def of_task(db: Connection, task: Any, *, now: datetime) -> Wait | None:
    """What one task waits for; None when it waits for its turn or time only."""
    return (await of_tasks(db, [task], now=now)).get(task.id)


def _wait(task: Any, host: Any, *, now: datetime) -> Wait | None:
    case = HeldCase(
        host=host.key,
        host_enabled=host.enabled,
        blocked_until=host.blocked_until,
        block_reason=host.block_reason,
        budget_free_at=None,
        proxy_wait_until=host.proxy_wait_until,
        proxy_wait_reason=host.proxy_wait_reason,
        is_running=False,
        is_due=True,
        is_held=False,
    )
    held = waiting.held_wait(case, now=now)
    if held is not None or task.stage != PageStage.WAITING:
        return held
    windows, _ = window_json.loaded(host.windows or [])
    opening = window.next_opening_of([windows], now) if windows else None
    if opening is None or opening <= now:
        return None
    why = f"its host {host.key} is not requested at this time ({window_text.describe(windows)})"
    return Wait(word="waiting", why=why, until=opening)
