"""`lamplighter crawl`: runs one crawl now and shows its progress and records."""

import asyncio
import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from lamplighter.app import Service, open_service
from lamplighter.cli.runs import crawl_report
from lamplighter.cli.runs.crawl_report import Crawled
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import FAILED, print_json, say
from lamplighter.cli.terminal.options import Data, Depth, Json, MaxPages, Recipe, RecordsAre, load_settings, read_recipe
from lamplighter.cli.terminal.transaction import ACTOR
from lamplighter.errors import BadInput
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.model.run_figures import as_metrics
from lamplighter.model.run_log import Category, LogLevel
from lamplighter.operations.records import records
from lamplighter.operations.runs import activity, crawl_once, runs
from lamplighter.operations.runs.crawl_once import CrawlOnceRequest, OpenedCrawl
from lamplighter.operations.sources.source_words import typed_depth
from lamplighter.rules.formats import csv_cell
from lamplighter.rules.urls import urls
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.runs import run_log
from lamplighter.store.runs.run_log import LogFilter

app = typer.Typer(add_completion=False)
_REFRESH_SECONDS = 0.2
_WARNINGS = LogFilter(level=LogLevel.WARNING)


@app.command()
def crawl(
    start: Annotated[list[str], typer.Argument(metavar="URL…", help="Start URLs.")],
    kind: RecordsAre = None,
    depth: Depth = None,
    max_pages: MaxPages = None,
    delay_ms: Annotated[
        int | None,
        typer.Option(min=0, max=86_400_000, help="Minimum time between requests to the host; stored as its policy."),
    ] = None,
    recipe: Recipe = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the records to a .jsonl or .csv file.")
    ] = None,
    as_json: Json = False,
    data: Data = None,
) -> None:
    """Crawl URLs once, now; shows the progress, then the records."""
    if output is not None:
        check(output)
    instructions = read_recipe(recipe)
    if instructions is not None:
        parse_recipe(instructions)
    inputs = [
        CrawlOnceRequest(
            url=url,
            kind=kind,
            max_depth=None if depth is None else typed_depth(depth),
            max_pages=max_pages,
            recipe=instructions,
            delay_ms=delay_ms,
        )
        for url in dict.fromkeys(urls.normalise(url) for url in start)
    ]
    # A person waits: a page that fails is reported at once rather than tried again minutes later.
    settings = load_settings(data, page_retries=0, duties="fetch,parse")
    crawled = loop.run(_crawl(settings, inputs))
    if output is not None:
        write(output, [record for each in crawled for record in each.records])
    if as_json:
        print_json(_form(crawled))
    else:
        crawl_report.show(crawled)
    if any(each.run.outcome in (None, RunOutcome.FAIL) for each in crawled):
        raise typer.Exit(FAILED)


async def _crawl(settings: Settings, inputs: list[CrawlOnceRequest]) -> list[Crawled]:
    async with open_service(settings, kind="crawl") as service:
        opened = await _open(service, inputs)
        for each in opened:
            if each.is_resumed:
                say(f"{each.url}: an earlier crawl is still open; continuing it.")
        async with asyncio.TaskGroup() as group:
            group.create_task(service.run())
            try:
                with loop.stopping_on_signals(lambda: _stop(service)):
                    await _watch(service, opened)
            finally:
                service.stopping.set()
        return [await _result(service, each) for each in opened]


def _stop(service: Service) -> None:
    say("Stopping after the work in progress. Interrupt again to quit at once.")
    service.stopping.set()


async def _open(service: Service, inputs: list[CrawlOnceRequest]) -> list[OpenedCrawl]:
    """Opens the runs of all URLs, or none."""
    settings, stamp = service.settings, Stamp(ACTOR, service.clock.now())
    deadline = timedelta(minutes=settings.run_deadline_minutes)

    async def work(db: Connection) -> list[OpenedCrawl]:
        return [
            await crawl_once.open_request(
                db, submitted, stamp=stamp, deadline=deadline, source_defaults=service.source_defaults
            )
            for submitted in inputs
        ]

    return await service.db.write(work)


async def _watch(service: Service, opened: list[OpenedCrawl]) -> None:
    """Shows the progress until every run has ended or the user interrupts."""
    with crawl_report.live(opened) as display:
        while not service.stopping.is_set():
            now = service.clock.now()
            async with service.db.read() as db:
                states = [await runs.progress(db, each.run_id) for each in opened]
                why = [
                    await activity.wait_of_run(db, each.run_id, defaults=service.source_defaults.host, now=now)
                    for each in opened
                ]
            waits = {held.host.key: held.wait_seconds for held in service.door.turns.held.values()}
            for each, progress, wait in zip(opened, states, why, strict=True):
                display.update(each, progress, wait_seconds=waits.get(each.host_key), wait=wait)
            if all(progress.run.finished_at is not None for progress in states):
                return
            await service.bells.finished.wait(_REFRESH_SECONDS)


async def _result(service: Service, opened: OpenedCrawl) -> Crawled:
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
                "metrics": as_metrics(each.run.figures) if each.run.figures is not None else None,
            }
            for each in crawled
        ],
        "records": [record for each in crawled for record in each.records],
    }


_NESTED = ("fields", "provenance")


def check(file: Path) -> None:
    """Refuses a file that cannot be written, before any work is done."""
    if file.suffix not in (".jsonl", ".csv"):
        raise BadInput(f"cannot tell the format of {str(file)!r}; use a name that ends in .jsonl or .csv")
    if not file.parent.is_dir():
        raise BadInput(f"there is no folder {str(file.parent)!r} to write {file.name!r} into; create it first")


def write(file: Path, records: Sequence[dict[str, Any]]) -> None:
    """Writes all records in the format of the file's extension."""
    content = _csv(records) if file.suffix == ".csv" else b"".join(orjson.dumps(record) + b"\n" for record in records)
    unfinished = file.with_name(f".{file.name}.part")
    unfinished.write_bytes(content)
    unfinished.replace(file)


def _csv(records: Sequence[dict[str, Any]]) -> bytes:
    """CSV with a column for every common field, then for every kind-specific field that occurs."""
    plain = [name for name in (records[0] if records else ()) if name not in _NESTED]
    special = sorted({name for record in records for name in record["fields"]} - set(plain))
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*plain, *special])
    for record in records:
        cells = [record[name] for name in plain] + [record["fields"].get(name) for name in special]
        writer.writerow([_cell(value) for value in cells])
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """A cell that is safe for spreadsheets: text that looks like a formula is marked as text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = "; ".join(value)
    return csv_cell.safe(value if isinstance(value, str) else orjson.dumps(value).decode())
