"""`lamplighter crawl`: one polite crawl now; shows how it goes, then what was found."""

import asyncio
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from lamplighter.app import Service, open_service
from lamplighter.cli import crawl_report, loop, record_file
from lamplighter.cli.console import print_json, say
from lamplighter.cli.crawl_report import Crawled
from lamplighter.cli.failing import FAILED
from lamplighter.cli.options import Data, Depth, Json, MaxPages, Recipe, RecordsAre, load_settings, read_recipe
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.crawl import Outcome
from lamplighter.model.run_figures import told
from lamplighter.model.run_log import Category, Level
from lamplighter.operations import crawl_once, records, run_waits, runs
from lamplighter.operations.crawl_once import Opened, Wish
from lamplighter.rules import urls
from lamplighter.settings import Settings
from lamplighter.store import run_log
from lamplighter.store.database import Connection
from lamplighter.store.run_log import Which

app = typer.Typer(add_completion=False)
_ACTOR = "command line"
_LOOK_EVERY_SECONDS = 0.2
_WARNINGS = Which(level=Level.WARNING)


@app.command()
def crawl(
    start: Annotated[list[str], typer.Argument(metavar="URL…", help="Where to start.")],
    kind: RecordsAre = None,
    depth: Depth = None,
    max_pages: MaxPages = None,
    delay_ms: Annotated[
        int | None,
        typer.Option(min=0, max=86_400_000, help="Least time between two requests to the host; kept as its policy."),
    ] = None,
    recipe: Recipe = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the records to a .jsonl or .csv file.")
    ] = None,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Crawl once, now, politely: shows the progress, then the records."""
    if output is not None:
        record_file.check(output)
    instructions = read_recipe(recipe)
    if instructions is not None:
        parse_recipe(instructions)
    wishes = [
        Wish(url=url, kind=kind, max_depth=depth, max_pages=max_pages, recipe=instructions, delay_ms=delay_ms)
        for url in dict.fromkeys(urls.normalise(url) for url in start)
    ]
    # A person waits: a page that fails is reported at once rather than tried again minutes later.
    settings = load_settings(data, page_retries=0, duties="fetch,parse")
    crawled = loop.run(_crawl(settings, wishes))
    if output is not None:
        record_file.write(output, [record for each in crawled for record in each.records])
    if as_json:
        print_json(_form(crawled))
    else:
        crawl_report.show(crawled)
    if any(each.run.outcome in (None, Outcome.FAIL) for each in crawled):
        raise typer.Exit(FAILED)


async def _crawl(settings: Settings, wishes: list[Wish]) -> list[Crawled]:
    async with open_service(settings, kind="crawl") as service:
        opened = await _open(service, wishes)
        for each in opened:
            if each.is_resumed:
                say(f"{each.url}: an earlier crawl is still open; going on with it.")
        async with asyncio.TaskGroup() as group:
            group.create_task(service.run())
            try:
                with loop.stopping_on_signals(lambda: _stop(service)):
                    await _watch(service, opened)
            finally:
                service.stopping.set()
        return [await _result(service, each) for each in opened]


def _stop(service: Service) -> None:
    say("Stopping; what is under way is finished first. Ask again to quit at once.")
    service.stopping.set()


async def _open(service: Service, wishes: list[Wish]) -> list[Opened]:
    """Opens all runs or none."""
    settings, now = service.settings, service.clock.now()
    deadline = timedelta(minutes=settings.run_deadline_minutes)

    async def work(db: Connection) -> list[Opened]:
        return [
            await crawl_once.open_wish(db, wish, actor=_ACTOR, now=now, deadline=deadline, norms=service.norms)
            for wish in wishes
        ]

    return await service.db.write(work)


async def _watch(service: Service, opened: list[Opened]) -> None:
    """Shows the progress until every run is over, or somebody asks to stop."""
    with crawl_report.live(opened) as display:
        while not service.stopping.is_set():
            now = service.clock.now()
            async with service.db.read() as db:
                standing = [await runs.progress(db, each.run_id) for each in opened]
                why = [await run_waits.of_run(db, each.run_id, defaults=service.norms.host, now=now) for each in opened]
            waits = {held.host.key: held.wait_seconds for held in service.door.turns.held.values()}
            for each, progress, wait in zip(opened, standing, why, strict=True):
                display.update(each, progress, wait_seconds=waits.get(each.host_key), wait=wait)
            if all(progress.run.finished_at is not None for progress in standing):
                return
            await service.bells.finished.wait(_LOOK_EVERY_SECONDS)


async def _result(service: Service, opened: Opened) -> Crawled:
    async with service.db.read() as db:
        run = (await runs.progress(db, opened.run_id)).run
        lines = await run_log.of_run(db, opened.run_id, which=_WARNINGS)
        found = await records.of_run(db, run)
    warnings = [(line.url, line.message) for line in lines if line.category != Category.LIFECYCLE]
    return Crawled(opened, run, found, warnings)


def _form(crawled: list[Crawled]) -> dict[str, Any]:
    return {
        "runs": [
            {
                "url": each.opened.url,
                "outcome": each.run.outcome,
                "message": each.run.message,
                "tally": asdict(each.run.tally),
                "metrics": told(each.run.figures) if each.run.figures is not None else None,
            }
            for each in crawled
        ],
        "records": [record for each in crawled for record in each.records],
    }
