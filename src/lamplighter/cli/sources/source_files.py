"""`lamplighter sources import|export`: imports and exports source files."""

import sys
from pathlib import Path
from typing import Annotated, TextIO

import typer

from lamplighter.app import Store
from lamplighter.cli.terminal.console import FAILED, answer, print_json, say
from lamplighter.cli.terminal.options import Data, Json, load_settings, read_bytes
from lamplighter.cli.terminal.transaction import ACTOR, with_store
from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import source_export, source_file_formats, source_import
from lamplighter.operations.sources.source_file_formats import FileFormat
from lamplighter.operations.sources.source_import import ImportReport, RowStatus
from lamplighter.store.sources.source_lists import SourceFilter

app = typer.Typer(add_completion=False)
Format = Annotated[FileFormat | None, typer.Option("--format", help="The format of the file.", show_default="guessed")]
_ENDINGS = {".csv": FileFormat.CSV, ".json": FileFormat.JSON, ".jsonl": FileFormat.JSONL, ".ndjson": FileFormat.JSONL}
_ENDINGS |= {".opml": FileFormat.OPML, ".xml": FileFormat.OPML, ".txt": FileFormat.URLS}


@app.command("import")
def import_sources(
    file: Annotated[Path, typer.Argument(help="CSV, JSON, JSON lines, OPML, or one URL per line.")],
    form: Format = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would happen.")] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Import the sources of a file; reports every row, and an invalid row does not stop the others."""
    try:
        text = read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{str(file)!r} is not UTF-8; save it as UTF-8") from None
    rows = source_file_formats.read(text, form or _ENDINGS.get(file.suffix.lower()) or source_file_formats.guess(text))

    async def work(store: Store) -> ImportReport:
        stamp = Stamp(ACTOR, store.clock.now())
        return await source_import.import_rows(store.db, rows, dry_run=dry_run, stamp=stamp)

    report = with_store(load_settings(data), work)
    if as_json:
        print_json([row._asdict() for row in report.rows])
    else:
        _report(report)
    if report.count(RowStatus.INVALID) or report.count(RowStatus.DUPLICATE):
        raise typer.Exit(FAILED)


@app.command("export")
def export_sources(
    file: Annotated[Path | None, typer.Argument(help="Output file; default: standard output.")] = None,
    form: Format = None,
    tag: Annotated[str | None, typer.Option(help="Only sources with this tag.")] = None,
    data: Data = None,
) -> None:
    """Write all sources to a file that `sources import` accepts."""
    chosen = form or (_ENDINGS.get(file.suffix.lower()) if file is not None else FileFormat.JSON)
    if chosen is None:
        raise BadInput(f"cannot tell the format of {str(file)!r}; use --format csv, json, jsonl, opml or urls")

    async def work(store: Store, target: TextIO) -> None:
        async for part in source_export.export(store.db, SourceFilter(tag=tag), chosen):
            target.write(part)

    settings = load_settings(data)
    if file is None:
        return with_store(settings, lambda store: work(store, sys.stdout))
    # Whole or not at all: a file that is there already is replaced only by a complete one.
    unfinished = file.with_name(f".{file.name}.part")
    with unfinished.open("w", encoding="utf-8", newline="") as target:
        with_store(settings, lambda store: work(store, target))
    unfinished.replace(file)
    return answer(f"Wrote {file}.")


def _report(report: ImportReport) -> None:
    for row in report.rows:
        if row.status in (RowStatus.INVALID, RowStatus.DUPLICATE):
            say(f"Line {row.line}: {row.message}")
    done = RowStatus.VALID if report.dry_run else RowStatus.CREATED
    verb = "could be added" if report.dry_run else "added"
    known, refused = report.count(RowStatus.DUPLICATE), report.count(RowStatus.INVALID)
    answer(f"{report.count(done)} {verb}, {known} already known, {refused} refused.")
