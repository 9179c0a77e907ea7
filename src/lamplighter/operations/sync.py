"""Compares every source with its crawl job at once, and says what that came to. A person's pause is never undone."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from lamplighter import telemetry
from lamplighter.crawl import job_keeper
from lamplighter.crawl.job_change import Became
from lamplighter.crawl.norms import Norms
from lamplighter.model.crawl import CrawlJob
from lamplighter.ports import Clock
from lamplighter.store import audit_log, crawl_jobs, sources
from lamplighter.store.database import Connection, Database
from lamplighter.store.sources import SourceRow

log = telemetry.logger("sync")
_BATCH = 200
#: of those that could not be matched, so many are named
_NAMED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a comparison came to, in numbers of sources."""

    sources_seen: int
    enabled: int
    created: int
    already_has_job: int
    #: what automation had paused and now let go on
    resumed: int
    #: disabled, or with a job that somebody deleted
    skipped: int
    #: jobs that were still alive though their source is deleted, and now ended
    orphaned: int
    errors: int
    #: the public ids of the first of those with errors
    broken: tuple[str, ...]


_NUMBERS = ("sources_seen", "enabled", "created", "already_has_job", "resumed", "skipped", "orphaned", "errors")


async def sync_enabled(db: Database, *, norms: Norms, actor: str, clock: Clock) -> Report:
    """Gives every enabled source its job, also where new ones do not get theirs by themselves."""
    norms = norms.as_asked()
    counts, broken, after = Counter[str](), list[str](), 0
    while True:
        async with db.read() as connection:
            ids = await sources.ids_after(connection, after, limit=_BATCH)
        if not ids:
            break
        try:
            counts += await _counted(db, ids, norms=norms, now=clock.now())
        except Exception:
            for source_id in ids:
                counts += await _tried(db, source_id, broken, norms=norms, now=clock.now())
        after = ids[-1]
    said = {name: counts[name] for name in _NUMBERS}
    now = clock.now()
    await db.write(
        lambda c: audit_log.write(c, actor=actor, action="jobs.sync", subject="sources", now=now, after=said)
    )
    return Report(**said, broken=tuple(broken[:_NAMED]))


async def _counted(db: Database, ids: list[int], *, norms: Norms, now: datetime) -> Counter[str]:
    """Matches these sources in one transaction."""

    async def work(connection: Connection) -> Counter[str]:
        known = await sources.many(connection, ids)
        jobs = await crawl_jobs.of_sources(connection, ids)
        became = await job_keeper.match_many(connection, ids, norms=norms, now=now)
        counts = Counter[str]()
        for source in known.values():
            counts.update(_numbers(source, jobs.get(source.id), became.get(source.id)))
        return counts

    return await db.write(work)


async def _tried(db: Database, source_id: int, broken: list[str], *, norms: Norms, now: datetime) -> Counter[str]:
    """Matches one source; one that is broken does not stop the others."""
    try:
        return await _counted(db, [source_id], norms=norms, now=now)
    except Exception as error:
        log.error("sync.failed", source=source_id, error=f"{type(error).__name__}: {error}")
    async with db.read() as connection:
        source = await sources.get(connection, source_id)
    broken.append(source.public_id if source is not None else str(source_id))
    return Counter(("sources_seen", "errors"))


def _numbers(source: SourceRow, job: CrawlJob | None, became: Became | None) -> list[str]:
    """Under which numbers of the report a source counts; `job` is what it had before."""
    if became is Became.ORPHANED:
        return ["orphaned"]
    if source.deleted_at is not None or source.is_implicit:
        return []
    if not source.enabled:
        return ["sources_seen", "skipped"]
    if job is None:
        return ["sources_seen", "enabled", "created"]
    if job.deleted_at is not None:
        return ["sources_seen", "enabled", "skipped"]
    is_resumed = became is Became.RESUMED
    return ["sources_seen", "enabled", "already_has_job", *(["resumed"] if is_resumed else [])]
