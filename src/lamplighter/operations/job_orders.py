"""What a person sets for a crawl job, over what its source says: to order it, change it, leave it to automation."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl import job_keeper
from lamplighter.crawl.job_change import RECURS, is_to_recur
from lamplighter.crawl.norms import Norms
from lamplighter.errors import BadInput, Duplicate, NotFound, NotPossible
from lamplighter.model.crawl import CrawlJob, JobState, Override
from lamplighter.model.schedule import Window
from lamplighter.operations import takedowns
from lamplighter.rules import baseline, lifecycle, urls, window, window_text
from lamplighter.store import audit_log, crawl_jobs, job_rows, sources
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow

MOST_RETRIES = 10
LONGEST_RETRY_BACKOFF = timedelta(hours=1)
_STANDING = (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be something else than before."""

    #: fields of `Override` and what they are to be; None leaves a field to the source again
    schedule: Mapping[str, Any] = field(default_factory=dict)
    #: None leaves them as they are
    max_retries: int | None = None
    retry_backoff: timedelta | None = None
    metadata: Mapping[str, Any] | None = None


async def order(
    db: Connection, source_id: str, wish: Wish, *, url: str | None, actor: str, now: datetime, norms: Norms
) -> CrawlJob:
    """Takes over the standing order of a source: from now on this wish holds, and the job begins if it had ended."""
    source = await _orderable(db, source_id, url=url)
    await takedowns.refuse_run(db, source.url)
    job = await crawl_jobs.of_source(db, source.id)
    if job is None:
        job = await _held(db, await job_keeper.create(db, source, norms=norms, now=now))
    job = await _held(db, job.id)
    if not job.auto_managed and job.deleted_at is None and job.state not in job_keeper.ENDED:
        message = f"{source.url} already has crawl job {job.public_id}, set by hand; change that with PUT, or delete it"
        raise Duplicate(message, code="duplicate_job")
    override = replace(Override(), **_checked(wish.schedule))
    values = _columns(wish) | {"deleted_at": None, "auto_managed": False}
    values["override"] = job_rows.override_values(override)
    if job.state in _STANDING and job.deleted_at is None:
        is_once = override.recurring is False and job.state is not JobState.RUNNING
        due = {"next_run_at": now, "next_run_reason": {"why": _ORDERED}} if is_once else {}
        await crawl_jobs.change(db, job.id, now=now, **values, **due)
    else:
        lifecycle.refuse_resume_of(job.pause_reason)
        await job_keeper.begin_again(db, job, why=_ORDERED, now=now, **values, **job_keeper.NO_FAILURES)
    return await _retimed(db, job, "job.order", source, actor=actor, now=now, norms=norms)


_ORDERED = "somebody ordered it"


async def change(db: Connection, job: CrawlJob, wish: Wish, *, actor: str, now: datetime, norms: Norms) -> CrawlJob:
    """Changes what the wish names; a job whose schedule was set by hand keeps it when its source changes."""
    source = await _source(db, job)
    values = _columns(wish)
    if wish.schedule:
        if job.state in job_keeper.ENDED:
            message = f"the schedule of a crawl job that is {job.state} leads nowhere; order it anew: POST /api/v1/jobs"
            raise NotPossible(message, possible=lifecycle.actions_from(job.state))
        override = replace(job.override or Override(), **_checked(wish.schedule))
        values |= {"auto_managed": False, "override": job_rows.override_values(override)}
    if not values:
        raise BadInput("nothing to change was named; give for example interval_minutes, priority or max_retries")
    await crawl_jobs.change(db, job.id, now=now, **values)
    return await _retimed(db, job, "job.change", source, actor=actor, now=now, norms=norms)


async def back_to_automatic(db: Connection, job: CrawlJob, *, actor: str, now: datetime, norms: Norms) -> CrawlJob:
    """Forgets what a person set, so that the source's own word holds again; what had run once begins if it recurs."""
    source = await _source(db, job)
    automatic = {"auto_managed": True, "override": None}
    if source.enabled and is_to_recur(job, source):
        await job_keeper.begin_again(db, job, why=RECURS, now=now, **automatic)
    else:
        await crawl_jobs.change(db, job.id, now=now, **automatic)
    return await _retimed(db, job, "job.automatic", source, actor=actor, now=now, norms=norms)


async def _orderable(db: Connection, source_id: str, *, url: str | None) -> SourceRow:
    """The source, held against rivals, if a job of it can be ordered."""
    known = await sources.by_public_id(db, source_id)
    source = await sources.lock(db, known.id) if known is not None else None
    if source is None or source.deleted_at is not None:
        raise NotFound(f"there is no source {source_id}; GET /api/v1/sources lists them", code="source_not_found")
    if source.is_implicit:
        raise NotPossible("this source is only asked for submitted pages; it has no crawl job to order")
    if not source.enabled:
        raise NotPossible("its source is disabled; enable the source first", code="source_disabled")
    if url is not None and urls.normalise(url) != source.url:
        message = (
            f"url {url} is not that of the source, which watches {source.url}; leave url out, or change the source"
        )
        raise BadInput(message, field="url", code="url_mismatch")
    return source


async def _retimed(
    db: Connection, before: CrawlJob, action: str, source: SourceRow, *, actor: str, now: datetime, norms: Norms
) -> CrawlJob:
    """Has the job planned by what holds now, notes what was changed, and returns the job."""
    await job_keeper.retime(db, await _held(db, before.id), norms=norms, now=now)
    job = await _held(db, before.id)
    said = {"before": _said(before), "after": _said(job)}
    await audit_log.write(db, actor=actor, action=action, subject=source.url, now=now, **said)
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


def _columns(wish: Wish) -> dict[str, Any]:
    """What bears on no schedule, as columns; what cannot be kept is refused."""
    values: dict[str, Any] = {}
    if wish.max_retries is not None:
        values["max_retries"] = _within("max_retries", wish.max_retries, 0, MOST_RETRIES)
    if wish.retry_backoff is not None:
        seconds = int(wish.retry_backoff.total_seconds())
        most = int(LONGEST_RETRY_BACKOFF.total_seconds())
        values["retry_backoff_seconds"] = _within("retry_backoff_seconds", seconds, 1, most)
    if wish.metadata is not None:
        values["metadata"] = dict(wish.metadata)
    return values


def _checked(schedule: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an override, if each of them can be kept."""
    checked = dict(schedule)
    if checked.get("interval") is not None:
        checked["interval"] = baseline.checked_interval(checked["interval"])
    if checked.get("priority") is not None:
        checked["priority"] = _within("priority", checked["priority"], 0, 100)
    if checked.get("windows") is not None:
        windows: tuple[Window, ...] = tuple(checked["windows"])
        window.check(windows)
        checked["windows"] = window_text.to_json(windows)
    return checked


def _within(name: str, value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise BadInput(f"{name} {value} is out of range; use {least} to {most}", field=name)
    return value


async def _source(db: Connection, job: CrawlJob) -> SourceRow:
    source = await sources.get(db, job.source_id)
    assert source is not None, "a crawl job cannot outlive its source"
    return source


async def _held(db: Connection, job_id: int) -> CrawlJob:
    job = await crawl_jobs.lock(db, job_id)
    assert job is not None
    return job
