"""`lamplighter sources`: what is watched."""

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer
from rich.table import Table

from lamplighter.app import open_store
from lamplighter.cli import loop
from lamplighter.cli.console import answer, out, plain, print_json, say
from lamplighter.cli.options import Data, Depth, Json, Kind, MaxPages, Recipe, RecordsAre, load_settings, read_recipe
from lamplighter.errors import BadInput
from lamplighter.operations import sources, status
from lamplighter.operations.status import WatchedSource
from lamplighter.settings import Settings

app = typer.Typer(help="What is watched: list, add, remove.", no_args_is_help=True, add_completion=False)
ACTOR = "command line"


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
    return out.print(_table(watched))


@app.command()
def add(
    url: Annotated[str, typer.Argument(help="Where its records are listed.")],
    name: Annotated[str | None, typer.Option(help="What to call it.", show_default="the host's name")] = None,
    kind: RecordsAre = None,
    depth: Depth = None,
    max_pages: MaxPages = None,
    interval_minutes: Annotated[
        float | None, typer.Option(help="Time between runs before anything was observed.", show_default="360")
    ] = None,
    priority: Annotated[int, typer.Option(min=0, max=100, help="Higher runs sooner.")] = 50,
    recipe: Recipe = None,
    tag: Annotated[list[str] | None, typer.Option(help="A label; may be given several times.")] = None,
    data: Data = None,
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
        interval=_interval(interval_minutes if interval_minutes is not None else settings.interval_minutes),
        priority=priority,
        tags=tuple(tag or ()),
        **{key: value for key, value in given.items() if value is not None},
    )
    source_id = loop.run(_add(settings, new))
    for warning in sources.warnings(new):
        say(f"Note: {warning}")
    answer(f"Source {source_id} is watched: {url}")


@app.command()
def remove(
    url: Annotated[str | None, typer.Argument(help="The source's URL.")] = None,
    tag: Annotated[str | None, typer.Option(help="Remove every source with this label instead.")] = None,
    data: Data = None,
) -> None:
    """Stop watching a source and forget everything found through it."""
    if (url is None) == (tag is None):
        raise BadInput("say which: `sources remove URL` or `sources remove --tag LABEL`")
    removed = loop.run(_remove(load_settings(data), url=url, tag=tag))
    answer(f"Removed {removed} source{'s' * (removed != 1)}.")


async def _add(settings: Settings, new: sources.NewSource) -> int:
    async with open_store(settings) as store:
        now = store.clock.now()
        return await store.db.write(lambda db: sources.add(db, new, actor=ACTOR, now=now))


async def _remove(settings: Settings, *, url: str | None, tag: str | None) -> int:
    async with open_store(settings) as store:
        now = store.clock.now()
        if tag is not None:
            return await store.db.write(lambda db: sources.remove_tagged(db, tag, actor=ACTOR, now=now))
        assert url is not None
        await store.db.write(lambda db: sources.remove(db, url, actor=ACTOR, now=now))
        return 1


def _interval(minutes: float) -> timedelta:
    try:
        return timedelta(minutes=minutes)
    except (OverflowError, ValueError):
        raise BadInput(f"an interval of {minutes} minutes is out of range; use 1 to 527040") from None


def _table(watched: list[WatchedSource]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("Name", "Kind", "State", "Last run", "Records", "Next run"):
        table.add_column(heading, justify="right" if heading == "Records" else "left")
    table.add_column("URL", overflow="fold")
    for source in watched:
        state = f"{source.state or 'new'}{f' ({source.pause_reason})' if source.pause_reason else ''}"
        planned = f"{source.next_run_at:%Y-%m-%d %H:%M} UTC, {source.why}" if source.next_run_at else "none planned"
        last = f"{source.last_outcome} {source.last_finished_at:%Y-%m-%d %H:%M}" if source.last_finished_at else "-"
        cells = (source.name, source.kind or "auto", state, last, source.record_count, planned, source.url)
        table.add_row(*(plain(cell) for cell in cells))
    return table
