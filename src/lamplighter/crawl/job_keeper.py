"""Makes crawl jobs match their sources. Every change of a source ends here, and does only this.

Looking costs a few statements for hundreds of sources and locks nothing. Only sources whose job is not as it should be
are held, looked at once more, and matched; so whoever matches the same source at the same moment finds nothing to do.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from lamplighter import metrics
from lamplighter.crawl import effective
from lamplighter.crawl.finish import cancel_run
from lamplighter.crawl.job_change import ENDED as ENDED
from lamplighter.crawl.job_change import Became, Change, begun_again, change_of, new_job, wants_job
from lamplighter.crawl.norms import Norms
from lamplighter.crawl.retiming import retimed
from lamplighter.model.crawl import CrawlJob
from lamplighter.rules import urls
from lamplighter.store import crawl_jobs, crawl_runs, host_times, hosts, sources, tag_orders
from lamplighter.store.after_commit import after_commit
from lamplighter.store.crawl_runs import GoingOn
from lamplighter.store.database import Connection
from lamplighter.store.host_times import HostTimes
from lamplighter.store.sources import SourceRow

#: what is forgotten when somebody asks for a new beginning
NO_FAILURES = {"retry_count": 0, "failure_count": 0, "backoff_until": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """Sources as they hold for their jobs, and the jobs of those that have one; both by the source's id."""

    sources: Mapping[int, SourceRow]
    jobs: Mapping[int, CrawlJob]
    #: what goes on of disabled sources, by job
    runs: Mapping[int, GoingOn]


async def match(db: Connection, source_id: int, *, norms: Norms, now: datetime) -> None:
    """Creates, pauses, resumes, ends or re-times the job so that it says what the source says; harmless to repeat."""
    await match_many(db, [source_id], norms=norms, now=now)


async def match_many(db: Connection, ids: Collection[int], *, norms: Norms, now: datetime) -> dict[int, Became]:
    """Does that for many sources, and returns what became of the jobs that were not as they should be.

    Two kinds are left alone: a job that a person deleted, and that of a source which is not crawled from its URL.
    """
    unlike = await unmatched(db, ids, norms=norms, now=now)
    if not unlike:
        return {}
    held = await sources.hold(db, unlike)
    known = await _known(db, held, norms=norms)
    host_ids = await _host_ids(db, known, norms=norms, now=now)
    times = await host_times.many(db, host_ids.values())
    new = [source_id for source_id, source in known.sources.items() if _lacks_job(known, source, norms)]
    changes = {
        job.source_id: change
        for job in known.jobs.values()
        if (change := _change(known, job, host_ids[job.source_id], times, norms=norms, now=now)) is not None
    }
    if new:
        jobs = [
            new_job(known.sources[each], host_ids[each], times.get(host_ids[each]), norms=norms, now=now)
            for each in new
        ]
        await crawl_jobs.add_all(db, jobs, now=now)
    await _write(db, known, changes, now=now)
    after_commit(partial(_count, created=len(new), updated=len(changes)))
    return dict.fromkeys(new, Became.CREATED) | {each: change.became for each, change in changes.items()}


async def unmatched(db: Connection, ids: Collection[int], *, norms: Norms, now: datetime) -> list[int]:
    """Which of these sources have a job that is not as it should be, or none where there should be one?"""
    known = await _known(db, await sources.many(db, ids), norms=norms)
    times = await host_times.many(db, [job.host_id for job in known.jobs.values()])
    return [
        source.id
        for source in known.sources.values()
        if _lacks_job(known, source, norms)
        or ((job := known.jobs.get(source.id)) and _is_unlike(known, job, times, norms=norms, now=now))
    ]


async def create(db: Connection, source: SourceRow, *, norms: Norms, now: datetime) -> int:
    """The crawl job of a source that has none, and its id."""
    source = await effective.of_source(db, source, default=norms.policy)
    host_id = await _host_id(db, source, now=now)
    host = (await host_times.many(db, [host_id])).get(host_id)
    (job_id,) = await crawl_jobs.add_all(db, [new_job(source, host_id, host, norms=norms, now=now)], now=now)
    after_commit(partial(_count, created=1))
    return job_id


async def retime(db: Connection, job: CrawlJob, *, norms: Norms, now: datetime) -> None:
    """Takes over what bears on the schedule, and plans anew only when that is something else than before."""
    source = await effective.of_job(db, job, default=norms.policy)
    host_id = job.host_id if job.host_id is not None else await _host_id(db, source, now=now)
    host = (await host_times.many(db, [host_id])).get(host_id)
    if changes := retimed(job, source, host_id, host, norms=norms, now=now):
        await crawl_jobs.change(db, job.id, now=now, **changes)


