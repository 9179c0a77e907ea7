"""`lamplighter recipes`: learns recipes from examples."""

import json
from dataclasses import replace
from typing import Annotated

import typer

from lamplighter.app import open_trials, source_defaults
from lamplighter.app.opening import Trials
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import answer, print_json, say
from lamplighter.cli.terminal.options import Data, Json, KindOption, RecordsAre, load_settings
from lamplighter.cli.terminal.transaction import ACTOR, in_transaction
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.recipe import EMPTY
from lamplighter.model.record import RecordKind
from lamplighter.model.source import Source
from lamplighter.operations.explain import lessons
from lamplighter.operations.explain.lessons import Lesson, Pointing
from lamplighter.operations.sources import sources
from lamplighter.rules.urls import urls
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import sources as stored

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command()
def learn(
    url: Annotated[str, typer.Argument(help="The page that lists the records: a source, or any page.")],
    title: Annotated[list[str], typer.Option(help="The title of a record on it; may be given several times.")],
    wrong: Annotated[list[str] | None, typer.Option(help="A text in a row that is no record.")] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="A field and its text in a row, such as location=Goma.")
    ] = None,
    next: Annotated[str | None, typer.Option(help="The text of the link to the next page.")] = None,
    kind: RecordsAre = None,
    save: Annotated[bool, typer.Option("--save", help="Make it the source's recipe.")] = False,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Learn a recipe from examples and print it. Reads the stored page; one that is not stored is fetched once."""
    pointing = lessons.pointing_at(titles=title, wrong=wrong or (), fields=_fields(field or ()), next=next)
    wanted = None if kind in (None, KindOption.AUTO) else RecordKind(str(kind))
    settings = load_settings(data)

    async def work() -> Lesson:
        async with open_trials(settings) as tools:
            source = await _source(tools, url)
            if save and source is None:
                raise NotFound(f"{url} is not a source; add it with `lamplighter sources add {url} --recipe FILE`")
            lesson = await _lesson(tools, url, source, pointing, wanted)
            recipe = lesson.learned()
            if save and source is not None:
                await _save(tools, source, recipe, settings)
            return lesson

    lesson = loop.run(work())
    if as_json:
        return print_json(
            {
                "recipe": lesson.learned(),
                "rows": len(lesson.taught.learned.rows),
                "versions": lesson.taught.counts,
                "notes": lesson.taught.learned.notes,
                "records": lesson.simulation.records,
            }
        )
    say(f"{len(lesson.taught.learned.rows)} rows on the page" + (f"; {lesson.lasting}" if lesson.lasting else ""))
    for note in lesson.taught.learned.notes:
        say(f"Note: {note}")
    for record in lesson.simulation.records[:3]:
        say(f"  {record['title']}  {record['url']}")
    if save:
        say("Saved; `lamplighter recipes back` goes back.")
    return answer(json.dumps(lesson.learned(), indent=2, ensure_ascii=False))


@app.command()
def back(url: Annotated[str, typer.Argument(help="The source's URL.")], data: Data = None) -> None:
    """Go back to the recipe that a source had before."""
    settings = load_settings(data)

    async def work(db: Connection, stamp: Stamp) -> None:
        source = await sources.find_by_url(db, url)
        await lessons.go_back(db, source, source_defaults=source_defaults(settings), stamp=stamp)

    in_transaction(settings, work)
    answer(f"{url}: the recipe before is its recipe again")


def _fields(given: list[str] | tuple[str, ...]) -> dict[str, str]:
    fields = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark or not value.strip():
            raise BadInput(f"{text!r} names no text; write for example location=Goma", field="field")
        fields[name.strip()] = value
    return fields


async def _source(tools: Trials, url: str) -> Source | None:
    async with tools.db.read() as db:
        return await stored.by_url(db, urls.parse(url).href)


async def _lesson(
    tools: Trials, url: str, source: Source | None, pointing: Pointing, kind: RecordKind | None
) -> Lesson:
    now = tools.clock.now()
    if source is not None:
        try:
            page = await tools.lessons.stored(source)
        except (NotPossible, NotFound):
            say("The page is not stored; it is fetched once.")
        else:
            return await tools.lessons.teach_stored(source, page, pointing, now=now)
    sample = await tools.simulator.ask(urls.parse(url).href, EMPTY, stamp=Stamp(ACTOR, now))
    if sample.body is None:
        raise NotPossible(str(getattr(sample.response.visit, "detail", "the server sent no page")))
    kind = kind or (source.kind if source is not None else None)
    recipe = source.recipe if source is not None else None
    return await tools.lessons.teach(sample.body, pointing, source_url=url, recipe=recipe, kind=kind, now=now)


async def _save(tools: Trials, source: Source, recipe: dict[str, object], settings: Settings) -> None:
    stamp = Stamp(ACTOR, tools.clock.now())
    await tools.db.write(
        lambda db: sources.change(
            db,
            source,
            lambda submitted: replace(submitted, recipe=recipe),
            source_defaults=source_defaults(settings),
            stamp=stamp,
        )
    )
