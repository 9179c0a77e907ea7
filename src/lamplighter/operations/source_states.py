"""Sources: enable, disable, delete, restore, purge. What is deleted is kept, until somebody purges or restores it."""

from dataclasses import replace
from datetime import datetime

from lamplighter.crawl import job_keeper
from lamplighter.errors import NotFound
from lamplighter.operations import source_edits
from lamplighter.operations import sources as operations
from lamplighter.operations.source_edits import Edit, Toggle
from lamplighter.store import crawl_jobs, source_bulk, source_removal, sources
from lamplighter.store.database import Connection, Database
from lamplighter.store.source_removal import Impact
from lamplighter.store.sources import SourceRow

#: rows of what was found through a source that go in one transaction
_CHUNK = 2_000


async def enable(db: Connection, source: SourceRow, toggle: Toggle) -> bool:
    """Lets a source be crawled, even if it has no job or somebody had deleted that; False when it was already."""
    held = await operations.hold(db, source)
    edit = source_edits.enabling(held, toggle)
    job = await crawl_jobs.of_source(db, held.id)
    if held.enabled and job is not None and job.deleted_at is None:
        return False
    await job_keeper.bring_back(db, held.id, asked_at=toggle.now, now=toggle.now)
    await _settle(db, edit, "source.enable", replace(toggle, norms=toggle.norms.as_asked()))
    return True


async def disable(db: Connection, source: SourceRow, toggle: Toggle) -> bool:
    """Leaves a source alone until it is enabled again, and ends the run that goes on; False when it was already."""
    held = await operations.hold(db, source)
    edit = source_edits.disabling(held, toggle)
    if held.enabled:
        await _settle(db, edit, "source.disable", toggle)
    return held.enabled


async def delete(db: Connection, source: SourceRow, toggle: Toggle) -> Impact:
    """Hides a source and has its job cancelled; what was found stays. Returns how much that is."""
    held = await operations.hold(db, source)
    await _settle(db, source_edits.deleting(held, toggle), "source.delete", toggle)
    return await source_removal.impact(db, held.id)


async def impact(db: Connection, source: SourceRow) -> Impact:
    """How much was found through a source: what stays when it is deleted, and goes when it is purged."""
    return await source_removal.impact(db, source.id)


async def restore(db: Connection, source: SourceRow, toggle: Toggle) -> None:
    """Brings a deleted source back, as it was."""
    held = await operations.hold(db, source)
    await _settle(db, source_edits.restoring(held, toggle), "source.restore", toggle)


async def purge(db: Database, source: SourceRow, *, actor: str, now: datetime) -> Impact:
    """Removes a source for good, and all that was found through it, bit by bit so that nobody waits for long."""
    async with db.read() as connection:
        impact = await source_removal.impact(connection, source.id)
    while await db.write(lambda connection: source_removal.remove_some(connection, source.id, limit=_CHUNK)):
        pass

    async def last(connection: Connection) -> None:
        if await sources.get(connection, source.id) is None:
            raise NotFound(f"there is no source {source.public_id}", code="source_not_found")
        await operations.forget(connection, source, actor=actor, now=now)

    await db.write(last)
    return impact


async def _settle(db: Connection, edit: Edit, action: str, toggle: Toggle) -> None:
    """Writes an edit, tells of it, and lets the job follow at once."""
    await source_bulk.write(db, [edit], actor=toggle.actor, action=action, now=toggle.now)
    await job_keeper.match(db, edit.source.id, norms=toggle.norms, now=toggle.now)