async def begin_again(db: Connection, job: CrawlJob, *, why: str, now: datetime, **more: Any) -> None:
    """Has a job that rested or had ended begin from the start, at once."""
    await crawl_jobs.change(db, job.id, now=now, **(begun_again(job, why=why, now=now) | more))


async def bring_back(db: Connection, source_id: int, *, asked_at: datetime, now: datetime) -> None:
    """Enabling a source is asking for its job, even if somebody had deleted that before; it is automatic again."""
    job = await crawl_jobs.of_source(db, source_id)
    if job is None or job.deleted_at is None or job.deleted_at > asked_at:
        return
    automatic = {"deleted_at": None, "auto_managed": True, "override": None}
    await begin_again(db, job, why="its source was enabled", now=now, **automatic, **NO_FAILURES)


def _count(*, created: int, updated: int = 0) -> None:
    metrics.JOBS_CREATED.inc(created)
    metrics.JOBS_UPDATED.inc(updated)


async def _known(db: Connection, found: Mapping[int, SourceRow], *, norms: Norms) -> _Known:
    own = {source_id: source for source_id, source in found.items() if not source.is_implicit}
    jobs = await crawl_jobs.of_sources(db, own)
    tags = await tag_orders.many(db, own)
    held = {
        source_id: effective.effective(
            source,
            tags.get(source_id, ()),
            jobs[source_id].override if source_id in jobs else None,
            default=norms.policy,
        )
        for source_id, source in own.items()
    }
    disabled = [job.id for source_id, job in jobs.items() if not held[source_id].enabled]
    runs = await crawl_runs.open_of_jobs(db, disabled) if disabled else {}
    return _Known(sources=held, jobs=jobs, runs=runs)


def _lacks_job(known: _Known, source: SourceRow, norms: Norms) -> bool:
    return source.id not in known.jobs and wants_job(source, norms)


def _is_unlike(known: _Known, job: CrawlJob, times: Mapping[int, HostTimes], *, norms: Norms, now: datetime) -> bool:
    if job.host_id is None:  # a job of old, which learns whom it asks
        return job.deleted_at is None
    return _change(known, job, job.host_id, times, norms=norms, now=now) is not None


def _change(
    known: _Known, job: CrawlJob, host_id: int, times: Mapping[int, HostTimes], *, norms: Norms, now: datetime
) -> Change | None:
    source, run = known.sources[job.source_id], known.runs.get(job.id)
    run_since = run.started_at if run is not None else None
    return change_of(job, source, host_id, times.get(host_id), run_since=run_since, norms=norms, now=now)


async def _host_ids(db: Connection, known: _Known, *, norms: Norms, now: datetime) -> dict[int, int]:
    """Whom the start page of each source is asked of, as far as that is needed."""
    asked = {job.source_id: job.host_id for job in known.jobs.values() if job.host_id is not None}
    keys = {
        source.id: urls.parse(source.url).host_key
        for source in known.sources.values()
        if source.id not in asked and (source.id in known.jobs or wants_job(source, norms))
    }
    ids = await hosts.ensure(db, keys.values(), now=now) if keys else {}
    return asked | {source_id: ids[key] for source_id, key in keys.items()}


async def _host_id(db: Connection, source: SourceRow, *, now: datetime) -> int:
    host_key = urls.parse(source.url).host_key
    return (await hosts.ensure(db, [host_key], now=now))[host_key]


async def _write(db: Connection, known: _Known, changes: Mapping[int, Change], *, now: datetime) -> None:
    for values, job_ids in _alike((known.jobs[each].id, change.values) for each, change in changes.items()):
        await crawl_jobs.change_all(db, job_ids, now=now, **values)
    ending = {known.jobs[each].id: change.ends_run for each, change in changes.items() if change.ends_run}
    for job_id, run in (await crawl_runs.open_of_jobs(db, ending)).items() if ending else ():
        await cancel_run(db, run.id, why=ending[job_id] or "", now=now)


def _alike(changes: Iterable[tuple[int, Mapping[str, Any]]]) -> list[tuple[Mapping[str, Any], list[int]]]:
    """Jobs into which the same is written, together: one statement for a thousand disabled sources."""
    groups: list[tuple[Mapping[str, Any], list[int]]] = []
    for job_id, values in changes:
        for known, job_ids in groups:
            if known == values:
                job_ids.append(job_id)
                break
        else:
            groups.append((values, [job_id]))
    return groups
