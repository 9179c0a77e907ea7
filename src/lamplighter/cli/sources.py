"""`lamplighter sources`: what is watched."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated, Any

import typer

from lamplighter.app import norms, open_store
from lamplighter.cli import loop, source_files, source_states, tables
from lamplighter.cli.confirming import Yes, confirm
from lamplighter.cli.console import answer, print_json, say
from lamplighter.cli.options import Data, Depth, Json, Kind, MaxPages, Recipe, RecordsAre, load_settings, read_recipe
from lamplighter.cli.tables import NONE, Column
from lamplighter.cli.timing import with_timing
from lamplighter.cli.transaction import ACTOR, in_transaction
from lamplighter.errors import BadInput
from lamplighter.operations import sources, status
from lamplighter.operations.status import WatchedSource
from lamplighter.settings import Settings
from lamplighter.store import source_removal
from lamplighter.store import sources as stored
from lamplighter.store.database import Connection

app = typer.Typer(
    help="What is watched: list, add, change, remove, import, export.", no_args_is_help=True, add_completion=False
)

_COLUMNS = (
    Column(heading="Name", rank=1, least=12),
    Column(heading="Kind", rank=6),
    Column(heading="State", rank=2),
    Column(heading="Last run", rank=5),
    Column(heading="Records", rank=4, is_number=True),
    Column(heading="Next run", rank=3, least=17),
    Column(heading="URL", rank=0),  # other commands know a source by it
)


@app.command("list")
def list_sources(data: Data = None, as_json: Json = False) -> None:
    """List the sources, how they stand, and when each runs next and why."""

    async def work(settings: Settings) -> list[WatchedSource]:
        async with open_store(settings) as store, store.db.read() as db:
            return await status.watched(db)

    watched = loop.run(work(load_settings(data)))
    if as_json:
        return print_json([asdict(source) for source in watched])
    if not watched:
        return answer("No sources yet; `lamplighter sources add URL` adds one.")
    return tables.show(_COLUMNS, [_row(source) for source in watched])


@app.command()
@with_timing
def add(
    url: Annotated[str, typer.Argument(help="Where its records are listed.")],
    timing: dict[str, Any],
    name: Annotated[str | None, typer.Option(help="What to call it.", show_default="the host's name")] = None,
    kind: RecordsAre = None,
    depth: Depth = None,
    max_pages: MaxPages = None,
    once: Annotated[bool, typer.Option("--once", help="Crawl it once, not again and again.")] = False,
    priority: Annotated[int, typer.Option(min=0, max=100, help="Higher runs sooner.")] = 50,
    recipe: Recipe = None,
    tag: Annotated[list[str] | None, typer.Option(help="A label; may be given several times.")] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Watch a source from now on."""
    settings = load_settings(data)
    given: dict[str, Any] = {
        "name": name,
        "kind": kind or Kind.AUTO,
        "recipe": read_recipe(recipe),
        "max_depth": depth,
        "max_pages": max_pages,
    }
    new = sources.NewSource(
        url=url,
        **timing,
        recurring=not once,
        priority=priority,
        tags=tuple(tag or ()),
        **{key: value for key, value in given.items() if value is not None},
    )

    async def work(db: Connection, now: datetime) -> WatchedSource:
        source_id = await sources.add(db, new, actor=ACTOR, now=now)
        return (await status.watched(db, source_id=source_id))[0]

    added = in_transaction(settings, work)
    for warning in sources.warnings(new):
        say(f"Note: {warning}")
    if as_json:
        return print_json(asdict(added))
    return answer(f"Source {added.id} is watched: {added.url}")


@app.command()
@with_timing
def schedule(
    url: Annotated[str, typer.Argument(help="The source's URL.")],
    timing: dict[str, Any],
    priority: Annotated[int | None, typer.Option(min=0, max=100, help="Higher runs sooner.")] = None,
    data: Data = None,
) -> None:
    """Change when and how often a source is crawled; what is not given stays. An empty word takes a choice back."""
    given = timing | {"priority": priority}
    changes: dict[str, Any] = {
        name: None if value == "" else value for name, value in given.items() if value is not None
    }
    if not changes:
        raise BadInput(f"nothing to change for {url}; `lamplighter sources schedule --help` shows what can be")

    settings = load_settings(data)

    async def work(db: Connection, now: datetime) -> None:
        source = await sources.find_by_url(db, url)
        await sources.change(
            db, source, lambda wish: replace(wish, **changes), norms=norms(settings), actor=ACTOR, now=now
        )

    in_transaction(settings, work)
    answer(f"{url}: " + ", ".join(f"{name} {value}" for name, value in changes.items()))


@app.command()
def remove(
    url: Annotated[str | None, typer.Argument(help="The source's URL.")] = None,
    tag: Annotated[str | None, typer.Option(help="Remove every source with this label instead.")] = None,
    yes: Yes = False,
    data: Data = None,
) -> None:
    """Stop watching a source and forget everything found through it, for good; `sources delete` only hides it."""
    if (url is None) == (tag is None):
        raise BadInput("say which: `sources remove URL` or `sources remove --tag LABEL`")
    settings = load_settings(data)
    if not yes and (what_goes := loop.run(_what_goes(settings, url, tag or ""))):
        confirm(what_goes)

    async def work(db: Connection, now: datetime) -> int:
        if url is None:
            return await sources.remove_tagged(db, tag or "", actor=ACTOR, now=now)
        await sources.remove(db, url, actor=ACTOR, now=now)
        return 1

    removed = in_transaction(settings, work)
    answer(f"Removed {removed} source{'s' * (removed != 1)}.")


app.command()(source_states.enable)
app.command()(source_states.disable)
app.command()(source_states.delete)
app.command()(source_states.restore)
app.command("import")(source_files.import_sources)
app.command("export")(source_files.export_sources)


async def _what_goes(settings: Settings, url: str | None, tag: str) -> str | None:
    """What would be removed, in words; None when there is nothing."""
    async with open_store(settings) as store, store.db.read() as db:
        doomed = [await sources.find_by_url(db, url)] if url is not None else await stored.all_with_tag(db, tag)
        impacts = [await source_removal.impact(db, source.id) for source in doomed]
    if not doomed:
        return None
    pages, records, runs = (sum(counts) for counts in zip(*impacts, strict=True))
    which = doomed[0].url if len(doomed) == 1 else f"{len(doomed)} sources"
    return f"{which} with {pages} pages, {records} records and {runs} runs"


def _row(source: WatchedSource) -> tuple[object, ...]:
    state = f"{source.state or 'new'}{f' ({source.pause_reason})' if source.pause_reason else ''}"
    planned = f"{source.next_run_at:%Y-%m-%d %H:%M} UTC, {source.why}" if source.next_run_at else "none planned"
    last = f"{source.last_outcome} {source.last_finished_at:%Y-%m-%d %H:%M}" if source.last_finished_at else NONE
    return (source.name, source.kind or "auto", state, last, source.record_count, planned, source.url)
