"""Gives every enabled source its crawl job and reports the counts. A pause by an operator is never undone."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from lamplighter import telemetry
from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.jobs.job_change import JobChangeResult
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob
from lamplighter.model.source import Source
from lamplighter.ports import Clock
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.sources import sources

log = telemetry.logger("sync")
_BATCH = 200
#: of those that could not be matched, so many are named
_NAMED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What a comparison came to, in numbers of sources."""

    sources_seen: int
    enabled: int
    created: int
    already_has_job: int
    #: automatic pauses that were ended
    resumed: int
    #: disabled, or with a job that an operator deleted
    skipped: int
    #: jobs that were still alive though their source is deleted, and now ended
    orphaned: int
    errors: int
    #: the public ids of the first of those with errors
    broken: tuple[str, ...]


_NUMBERS = ("sources_seen", "enabled", "created", "already_has_job", "resumed", "skipped", "orphaned", "errors")


async def sync_enabled(db: Database, *, source_defaults: SourceDefaults, actor: str, clock: Clock) -> SyncReport:
    """Gives every enabled source its job, also where new ones do not get theirs by themselves."""
    source_defaults = source_defaults.as_requested()
    counts, broken, after = Counter[str](), list[str](), 0
    while True:
        async with db.read() as connection:
            ids = await sources.ids_after(connection, after, limit=_BATCH)
        if not ids:
            break
        try:
            counts += await _counted(db, ids, source_defaults=source_defaults, now=clock.now())
        except Exception:
            for source_id in ids:
                counts += await _tried(db, source_id, broken, source_defaults=source_defaults, now=clock.now())
        after = ids[-1]
    said = {name: counts[name] for name in _NUMBERS}
    stamp = Stamp(actor, clock.now())
    await db.write(lambda c: audit_log.write(c, stamp, "jobs.sync", "sources", after=said))
    return SyncReport(**said, broken=tuple(broken[:_NAMED]))


async def _counted(db: Database, ids: list[int], *, source_defaults: SourceDefaults, now: datetime) -> Counter[str]:
    """Matches these sources in one transaction."""

    async def work(connection: Connection) -> Counter[str]:
        known = await sources.many(connection, ids)
        jobs = await crawl_jobs.of_sources(connection, ids)
        became = await job_keeper.match_many(connection, ids, source_defaults=source_defaults, now=now)
        counts = Counter[str]()
        for source in known.values():
            counts.update(_numbers(source, jobs.get(source.id), became.get(source.id)))
        return counts

    return await db.write(work)


async def _tried(
    db: Database, source_id: int, broken: list[str], *, source_defaults: SourceDefaults, now: datetime
) -> Counter[str]:
    """Matches one source; one that is broken does not stop the others."""
    try:
        return await _counted(db, [source_id], source_defaults=source_defaults, now=now)
    except Exception as error:
        trouble = f"{type(error).__name__}: {error}"
    async with db.read() as connection:
        whose = await sources.public_id(connection, source_id)
    log.error("sync.failed", source_id=whose, error=trouble)
    broken.append(whose or "a source that was removed meanwhile")
    return Counter(("sources_seen", "errors"))


def _numbers(source: Source, job: CrawlJob | None, became: JobChangeResult | None) -> list[str]:
    """Under which numbers of the report a source counts; `job` is what it had before."""
    if became is JobChangeResult.ORPHANED:
        return ["orphaned"]
    if source.deleted_at is not None or source.is_implicit:
        return []
    if not source.enabled:
        return ["sources_seen", "skipped"]
    if job is None:
        return ["sources_seen", "enabled", "created"]
    if job.deleted_at is not None:
        return ["sources_seen", "enabled", "skipped"]
    is_resumed = became is JobChangeResult.RESUMED
    return ["sources_seen", "enabled", "already_has_job", *(["resumed"] if is_resumed else [])]
