"""`lamplighter trial`: tests fetching and extraction without storing anything."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from lamplighter.app import open_trials
from lamplighter.cli.records import records_table
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import FAILED, answer, print_json_line
from lamplighter.cli.terminal.options import Data, Json, KindOption, Recipe, RecordsAre, load_settings, read_recipe
from lamplighter.cli.terminal.transaction import ACTOR
from lamplighter.model.record import RecordKind
from lamplighter.operations.explain import feed_discovery, trials
from lamplighter.rules.formats.plural import counted
from lamplighter.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False)
Url = Annotated[str, typer.Argument(help="The page to test.")]


@app.command()
def fetch(url: Url, as_json: Json = False, data: Data = None) -> None:
    """Fetch only the headers of a page: status, size, ETag, Last-Modified."""

    async def work(settings: Settings) -> trials.FetchTrial:
        async with open_trials(settings) as tools:
            return await trials.test_fetch(tools.door, url)

    trial = loop.run(work(load_settings(data)))
    _show(asdict(trial), as_json)
    if trial.trouble is not None:
        raise typer.Exit(FAILED)


@app.command()
def extract(url: Url, kind: RecordsAre = None, recipe: Recipe = None, as_json: Json = False, data: Data = None) -> None:
    """Extract the first three records of a page like a run would, with the method of every field."""
    wanted = None if kind in (None, KindOption.AUTO) else RecordKind(str(kind))
    instructions = read_recipe(recipe)

    async def work(settings: Settings) -> trials.Simulation:
        async with open_trials(settings) as tools:
            return await tools.simulator.simulate(
                url, now=tools.clock.now(), recipe=instructions, kind=wanted, by=ACTOR
            )

    trial = loop.run(work(load_settings(data)))
    form = asdict(trial)
    if as_json:
        print_json_line(form)
    else:
        records = form.pop("records")
        _show(form, as_json=False)
        if records:
            records_table.show(records)
            for record in records:
                doubt = " (a guess: not kept)" if record["state"] == "guess" else ""
                answer(f"  {record['title']}{doubt}: {_methods(record)}")
    if trial.trouble is not None:
        raise typer.Exit(FAILED)


@app.command()
def feeds(url: Url, as_json: Json = False, data: Data = None) -> None:
    """Search for feeds and sitemaps: announced ones, then common paths; lists only valid ones."""

    async def work(settings: Settings) -> bool:
        found = False
        async with open_trials(settings) as tools:
            async for finding in feed_discovery.discover(tools.door, url):
                found |= finding.type is not None
                if as_json:
                    print_json_line(asdict(finding))
                elif finding.type is not None:
                    answer(
                        f"{finding.type} {finding.url} ({finding.announced_by}): {counted(finding.entries, 'entry')}"
                    )
                else:
                    answer(f"no feed at {finding.url} ({finding.announced_by}): {finding.detail}")
        return found

    if not loop.run(work(load_settings(data))):
        raise typer.Exit(FAILED)


def _show(form: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json_line(form)
        return
    for name, value in form.items():
        if value not in (None, (), [], {}, False):
            answer(f"{name.replace('_', ' ')}: {value}")


def _methods(record: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} by {evidence['method']} ({evidence['confidence']:.2f})"
        for name, evidence in record["provenance"].items()
    )
