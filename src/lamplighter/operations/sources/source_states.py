"""Sources: enable, disable, delete, restore, purge. A deleted source is kept until it is purged or restored."""

from dataclasses import replace

from lamplighter.crawl.jobs import job_keeper
from lamplighter.errors import NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources import source_edits
from lamplighter.operations.sources import sources as operations
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.sources import source_bulk, source_removal, sources
from lamplighter.store.sources.source_bulk import SourceEdit
from lamplighter.store.sources.source_removal import Impact

#: rows of what was found through a source that go in one transaction
_CHUNK = 2_000


async def enable(db: Connection, source: Source, context: SourceChangeContext) -> bool:
    """Enables a source and brings back its job, even a deleted one; False if it was enabled already."""
    held = await operations.hold(db, source)
    edit = source_edits.enabling(held, context)
    job = await crawl_jobs.of_source(db, held.id)
    if held.enabled and job is not None and job.deleted_at is None:
        return False
    await job_keeper.bring_back(db, held.id, requested_at=context.stamp.now, now=context.stamp.now)
    await _settle(db, edit, "source.enable", replace(context, source_defaults=context.source_defaults.as_requested()))
    return True


async def disable(db: Connection, source: Source, context: SourceChangeContext) -> bool:
    """Disables a source and ends its open run; False if it was disabled already."""
    held = await operations.hold(db, source)
    edit = source_edits.disabling(held, context)
    if held.enabled:
        await _settle(db, edit, "source.disable", context)
    return held.enabled


async def delete(db: Connection, source: Source, context: SourceChangeContext) -> Impact:
    """Hides a source and has its job cancelled; what was found stays. Returns how much that is."""
    held = await operations.hold(db, source)
    await _settle(db, source_edits.deleting(held, context), "source.delete", context)
    return await source_removal.impact(db, held.id)


async def restore(db: Connection, source: Source, context: SourceChangeContext) -> None:
    """Brings a deleted source back, as it was."""
    held = await operations.hold(db, source)
    await _settle(db, source_edits.restoring(held, context), "source.restore", context)


async def purge(db: Database, source: Source, *, stamp: Stamp) -> Impact:
    """Removes a source and all that was found through it, in small transactions so that no writer waits for long."""
    async with db.read() as connection:
        impact = await source_removal.impact(connection, source.id)
    while await db.write(lambda connection: source_removal.remove_some(connection, source.id, limit=_CHUNK)):
        pass

    async def last(connection: Connection) -> None:
        if await sources.get(connection, source.id) is None:
            raise NotFound(f"there is no source {source.public_id}", code="source_not_found")
        await operations.forget(connection, source, stamp=stamp)

    await db.write(last)
    return impact


async def _settle(db: Connection, edit: SourceEdit, action: str, context: SourceChangeContext) -> None:
    """Writes an edit, tells of it, and lets the job follow at once."""
    await source_bulk.write(db, [edit], stamp=context.stamp, action=action)
    await job_keeper.match(db, edit.source.id, source_defaults=context.source_defaults, now=context.stamp.now)
