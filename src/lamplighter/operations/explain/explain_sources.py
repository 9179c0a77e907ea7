"""Lists the sources that know a URL, and the next run of each."""

from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.source_defaults import SourceDefaults, windows_of
from lamplighter.model.crawl import CrawlJob, PauseReason
from lamplighter.model.source import Source
from lamplighter.operations.sources.source_input import NewSource
from lamplighter.rules.schedule import baseline, reasons, window, window_text
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_times
from lamplighter.store.hosts.host_times import HostTimes
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import pages
from lamplighter.store.sources import sources


async def knowing(db: Connection, url: str, url_key: str, *, now: datetime) -> list[dict[str, Any]]:
    """The source that watches this URL and those that were led to it, the one whose run had it last first."""
    rows = await pages.all_by_url(db, url_key)
    watching = await sources.by_url(db, url)
    known = await sources.many(db, {row.source_id for row in rows} | ({watching.id} if watching else set()))
    jobs = await crawl_jobs.of_sources(db, known)
    held = await effective_source.of_jobs(db, jobs.values())
    times = await host_times.many(db, [job.host_id for job in jobs.values()])
    order = [row.source_id for row in rows] + ([watching.id] if watching else [])
    explained = []
    for source_id in dict.fromkeys(order):
        source, job = known[source_id], jobs.get(source_id)
        host = times.get(job.host_id) if job is not None and job.host_id is not None else None
        explained.append(
            _source(source, held.get(source_id, source), job, host, now=now) | {"watches_it": source.url == url}
        )
    return explained


def interval_if_added(source_defaults: SourceDefaults) -> timedelta:
    """The first interval of a URL, if it were added with default settings."""
    new = NewSource(url="")
    return baseline.baseline(
        None,
        None,
        policy=source_defaults.policy,
        priority=new.priority,
        rate_limit=0.0,
        max_depth=new.max_depth,
        default=source_defaults.interval,
    )


def _source(
    source: Source, held: Source, job: CrawlJob | None, host: HostTimes | None, *, now: datetime
) -> dict[str, Any]:
    """One source; `held` is the same with what its tags and its job's override say."""
    lists = windows_of(held, host)
    opening = window.next_opening_of(lists, now) if lists else now
    return {
        "id": source.public_id,
        "name": source.name,
        "url": source.url,
        "is_implicit": source.is_implicit,
        "enabled": source.enabled,
        "disabled_reason": source.disabled_reason,
        "deleted_at": source.deleted_at.isoformat() if source.deleted_at else None,
        "state": job.state if job else None,
        "pause_reason": job.pause_reason if job else None,
        "next_run_at": job.next_run_at.isoformat() if job and job.next_run_at else None,
        "is_planned": _is_planned(source, job),
        "why": reasons.sentence(dict(job.next_run_reason) if job and job.next_run_reason else None),
        "windows": " and ".join(window_text.describe(windows) for windows in lists) or "at any time",
        "window_opens_at": opening.isoformat() if opening is not None and opening > now else None,
        "min_delay_seconds": source.min_delay.total_seconds() if source.min_delay else None,
    }


def _is_planned(source: Source, job: CrawlJob | None) -> bool:
    """Whether a run will be opened by itself."""
    is_watched = source.enabled and source.deleted_at is None
    return is_watched and job is not None and job.next_run_at is not None and job.pause_reason is not PauseReason.USER
