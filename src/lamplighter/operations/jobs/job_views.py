"""Crawl jobs as lists and the API show them: with source, policy and possible actions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlJob, JobState, SourceState
from lamplighter.model.schedule import PolicyName
from lamplighter.model.source import Source
from lamplighter.operations.jobs import job_health, job_waits
from lamplighter.operations.list_part import ListPart
from lamplighter.rules.hosts.waiting import Wait
from lamplighter.rules.schedule import lifecycle
from lamplighter.rules.schedule.lifecycle import JobAction
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_lists, tallies
from lamplighter.store.jobs.job_lists import JobDetail, JobFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """A crawl job with what surrounds it."""

    job: CrawlJob
    #: as it holds for the job
    source: Source
    policy: PolicyName
    metadata: Any
    created_at: datetime
    updated_at: datetime
    #: of the runs that are kept; None when none of them failed
    last_failure_at: datetime | None
    #: as people see it: failed when its runs fail
    status: JobState
    #: of its source
    state: SourceState
    #: what is possible now
    actions: tuple[JobAction, ...]
    #: what it waits for, if it should run and cannot; None when it does not wait
    waiting: Wait | None = None


async def listed(
    db: Connection,
    which: JobFilter,
    *,
    source_defaults: SourceDefaults,
    sort: str,
    descending: bool,
    limit: int,
    offset: int,
    now: datetime,
) -> ListPart[JobView]:
    """The jobs of this kind."""
    details = await job_lists.page(db, which, sort=sort, descending=descending, limit=limit, offset=offset)
    views = await _views(db, details, source_defaults=source_defaults, now=now)
    return ListPart(rows=views, total=await job_health.count(db, which))


async def one(db: Connection, public_id: str, *, source_defaults: SourceDefaults, now: datetime) -> JobView:
    """The job with this id."""
    missing = f"there is no crawl job {public_id}; GET /api/v1/jobs lists them"
    return await _view(db, await job_lists.get(db, public_id), missing, source_defaults=source_defaults, now=now)


async def of_source(db: Connection, source_id: str, *, source_defaults: SourceDefaults, now: datetime) -> JobView:
    """The job of the source with this id."""
    missing = f"source {source_id} has no crawl job; an enabled source gets one within seconds"
    detail = await job_lists.of_source(db, source_id)
    return await _view(db, detail, missing, source_defaults=source_defaults, now=now)


async def _view(
    db: Connection, detail: JobDetail | None, missing: str, *, source_defaults: SourceDefaults, now: datetime
) -> JobView:
    found = await _views(db, [detail] if detail is not None else [], source_defaults=source_defaults, now=now)
    if not found:
        raise NotFound(missing, code="job_not_found")
    return found[0]


async def status_counts(db: Connection) -> dict[str, int]:
    """How many jobs are in each state, and in all."""
    counts = {str(status): number for status, number in source_state.by_status(await tallies.jobs(db)).items()}
    return counts | {"total": sum(counts.values())}


async def _views(
    db: Connection, details: Sequence[JobDetail], *, source_defaults: SourceDefaults, now: datetime
) -> list[JobView]:
    jobs = [detail.job for detail in details]
    known = await effective_source.of_jobs(db, jobs, default=source_defaults.policy)
    waits = await job_waits.of_sources(db, [job.source_id for job in jobs], now=now)
    failed_at = await job_lists.last_failures(db, [job.id for job in jobs])
    return [
        JobView(
            job=detail.job,
            source=known[detail.job.source_id],
            policy=PolicyName(known[detail.job.source_id].policy or source_defaults.policy),
            metadata=detail.metadata,
            created_at=detail.created_at,
            updated_at=detail.updated_at,
            last_failure_at=failed_at.get(detail.job.id),
            status=source_state.status_of_job(detail.job),
            state=source_state.state_of_job(detail.job, waits=detail.job.source_id in waits),
            actions=lifecycle.actions_of(
                detail.job.state, detail.job.pause_reason, status=source_state.status_of_job(detail.job)
            ),
            waiting=waits.get(detail.job.source_id),
        )
        for detail in details
        if detail.job.source_id in known
    ]
