"""Compares every source with its crawl job at once, and says what that came to. A person's pause is never undone."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from lamplighter import telemetry
from lamplighter.crawl import job_keeper
from lamplighter.crawl.norms import Norms
from lamplighter.model.crawl import PauseReason
from lamplighter.ports import Clock
from lamplighter.store import audit_log, crawl_jobs, sources
from lamplighter.store.database import Connection, Database

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
    errors: int
    #: the public ids of the first of those with errors
    broken: tuple[str, ...]


_NUMBERS = ("sources_seen", "enabled", "created", "already_has_job", "resumed", "skipped", "errors")


async def sync_enabled(db: Database, *, norms: Norms, actor: str, clock: Clock) -> Report:
    """Gives every enabled source its job."""
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
        counts = Counter[str]()
        for source_id in ids:
            counts.update(await _matched(connection, source_id, norms=norms, now=now))
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


async def _matched(db: Connection, source_id: int, *, norms: Norms, now: datetime) -> list[str]:
    """Under which numbers of the report a source counts."""
    source = await sources.get(db, source_id)
    if source is None or source.deleted_at is not None or source.is_implicit:
        return []
    job = await crawl_jobs.of_source(db, source_id)
    await job_keeper.match(db, source_id, norms=norms, now=now)
    if not source.enabled:
        return ["sources_seen", "skipped"]
    if job is None:
        return ["sources_seen", "enabled", "created"]
    if job.deleted_at is not None:
        return ["sources_seen", "enabled", "skipped"]
    is_resumed = job.pause_reason in (PauseReason.SOURCE_DISABLED, PauseReason.SOURCE_DELETED)
    return ["sources_seen", "enabled", "already_has_job", *(["resumed"] if is_resumed else [])]
