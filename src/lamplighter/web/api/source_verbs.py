"""What both families of paths about sources do: they differ in their words, which each maps onto these."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from fastapi.responses import StreamingResponse

from lamplighter.model.access import Caller
from lamplighter.model.record import RecordKind
from lamplighter.operations import (
    jobs,
    source_bulk,
    source_export,
    source_import,
    source_list,
    source_states,
    sources,
    trials,
)
from lamplighter.operations.source_bulk import BulkOrder, BulkReport
from lamplighter.operations.source_edits import Toggle, refuse_deleted
from lamplighter.operations.source_files import FileFormat
from lamplighter.operations.source_import import OURS, ImportReport, Words
from lamplighter.operations.source_wish import NewSource
from lamplighter.operations.trials import FetchTrial, Simulation
from lamplighter.store.database import Connection
from lamplighter.store.source_lists import ListedSource, SourceFilter
from lamplighter.store.source_removal import Impact
from lamplighter.store.sources import SourceRow
from lamplighter.web.api.source_uploads import Upload
from lamplighter.web.view import ServiceView

Work = Callable[[Connection, SourceRow, Toggle], Awaitable[object]]


def toggle_of(view: ServiceView, caller: Caller, *, reason: str | None = None, by: str | None = None) -> Toggle:
    """Who does something to sources, and why."""
    return Toggle(actor=caller.name, norms=view.norms, now=view.clock.now(), reason=reason, toggled_by=by)


async def show(view: ServiceView, source_id: UUID) -> ListedSource:
    """One source."""
    async with view.db.read() as db:
        return await source_list.one(db, (await sources.find(db, source_id)).id)


async def do(view: ServiceView, source_id: UUID, work: Work, toggle: Toggle) -> ListedSource:
    """Does something to a source, and shows what it is then."""

    async def step(db: Connection) -> ListedSource:
        source = await sources.find(db, source_id)
        await work(db, source, toggle)
        return await source_list.one(db, source.id)

    listed = await view.db.write(step)
    _ring(view)
    return listed


async def create(view: ServiceView, caller: Caller, wish: NewSource) -> ListedSource:
    """Adds a source with its job."""
    now = view.clock.now()

    async def step(db: Connection) -> ListedSource:
        source_id = await sources.create(db, wish, norms=view.norms, actor=caller.name, now=now)
        return await source_list.one(db, source_id)

    listed = await view.db.write(step)
    _ring(view)
    return listed


async def clone(view: ServiceView, caller: Caller, source_id: UUID, *, url: str, name: str | None) -> ListedSource:
    """Watches another URL in the same way."""
    now = view.clock.now()

    async def step(db: Connection) -> ListedSource:
        like = await sources.find(db, source_id)
        made = await sources.clone(db, like, url=url, name=name, norms=view.norms, actor=caller.name, now=now)
        return await source_list.one(db, made)

    listed = await view.db.write(step)
    _ring(view)
    return listed


def altering(alter: Callable[[NewSource], NewSource]) -> Work:
    """Makes a source what `alter` says."""

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        await sources.change(db, source, alter, norms=toggle.norms, actor=toggle.actor, now=toggle.now)

    return work


async def pause(db: Connection, source: SourceRow, toggle: Toggle) -> None:
    """Leaves a source alone until somebody resumes it."""
    await jobs.pause(db, await jobs.find(db, source.url), actor=toggle.actor, now=toggle.now)


async def resume(db: Connection, source: SourceRow, toggle: Toggle) -> None:
    """Lets a source go on, its failures forgotten; one that was disabled is enabled."""
    if not source.enabled:
        await source_states.enable(db, source, toggle)
        return
    await jobs.resume(db, await jobs.find(db, source.url), actor=toggle.actor, now=toggle.now)


async def delete(view: ServiceView, source_id: UUID, toggle: Toggle) -> Impact:
    """Hides a source; what was found stays."""

    async def step(db: Connection) -> Impact:
        return await source_states.delete(db, await sources.find(db, source_id), toggle)

    impact = await view.db.write(step)
    _ring(view)
    return impact


async def purge(view: ServiceView, caller: Caller, source_id: UUID) -> Impact:
    """Removes a source for good, and all that was found through it."""
    async with view.db.read() as db:
        source = await sources.find(db, source_id)
    impact = await source_states.purge(view.db, source, actor=caller.name, now=view.clock.now())
    _ring(view)
    return impact


async def test_fetch(view: ServiceView, source_id: UUID) -> FetchTrial:
    """Asks the site for the headers of a source's URL."""
    return await trials.test_fetch(view.door, (await _present(view, source_id)).url)


async def simulate(view: ServiceView, source_id: UUID, recipe: dict[str, object] | None) -> Simulation:
    """Reads a source's URL as a run would, by its own recipe or by another, and keeps nothing."""
    source = await _present(view, source_id)
    kind = RecordKind(source.kind) if source.kind else None
    tried = source.recipe if recipe is None else recipe
    return await view.simulator.simulate(source.url, now=view.clock.now(), recipe=tried, kind=kind)


async def bulk(view: ServiceView, order: BulkOrder, toggle: Toggle) -> BulkReport:
    """Does something to many sources."""
    order = replace(order, deadline=timedelta(minutes=view.settings.run_deadline_minutes))
    report = await source_bulk.bulk(view.db, order, toggle)
    _ring(view)
    view.hosts_changed()
    return report


async def upload(view: ServiceView, caller: Caller, given: Upload, *, words: Words = OURS) -> ImportReport:
    """Imports what was uploaded."""
    report = await source_import.import_rows(
        view.db,
        given.rows,
        dry_run=given.dry_run,
        actor=caller.name,
        now=view.clock.now(),
        words=words,
    )
    _ring(view)
    return report


def download(view: ServiceView, which: SourceFilter, form: FileFormat) -> StreamingResponse:
    """All sources that match, as a file."""
    return StreamingResponse(
        source_export.export(view.db, which, form),
        media_type=source_export.media_type(form),
        headers={"Content-Disposition": f'attachment; filename="sources.{_ENDINGS.get(form, form)}"'},
    )


_ENDINGS = {FileFormat.URLS: "txt"}


async def _present(view: ServiceView, source_id: UUID) -> SourceRow:
    """A source that is watched: the site of one that was deleted is left alone."""
    async with view.db.read() as db:
        source = await sources.find(db, source_id)
    refuse_deleted(source)
    return source


def _ring(view: ServiceView) -> None:
    view.sources_changed()
    view.jobs_changed()
