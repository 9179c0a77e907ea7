"""`lamplighter sources add|schedule|remove|enable|disable|delete|restore`: changes one source."""

from collections.abc import Callable, Coroutine
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from lamplighter.app import source_defaults
from lamplighter.cli.sources.timing import timed, with_timing
from lamplighter.cli.terminal.console import answer, print_json, say
from lamplighter.cli.terminal.options import (
    Data,
    Depth,
    Json,
    MaxPages,
    Recipe,
    RecordsAre,
    Yes,
    confirm,
    load_settings,
    read_recipe,
)
from lamplighter.cli.terminal.transaction import in_reading, in_transaction
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.model.source import Source
from lamplighter.operations.sources import demo_sources, source_states, source_status, sources
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.operations.sources.source_fields import kind_of
from lamplighter.operations.sources.source_status import WatchedSource
from lamplighter.operations.sources.source_words import typed_depth
from lamplighter.rules.formats.plural import counted
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import source_removal
from lamplighter.store.sources import sources as stored

app = typer.Typer(add_completion=False)
Url = Annotated[str, typer.Argument(help="The source's URL.")]
Reason = Annotated[str | None, typer.Option(help="The reason, shown with the source.")]
T = TypeVar("T")


@app.command()
@with_timing
def add(
    url: Annotated[str, typer.Argument(help="The page that lists its records.")],
    timing: dict[str, Any],
    name: Annotated[str | None, typer.Option(help="The name of the source.", show_default="the host's name")] = None,
    kind: RecordsAre = None,
    depth: Depth = None,
    max_pages: MaxPages = None,
    recurring: Annotated[
        bool, typer.Option("--recurring/--no-recurring", " /--once", help="Crawl it repeatedly, or only once.")
    ] = True,
    priority: Annotated[int, typer.Option(min=0, max=100, help="Higher runs first.")] = 50,
    recipe: Recipe = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be given several times.")] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Add a source."""
    settings = load_settings(data)
    entered = sources.NewSource(
        url=url,
        name=name or "",
        kind=kind_of(kind),
        recipe=read_recipe(recipe) or {},
        max_pages=max_pages,
        recurring=recurring,
        priority=priority,
        tags=tuple(tag or ()),
    )
    new = timed(entered if depth is None else replace(entered, max_depth=typed_depth(depth)), timing)

    async def work(db: Connection, stamp: Stamp) -> WatchedSource:
        source_id = await sources.add(db, new, stamp=stamp)
        return (await source_status.watched(db, now=stamp.now, source_id=source_id))[0]

    added = in_transaction(settings, work)
    for warning in sources.warnings(new):
        say(f"Note: {warning}")
    if as_json:
        return print_json(asdict(added))
    return answer(f"Source {added.id} was added: {added.url}")


@app.command()
@with_timing
def schedule(
    url: Url,
    timing: dict[str, Any],
    priority: Annotated[int | None, typer.Option(min=0, max=100, help="Higher runs first.")] = None,
    data: Data = None,
) -> None:
    """Change when and how often a source is crawled; other settings stay. An empty value resets a setting."""
    given = timing | {"priority": priority}
    changes: dict[str, Any] = {
        name: None if value == "" else value for name, value in given.items() if value is not None
    }
    if not changes:
        raise BadInput(f"nothing to change for {url}; `lamplighter sources schedule --help` lists the options")

    settings = load_settings(data)

    async def work(db: Connection, stamp: Stamp) -> None:
        source = await sources.find_by_url(db, url)
        await sources.change(
            db,
            source,
            lambda submitted: timed(submitted, given),
            source_defaults=source_defaults(settings),
            stamp=stamp,
        )

    in_transaction(settings, work)
    answer(f"{url}: " + ", ".join(f"{name} {value}" for name, value in changes.items()))


@app.command()
def remove(
    url: Annotated[str | None, typer.Argument(help="The source's URL.")] = None,
    tag: Annotated[str | None, typer.Option(help="Remove every source with this tag instead.")] = None,
    yes: Yes = False,
    data: Data = None,
) -> None:
    """Remove a source and all its data for good; `sources delete` keeps the data."""
    if (url is None) == (tag is None):
        raise BadInput("name the sources: `sources remove URL` or `sources remove --tag LABEL`")
    settings = load_settings(data)
    if not yes and (summary := in_reading(settings, lambda db, stamp: _summary(db, url, tag or ""))):
        confirm(summary)

    async def work(db: Connection, stamp: Stamp) -> int:
        if url is None:
            demo = await demo_sources.remove(db, stamp=stamp) if tag == demo_sources.TAG else 0
            return demo + await sources.remove_tagged(db, tag or "", stamp=stamp)
        await sources.remove(db, url, stamp=stamp)
        return 1

    removed = in_transaction(settings, work)
    answer(f"Removed {counted(removed, 'source')}.")


@app.command()
def enable(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Enable a source."""
    is_changed = _do(url, source_states.enable, reason, data)
    answer(f"{url} is enabled." if is_changed else f"{url} was enabled already.")


@app.command()
def disable(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Disable a source; its active run ends."""
    is_changed = _do(url, source_states.disable, reason, data)
    answer(f"{url} is disabled." if is_changed else f"{url} was disabled already.")


@app.command()
def delete(url: Url, reason: Reason = None, data: Data = None) -> None:
    """Delete a source; its data stays until `sources remove`."""
    impact = _do(url, source_states.delete, reason, data)
    kept = (counted(impact.pages, "page"), counted(impact.records, "record"), counted(impact.runs, "run"))
    answer(f"{url} is deleted. Kept: {', '.join(kept)}.")


@app.command()
def restore(url: Url, data: Data = None) -> None:
    """Restore a deleted source."""
    _do(url, source_states.restore, None, data)
    answer(f"{url} is restored.")


def _do(
    url: str,
    verb: Callable[[Connection, Source, SourceChangeContext], Coroutine[Any, Any, T]],
    reason: str | None,
    data: Path | None,
) -> T:
    settings = load_settings(data)

    async def work(db: Connection, stamp: Stamp) -> T:
        context = SourceChangeContext(stamp=stamp, source_defaults=source_defaults(settings), reason=reason)
        return await verb(db, await sources.find_by_url(db, url), context)

    return in_transaction(settings, work)


async def _summary(db: Connection, url: str | None, tag: str) -> str | None:
    """A summary of what would be removed, None if there is nothing."""
    doomed = [await sources.find_by_url(db, url)] if url is not None else await stored.all_with_tag(db, tag)
    impacts = [await source_removal.impact(db, source.id) for source in doomed]
    if not doomed:
        return None
    pages, records, runs = (sum(counts) for counts in zip(*impacts, strict=True))
    which = doomed[0].url if len(doomed) == 1 else f"{len(doomed)} sources"
    return f"{which} with {counted(pages, 'page')}, {counted(records, 'record')} and {counted(runs, 'run')}"
