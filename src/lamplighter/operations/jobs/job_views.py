"""Crawl jobs as lists and the API show them: with source, policy and possible actions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import NotFound
from lamplighter.model.crawl import CrawlJob, JobState
from lamplighter.model.schedule import PolicyName
from lamplighter.model.source import Source
from lamplighter.operations.list_part import ListPart
from lamplighter.rules.schedule import lifecycle
from lamplighter.rules.schedule.lifecycle import JobAction
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_lists
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
    #: what is possible now
    actions: tuple[JobAction, ...]


async def listed(
    db: Connection,
    which: JobFilter,
    *,
    source_defaults: SourceDefaults,
    sort: str,
    descending: bool,
    limit: int,
    offset: int,
) -> ListPart[JobView]:
    """The jobs of this kind."""
    details = await job_lists.page(db, which, sort=sort, descending=descending, limit=limit, offset=offset)
    views = await _views(db, details, source_defaults=source_defaults)
    return ListPart(rows=views, total=await job_lists.count(db, which))


async def one(db: Connection, public_id: str, *, source_defaults: SourceDefaults) -> JobView:
    """The job with this id."""
    missing = f"there is no crawl job {public_id}; GET /api/v1/jobs lists them"
    return await _view(db, await job_lists.get(db, public_id), missing, source_defaults=source_defaults)


async def of_source(db: Connection, source_id: str, *, source_defaults: SourceDefaults) -> JobView:
    """The job of the source with this id."""
    missing = f"source {source_id} has no crawl job; an enabled source gets one within seconds"
    return await _view(db, await job_lists.of_source(db, source_id), missing, source_defaults=source_defaults)


async def _view(db: Connection, detail: JobDetail | None, missing: str, *, source_defaults: SourceDefaults) -> JobView:
    found = await _views(db, [detail] if detail is not None else [], source_defaults=source_defaults)
    if not found:
        raise NotFound(missing, code="job_not_found")
    return found[0]


async def status_counts(db: Connection) -> dict[str, int]:
    """How many jobs are in each state, and in all."""
    by_state = await job_lists.count_by_state(db)
    counts = {str(state): by_state.get(state, 0) for state in JobState}
    return counts | {"total": sum(counts.values())}


async def _views(db: Connection, details: Sequence[JobDetail], *, source_defaults: SourceDefaults) -> list[JobView]:
    jobs = [detail.job for detail in details]
    known = await effective_source.of_jobs(db, jobs, default=source_defaults.policy)
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
            actions=lifecycle.actions_of(detail.job.state, detail.job.pause_reason, failed_runs=detail.job.failed_runs),
        )
        for detail in details
        if detail.job.source_id in known
    ]
