"""Makes crawl jobs match their sources. Every change of a source calls this, and only this.

The check takes a few statements for hundreds of sources and locks nothing. Only sources whose job does not match
are locked, checked again and matched; so a process that matches the same source concurrently finds nothing to do.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from lamplighter import metrics
from lamplighter.crawl.jobs.job_change import ENDED as ENDED
from lamplighter.crawl.jobs.job_change import (
    JobChangeResult,
    JobUpdate,
    begun_again,
    change_of,
    new_job,
    retimed,
    wants_job,
)
from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.runs.run_finish import cancel_run
from lamplighter.model.crawl import CrawlJob, JobChange, JobState
from lamplighter.model.source import Source
from lamplighter.rules.hosts import takedown
from lamplighter.rules.schedule import lifecycle
from lamplighter.rules.urls import urls
from lamplighter.store.engine.after_commit import after_commit
from lamplighter.store.engine.database import Connection
from lamplighter.store.hosts import host_times, hosts, takedowns
from lamplighter.store.hosts.host_times import HostTimes
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs
from lamplighter.store.runs.crawl_runs import GoingOn
from lamplighter.store.sources import sources
from lamplighter.store.sources import tags as stored_tags

#: what is reset when a person restarts a job
NO_FAILURES = JobChange(retry_count=0, failure_count=0, backoff_until=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """Effective sources, and the jobs of those that have one; both by the source's id."""

    sources: Mapping[int, Source]
    jobs: Mapping[int, CrawlJob]
    #: open runs of disabled sources, by job
    runs: Mapping[int, GoingOn]


async def match(db: Connection, source_id: int, *, source_defaults: SourceDefaults, now: datetime) -> None:
    """Creates, pauses, resumes, ends or re-times the job so that it matches its source; idempotent."""
    await match_many(db, [source_id], source_defaults=source_defaults, now=now)


async def match_many(
    db: Connection, ids: Collection[int], *, source_defaults: SourceDefaults, now: datetime
) -> dict[int, JobChangeResult]:
    """Matches the jobs of many sources, and returns how the jobs that did not match changed.

    It skips two kinds: a job that a person deleted, and that of a source which is not crawled from its URL.
    """
    unlike = await unmatched(db, ids, source_defaults=source_defaults, now=now)
    if not unlike:
        return {}
    held = await sources.hold(db, unlike)
    known = await _known(db, held, source_defaults=source_defaults)
    host_ids = await _host_ids(db, known, source_defaults=source_defaults, now=now)
    times = await host_times.many(db, host_ids.values())
    new = [source_id for source_id, source in known.sources.items() if _lacks_job(known, source, source_defaults)]
    changes = {
        job.source_id: change
        for job in known.jobs.values()
        if (change := _change(known, job, host_ids[job.source_id], times, source_defaults=source_defaults, now=now))
        is not None
    }
    if new:
        jobs = [
            new_job(
                known.sources[each], host_ids[each], times.get(host_ids[each]), source_defaults=source_defaults, now=now
            )
            for each in new
        ]
        await crawl_jobs.add_all(db, jobs, now=now)
        await _block(db, [known.sources[each] for each in new], now=now)
    await _write(db, known, changes, now=now)
    after_commit(partial(_count, created=len(new), updated=len(changes)))
    return dict.fromkeys(new, JobChangeResult.CREATED) | {each: change.became for each, change in changes.items()}


async def unmatched(
    db: Connection, ids: Collection[int], *, source_defaults: SourceDefaults, now: datetime
) -> list[int]:
    """Which of these sources have a job that does not match, or lack a job that they should have?"""
    known = await _known(db, await sources.many(db, ids), source_defaults=source_defaults)
    times = await host_times.many(db, [job.host_id for job in known.jobs.values()])
    return [
        source.id
        for source in known.sources.values()
        if _lacks_job(known, source, source_defaults)
        or (
            (job := known.jobs.get(source.id))
            and _is_unlike(known, job, times, source_defaults=source_defaults, now=now)
        )
    ]


async def create(db: Connection, source: Source, *, source_defaults: SourceDefaults, now: datetime) -> int:
    """Creates the job of a source and returns its id."""
    source = await effective_source.of_source(db, source, default=source_defaults.policy)
    host_id = await _host_id(db, source, now=now)
    host = (await host_times.many(db, [host_id])).get(host_id)
    (job_id,) = await crawl_jobs.add_all(
        db, [new_job(source, host_id, host, source_defaults=source_defaults, now=now)], now=now
    )
    await _block(db, [source], now=now)
    after_commit(partial(_count, created=1))
    return job_id


async def _block(db: Connection, new: Collection[Source], *, now: datetime) -> None:
    """Pauses the new jobs of sources whose URL is on the takedown list: they would be refused at their first run."""
    entries = await takedowns.all_of_them(db)
    covered = {source.id: entry for source in new if (entry := takedown.matching(source.url, entries)) is not None}
    for source_id, job in (await crawl_jobs.of_sources(db, covered)).items():
        if job.state not in ENDED and job.state is not JobState.PAUSED:
            await crawl_jobs.change(db, job.id, lifecycle.taken_down(job, covered[source_id]), now=now)


