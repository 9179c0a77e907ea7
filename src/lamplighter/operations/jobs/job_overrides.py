"""Overrides of a crawl job: set, change, remove."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.jobs.job_change import RECURS, is_to_recur
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadInput, Duplicate, NotFound, NotPossible
from lamplighter.model import window_json
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob, JobChange, JobState, Override, OverrideChange
from lamplighter.model.source import Source
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.sources.source_input import within
from lamplighter.rules.schedule import baseline, lifecycle, window
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs, job_rows
from lamplighter.store.sources import sources

MOST_RETRIES = 10
LONGEST_RETRY_BACKOFF = timedelta(hours=1)
_PLANNED = (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOverride:
    """The changes to a job."""

    schedule: OverrideChange = field(default_factory=OverrideChange)
    #: None leaves them as they are
    max_retries: int | None = None
    retry_backoff: timedelta | None = None
    metadata: Mapping[str, Any] | None = None


async def order(
    db: Connection,
    source_id: str,
    submitted: JobOverride,
    *,
    url: str | None,
    stamp: Stamp,
    source_defaults: SourceDefaults,
) -> CrawlJob:
    """Overrides the schedule of a source's job; a job that had ended starts again."""
    source = await _orderable(db, source_id, url=url)
    await takedowns.refuse_run(db, source.url)
    job = await crawl_jobs.of_source(db, source.id)
    if job is None:
        job = await _held(db, await job_keeper.create(db, source, source_defaults=source_defaults, now=stamp.now))
    job = await _held(db, job.id)
    if not job.auto_managed and job.deleted_at is None and job.state not in job_keeper.ENDED:
        message = f"{source.url} already has crawl job {job.public_id}, set by hand; change that with PUT, or delete it"
        raise Duplicate(message, code="duplicate_job")
    override = _overridden(Override(), submitted.schedule)
    ordered = _checked_change(submitted) | JobChange(deleted_at=None, auto_managed=False, override=override)
    if job.state in _PLANNED and job.deleted_at is None:
        is_once = override.recurring is False and job.state is not JobState.RUNNING
        due = JobChange(next_run_at=stamp.now, next_run_reason={"why": _ORDERED}) if is_once else JobChange()
        await crawl_jobs.change(db, job.id, ordered | due, now=stamp.now)
    else:
        lifecycle.refuse_resume_of(job.pause_reason)
        await job_keeper.begin_again(db, job, why=_ORDERED, now=stamp.now, more=ordered | job_keeper.NO_FAILURES)
    return await _retimed(db, job, "job.order", source, stamp=stamp, source_defaults=source_defaults)


_ORDERED = "an operator ordered it"


async def change(
    db: Connection, job: CrawlJob, submitted: JobOverride, *, stamp: Stamp, source_defaults: SourceDefaults
) -> CrawlJob:
    """Changes what is given; a job whose schedule was set by hand keeps it when its source changes."""
    source = await _source(db, job)
    changes = _checked_change(submitted)
    if submitted.schedule:
        if job.state in job_keeper.ENDED:
            message = f"a crawl job that is {job.state} has no schedule; create it again: POST /api/v1/jobs"
            raise NotPossible(message, possible=lifecycle.actions_from(job.state))
        override = _overridden(job.override or Override(), submitted.schedule)
        changes |= JobChange(auto_managed=False, override=override)
    if not changes:
        raise BadInput("nothing to change; set for example interval_minutes, priority or max_retries")
    await crawl_jobs.change(db, job.id, changes, now=stamp.now)
    return await _retimed(db, job, "job.change", source, stamp=stamp, source_defaults=source_defaults)


async def back_to_automatic(
    db: Connection, job: CrawlJob, *, stamp: Stamp, source_defaults: SourceDefaults
) -> CrawlJob:
    """Removes the override, so that the source's settings apply; a job that ran once starts again if it recurs."""
    source = await _source(db, job)
    automatic = JobChange(auto_managed=True, override=None)
    if source.enabled and is_to_recur(job, source):
        await job_keeper.begin_again(db, job, why=RECURS, now=stamp.now, more=automatic)
    else:
        await crawl_jobs.change(db, job.id, automatic, now=stamp.now)
    return await _retimed(db, job, "job.automatic", source, stamp=stamp, source_defaults=source_defaults)


async def _orderable(db: Connection, source_id: str, *, url: str | None) -> Source:
    """The source, held against rivals, if a job of it can be ordered."""
    known = await sources.by_public_id(db, source_id)
    source = await sources.lock(db, known.id) if known is not None else None
    if source is None or source.deleted_at is not None:
        raise NotFound(f"there is no source {source_id}; GET /api/v1/sources lists them", code="source_not_found")
    if source.is_implicit:
        raise NotPossible("this source only has submitted pages; it has no crawl job")
    if not source.enabled:
        raise NotPossible("its source is disabled; enable the source first", code="source_disabled")
    if url is not None and urls.normalise(url) != source.url:
        message = f"url {url} is not the URL of the source, which is {source.url}; leave url out, or change the source"
        raise BadInput(message, field="url", code="url_mismatch")
    return source


async def _retimed(
    db: Connection, before: CrawlJob, action: str, source: Source, *, stamp: Stamp, source_defaults: SourceDefaults
) -> CrawlJob:
    """Has the job planned by what holds now, notes what was changed, and returns the job."""
    await job_keeper.retime(db, await _held(db, before.id), source_defaults=source_defaults, now=stamp.now)
    job = await _held(db, before.id)
    await audit_log.write(db, stamp, action, source.url, before=_said(before), after=_said(job))
    return job


def _said(job: CrawlJob) -> dict[str, Any]:
    """What of a job the audit log tells."""
    return {
        "state": job.state,
        "auto_managed": job.auto_managed,
        "override": job_rows.override_values(job.override) if job.override is not None else None,
        "max_retries": job.max_retries,
        "retry_backoff_seconds": int(job.retry_backoff.total_seconds()),
    }


def _checked_change(submitted: JobOverride) -> JobChange:
    """What bears on no schedule; what cannot be kept is refused."""
    changes = JobChange()
    if submitted.max_retries is not None:
        changes |= JobChange(max_retries=within("max_retries", submitted.max_retries, 0, MOST_RETRIES))
    if submitted.retry_backoff is not None:
        seconds = int(submitted.retry_backoff.total_seconds())
        most = int(LONGEST_RETRY_BACKOFF.total_seconds())
        kept = timedelta(seconds=within("retry_backoff_seconds", seconds, 1, most))
        changes |= JobChange(retry_backoff=kept)
    if submitted.metadata is not None:
        changes |= JobChange(metadata=dict(submitted.metadata))
    return changes


def _overridden(override: Override, schedule: OverrideChange) -> Override:
    """The override with what is set anew, if each part of that can be kept."""
    said = schedule.said()
    if said.get("interval") is not None:
        said["interval"] = baseline.checked_interval(said["interval"])
    if said.get("priority") is not None:
        within("priority", said["priority"], 0, 100)
    if said.get("windows") is not None:
        window.check(said["windows"])
        said["windows"] = window_json.to_json(said["windows"])
    return replace(override, **said)


async def _source(db: Connection, job: CrawlJob) -> Source:
    source = await sources.get(db, job.source_id)
    assert source is not None, "a crawl job cannot outlive its source"
    return source


async def _held(db: Connection, job_id: int) -> CrawlJob:
    job = await crawl_jobs.lock(db, job_id)
    assert job is not None
    return job
