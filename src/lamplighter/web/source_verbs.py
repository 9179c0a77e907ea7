"""Source actions that both source APIs share; each API maps its own field names onto them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from uuid import UUID

from fastapi.responses import StreamingResponse

from lamplighter.model.access import Caller
from lamplighter.model.source import Source
from lamplighter.operations.explain import lessons, trials
from lamplighter.operations.explain.lessons import Lesson, Pointing
from lamplighter.operations.explain.trials import FetchTrial, Simulation
from lamplighter.operations.jobs import jobs
from lamplighter.operations.sources import (
    source_bulk,
    source_export,
    source_feeds,
    source_import,
    source_list,
    source_states,
    sources,
)
from lamplighter.operations.sources.source_bulk import BulkOrder, BulkReport
from lamplighter.operations.sources.source_edits import SourceChangeContext, refuse_deleted
from lamplighter.operations.sources.source_feeds import SourceFeed
from lamplighter.operations.sources.source_file_formats import FileFormat
from lamplighter.operations.sources.source_import import OURS, ColumnAliases, ImportReport
from lamplighter.operations.sources.source_input import NewSource
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources.source_lists import ListedSource, SourceFilter
from lamplighter.store.sources.source_removal import Impact
from lamplighter.web.source_uploads import Upload
from lamplighter.web.view import ServiceView

Work = Callable[[Connection, Source, SourceChangeContext], Awaitable[object]]


def change_context(
    view: ServiceView, caller: Caller, *, reason: str | None = None, by: str | None = None
) -> SourceChangeContext:
    """Who changes sources, and why."""
    return SourceChangeContext(
        stamp=view.stamp(caller), source_defaults=view.source_defaults, reason=reason, toggled_by=by
    )


async def show(view: ServiceView, source_id: UUID) -> ListedSource:
    """One source."""
    async with view.db.read() as db:
        return await source_list.one(db, (await sources.find(db, source_id)).id, now=view.clock.now())


async def do(view: ServiceView, source_id: UUID, work: Work, context: SourceChangeContext) -> ListedSource:
    """Applies an action to a source and returns the source."""

    async def step(db: Connection) -> ListedSource:
        source = await sources.find(db, source_id)
        await work(db, source, context)
        return await source_list.one(db, source.id, now=view.clock.now())

    return await view.db.write(step)


async def create(view: ServiceView, caller: Caller, submitted: NewSource) -> ListedSource:
    """Adds a source with its job."""
    stamp = view.stamp(caller)

    async def step(db: Connection) -> ListedSource:
        source_id = await sources.create(db, submitted, source_defaults=view.source_defaults, stamp=stamp)
        return await source_list.one(db, source_id, now=view.clock.now())

    return await view.db.write(step)


async def clone(view: ServiceView, caller: Caller, source_id: UUID, *, url: str, name: str | None) -> ListedSource:
    """Clones a source for another URL."""
    stamp = view.stamp(caller)

    async def step(db: Connection) -> ListedSource:
        like = await sources.find(db, source_id)
        made = await sources.clone(db, like, url=url, name=name, source_defaults=view.source_defaults, stamp=stamp)
        return await source_list.one(db, made, now=view.clock.now())

    return await view.db.write(step)


def altering(alter: Callable[[NewSource], NewSource]) -> Work:
    """Changes a source by `alter`."""

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        await sources.change(db, source, alter, source_defaults=context.source_defaults, stamp=context.stamp)

    return work


async def recipe_back(db: Connection, source: Source, context: SourceChangeContext) -> None:
    """Goes back to the recipe before this one."""
    await lessons.go_back(db, source, source_defaults=context.source_defaults, stamp=context.stamp)


async def learn(
    view: ServiceView, source_id: UUID, pointing: Pointing, context: SourceChangeContext, *, save: bool
) -> Lesson:
    """Learns a recipe from examples on the stored page of a source; `save` makes it the source's recipe."""
    source = await _present(view, source_id)
    page = await view.sites.lessons.stored(source)
    lesson = await view.sites.lessons.teach_stored(source, page, pointing, now=view.clock.now())
    recipe = lesson.learned()
    if save:
        await do(view, source_id, altering(lambda submitted: replace(submitted, recipe=recipe)), context)
    return lesson


async def pause(db: Connection, source: Source, context: SourceChangeContext) -> None:
    """Pauses a source until it is resumed."""
    await jobs.pause(db, await jobs.find(db, source.url), stamp=context.stamp)


async def resume(db: Connection, source: Source, context: SourceChangeContext) -> None:
    """Resumes a source and resets its failures; enables it if it was disabled."""
    if not source.enabled:
        await source_states.enable(db, source, context)
        return
    await jobs.resume(db, await jobs.find(db, source.url), stamp=context.stamp)


async def delete(view: ServiceView, source_id: UUID, context: SourceChangeContext) -> Impact:
    """Hides a source; its data stays."""

    async def step(db: Connection) -> Impact:
        return await source_states.delete(db, await sources.find(db, source_id), context)

    return await view.db.write(step)


async def purge(view: ServiceView, caller: Caller, source_id: UUID) -> Impact:
    """Removes a source and all of its data for good."""
    source = await view.read(lambda db: sources.find(db, source_id))
    return await source_states.purge(view.db, source, stamp=view.stamp(caller))


async def test_fetch(view: ServiceView, source_id: UUID) -> FetchTrial:
    """Sends a HEAD request to a source's URL."""
    return await trials.test_fetch(view.sites.door, (await _present(view, source_id)).url)


async def feeds_of(view: ServiceView, source_id: UUID) -> list[SourceFeed]:
    """The feeds that are polled for a source."""
    source = await _present(view, source_id)
    return await view.read(lambda db: source_feeds.feeds_of(db, source))


async def find_feeds(view: ServiceView, caller: Caller, source_id: UUID) -> list[SourceFeed]:
    """Looks for the feeds of a source now."""
    source = await _present(view, source_id)
    return await source_feeds.find(view.db, view.sites.door, source, stamp=view.stamp(caller))


async def simulate(view: ServiceView, caller: Caller, source_id: UUID, recipe: dict[str, object] | None) -> Simulation:
    """Fetches and parses a source's URL as a run would, by any recipe; stores nothing."""
    source = await _present(view, source_id)
    tried = source.recipe if recipe is None else recipe
    return await view.sites.simulator.simulate(
        source.url, now=view.clock.now(), recipe=tried, kind=source.kind, by=caller.name
    )


async def bulk(view: ServiceView, order: BulkOrder, context: SourceChangeContext) -> BulkReport:
    """Applies a bulk action."""
    order = replace(order, deadline=view.run_deadline)
    return await source_bulk.bulk(view.db, order, context)


async def upload(view: ServiceView, caller: Caller, given: Upload, *, words: ColumnAliases = OURS) -> ImportReport:
    """Imports an uploaded file."""
    return await source_import.import_rows(
        view.db, given.rows, dry_run=given.dry_run, stamp=view.stamp(caller), words=words
    )


def download(view: ServiceView, which: SourceFilter, form: FileFormat) -> StreamingResponse:
    """All matching sources, as a file."""
    return StreamingResponse(
        source_export.export(view.db, which, form),
        media_type=source_export.media_type(form),
        headers={"Content-Disposition": f'attachment; filename="sources.{_ENDINGS.get(form, form)}"'},
    )


_ENDINGS = {FileFormat.URLS: "txt"}


async def _present(view: ServiceView, source_id: UUID) -> Source:
    """A source that is not deleted: sites of deleted ones get no requests."""
    source = await view.read(lambda db: sources.find(db, source_id))
    refuse_deleted(source)
    return source