async def retime(db: Connection, job: CrawlJob, *, source_defaults: SourceDefaults, now: datetime) -> None:
    """Updates the job's schedule settings, and plans its next run again only if they changed."""
    source = await effective_source.of_job(db, job, default=source_defaults.policy)
    host_id = job.host_id if job.host_id is not None else await _host_id(db, source, now=now)
    host = (await host_times.many(db, [host_id])).get(host_id)
    if (changes := retimed(job, source, host_id, host, source_defaults=source_defaults, now=now)) is not None:
        await crawl_jobs.change(db, job.id, changes, now=now)


async def begin_again(db: Connection, job: CrawlJob, *, why: str, now: datetime, more: JobChange | None = None) -> None:
    """Restarts a paused or ended job at once, with the changes in `more`."""
    await crawl_jobs.change(db, job.id, begun_again(job, why=why, now=now) | (more or JobChange()), now=now)


async def bring_back(db: Connection, source_id: int, *, requested_at: datetime, now: datetime) -> None:
    """Restores the deleted job of a source that was enabled later; it is managed automatically again."""
    job = await crawl_jobs.of_source(db, source_id)
    if job is None or job.deleted_at is None or job.deleted_at > requested_at:
        return
    automatic = NO_FAILURES | JobChange(deleted_at=None, auto_managed=True, override=None)
    await begin_again(db, job, why="its source was enabled", now=now, more=automatic)


def _count(*, created: int, updated: int = 0) -> None:
    metrics.JOBS_CREATED.inc(created)
    metrics.JOBS_UPDATED.inc(updated)


async def _known(db: Connection, found: Mapping[int, Source], *, source_defaults: SourceDefaults) -> _Known:
    own = {source_id: source for source_id, source in found.items() if not source.is_implicit}
    jobs = await crawl_jobs.of_sources(db, own)
    tags = await stored_tags.settings_of_sources(db, own)
    held = {
        source_id: effective_source.effective(
            source,
            tags.get(source_id, ()),
            jobs[source_id].override if source_id in jobs else None,
            default=source_defaults.policy,
        )
        for source_id, source in own.items()
    }
    disabled = [job.id for source_id, job in jobs.items() if not held[source_id].enabled]
    runs = await crawl_runs.open_of_jobs(db, disabled) if disabled else {}
    return _Known(sources=held, jobs=jobs, runs=runs)


def _lacks_job(known: _Known, source: Source, source_defaults: SourceDefaults) -> bool:
    return source.id not in known.jobs and wants_job(source, source_defaults)


def _is_unlike(
    known: _Known, job: CrawlJob, times: Mapping[int, HostTimes], *, source_defaults: SourceDefaults, now: datetime
) -> bool:
    if job.host_id is None:  # an old job without a host: it gets one now
        return job.deleted_at is None
    return _change(known, job, job.host_id, times, source_defaults=source_defaults, now=now) is not None


def _change(
    known: _Known,
    job: CrawlJob,
    host_id: int,
    times: Mapping[int, HostTimes],
    *,
    source_defaults: SourceDefaults,
    now: datetime,
) -> JobUpdate | None:
    source, run = known.sources[job.source_id], known.runs.get(job.id)
    run_since = run.started_at if run is not None else None
    return change_of(
        job, source, host_id, times.get(host_id), run_since=run_since, source_defaults=source_defaults, now=now
    )


async def _host_ids(db: Connection, known: _Known, *, source_defaults: SourceDefaults, now: datetime) -> dict[int, int]:
    """The host of each source's start page, where it is needed."""
    hosts_by_source = {job.source_id: job.host_id for job in known.jobs.values() if job.host_id is not None}
    keys = {
        source.id: urls.parse(source.url).host_key
        for source in known.sources.values()
        if source.id not in hosts_by_source and (source.id in known.jobs or wants_job(source, source_defaults))
    }
    ids = await hosts.ensure(db, keys.values(), now=now) if keys else {}
    return hosts_by_source | {source_id: ids[key] for source_id, key in keys.items()}


async def _host_id(db: Connection, source: Source, *, now: datetime) -> int:
    host_key = urls.parse(source.url).host_key
    return (await hosts.ensure(db, [host_key], now=now))[host_key]


async def _write(db: Connection, known: _Known, changes: Mapping[int, JobUpdate], *, now: datetime) -> None:
    for change, job_ids in _alike((known.jobs[each].id, change.job) for each, change in changes.items()):
        await crawl_jobs.change_all(db, job_ids, change, now=now)
    ending = {known.jobs[each].id: change.ends_run for each, change in changes.items() if change.ends_run}
    for job_id, run in (await crawl_runs.open_of_jobs(db, ending)).items() if ending else ():
        await cancel_run(db, run.id, why=ending[job_id] or "", now=now)


def _alike(changes: Iterable[tuple[int, JobChange]]) -> list[tuple[JobChange, list[int]]]:
    """Groups jobs with the same change: one statement for a thousand disabled sources."""
    groups: list[tuple[JobChange, list[int]]] = []
    for job_id, change in changes:
        for known, job_ids in groups:
            if known == change:
                job_ids.append(job_id)
                break
        else:
            groups.append((change, [job_id]))
    return groups
