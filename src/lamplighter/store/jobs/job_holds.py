"""Queries for jobs whose host gets no requests now, and for how many jobs such hosts have."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.store.engine import queries
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs.job_conditions import HAS_FAILED, IS_ACTIVE, IS_RETRYING
from lamplighter.store.schema.tables import crawl_jobs, hosts


class HeldJob(NamedTuple):
    """A job with the host of its start page, which gets no requests now."""

    source_id: int
    state: JobState
    held_since: datetime | None
    next_run_at: datetime | None
    #: the host's
    key: str
    enabled: bool
    blocked_until: datetime | None
    block_reason: str | None
    budget_free_at: datetime | None
    proxy_wait_until: datetime | None
    proxy_wait_reason: str | None


class HostInTrouble(NamedTuple):
    """A host with jobs that fail, or wait because it is blocked."""

    id: int
    key: str
    blocked_until: datetime | None
    block_reason: str | None
    failing: int
    waiting: int


_HOST_FIELDS = HeldJob._fields[HeldJob._fields.index("key") :]
_JOB_FIELDS = tuple(name for name in HeldJob._fields if name not in _HOST_FIELDS)


async def of_sources(db: Connection, source_ids: Iterable[int], *, now: datetime) -> list[HeldJob]:
    """The jobs of these sources whose host is blocked, disabled, over its budget or without a proxy."""
    times = (hosts.c[name] > now for name in ("blocked_until", "budget_free_at", "proxy_wait_until"))
    is_shut = sa.or_(~hosts.c.enabled, *times)
    query = (
        sa.select(*(crawl_jobs.c[name] for name in _JOB_FIELDS), *(hosts.c[name] for name in _HOST_FIELDS))
        .join(hosts, hosts.c.id == crawl_jobs.c.host_id)
        .where(is_shut)
    )
    found: list[Any] = []
    for some in queries.chunks(sorted(set(source_ids))):
        found += (await db.execute(query.where(crawl_jobs.c.source_id.in_(some)))).all()
    return [HeldJob._make(row)._replace(state=JobState(row.state)) for row in found]


async def blocked_hosts(db: Connection, *, now: datetime, limit: int, host: str | None = None) -> list[HostInTrouble]:
    """The blocked hosts, or the one, with jobs that fail or wait for them, those with the most first."""
    fails = sa.or_(HAS_FAILED, IS_RETRYING)
    waits = sa.and_(~fails, sa.or_(crawl_jobs.c.held_since.is_not(None), crawl_jobs.c.state == JobState.RUNNING))
    failing, waiting = (queries.count_if(which) for which in (fails, waits))
    query = (
        sa.select(
            *(hosts.c[name] for name in ("id", "key", "blocked_until", "block_reason")),
            failing.label("failing"),
            waiting.label("waiting"),
        )
        .join(crawl_jobs, crawl_jobs.c.host_id == hosts.c.id)
        .where(hosts.c.blocked_until > now, IS_ACTIVE)
        .group_by(hosts.c.id)
        .having(sa.func.coalesce(waiting, 0) + sa.func.coalesce(failing, 0) > 0)
        .order_by((sa.func.coalesce(waiting, 0) + sa.func.coalesce(failing, 0)).desc(), hosts.c.id)
        .limit(limit)
    )
    rows = await db.execute(query if host is None else query.where(hosts.c.key == host))
    return [HostInTrouble._make(row)._replace(failing=row.failing or 0, waiting=row.waiting or 0) for row in rows]
