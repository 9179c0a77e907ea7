"""What crawl jobs wait for: a host that is blocked, disabled, over its budget or without a proxy."""

from collections.abc import Iterable
from datetime import datetime

from lamplighter.model.crawl import JobState
from lamplighter.rules.hosts import waiting
from lamplighter.rules.hosts.waiting import HeldCase, Wait
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_holds


async def of_sources(db: Connection, source_ids: Iterable[int], *, now: datetime) -> dict[int, Wait]:
    """The waits of those sources whose jobs wait for their host, by source."""
    waits: dict[int, Wait] = {}
    for held in await job_holds.of_sources(db, source_ids, now=now):
        is_due = held.held_since is not None or (held.next_run_at is not None and held.next_run_at <= now)
        case = HeldCase(
            host=held.key,
            host_enabled=held.enabled,
            blocked_until=held.blocked_until,
            block_reason=held.block_reason,
            budget_free_at=held.budget_free_at,
            proxy_wait_until=held.proxy_wait_until,
            proxy_wait_reason=held.proxy_wait_reason,
            is_held=held.held_since is not None,
            is_running=held.state is JobState.RUNNING,
            is_due=is_due and held.state in (JobState.PENDING, JobState.SCHEDULED),
        )
        wait = waiting.held_wait(case, now=now)
        if wait is not None:
            waits[held.source_id] = wait
    return waits


async def of_source(db: Connection, source_id: int, *, now: datetime) -> Wait | None:
    """What the job of a source waits for; None when it does not wait."""
    return (await of_sources(db, [source_id], now=now)).get(source_id)
