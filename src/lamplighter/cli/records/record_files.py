"""`lamplighter records export`: writes records to a file."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from lamplighter.app import Store
from lamplighter.cli.terminal.console import answer
from lamplighter.cli.terminal.options import Data, load_settings
from lamplighter.cli.terminal.transaction import with_store
from lamplighter.errors import BadInput
from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import Presence, RecordFilter
from lamplighter.operations.records import record_export, record_feeds
from lamplighter.operations.records.record_export import ExportFormat
from lamplighter.rules.formats.feeds import FeedFormat
from lamplighter.rules.records import search_query
from lamplighter.rules.urls import urls


class FileForm(StrEnum):
    """Forms of a file; a feed has the newest 50 records."""

    CSV = "csv"
    JSON_LINES = "jsonl"
    JSON = "json"
    RSS = "rss"


_ENDINGS = {f".{form}": form for form in FileForm} | {".ndjson": FileForm.JSON_LINES, ".xml": FileForm.RSS}


def export(
    file: Annotated[Path | None, typer.Argument(help="Output file; default: standard output.")] = None,
    form: Annotated[
        FileForm | None,
        typer.Option("--format", help="rss has the newest 50, the others have all.", show_default="by the file's name"),
    ] = None,
    search: Annotated[
        str, typer.Option(metavar="TEXT", help='Search words; "phrases", -exclusions and prefixes* work.')
    ] = "",
    source: Annotated[str | None, typer.Option(metavar="URL", help="Only records of this source.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only records of sources with this tag.")] = None,
    kind: Annotated[RecordKind | None, typer.Option(help="Only records of this kind.")] = None,
    gone: Annotated[bool, typer.Option("--gone", help="Only records that are gone.")] = False,
    data: Data = None,
) -> None:
    """Write records as CSV, JSON lines, JSON or RSS."""
    chosen = form or (_ENDINGS.get(file.suffix.lower()) if file is not None else FileForm.JSON_LINES)
    if chosen is None:
        raise BadInput(f"cannot tell the format of {str(file)!r}; use --format {', '.join(FileForm)}")
    wanted = RecordFilter(
        text=search_query.parse(search),
        presence=Presence.GONE if gone else Presence.PRESENT,
        kind=kind,
        source_url=urls.normalise(source) if source is not None else None,
        tag=tag,
    )
    settings = load_settings(data)
    home = settings.public_url or "http://localhost:8080/"

    async def work(store: Store, target: BinaryIO) -> None:
        if chosen is FileForm.RSS:
            async with store.db.read() as db:
                target.write((await record_feeds.feed(db, wanted, FeedFormat.RSS, own_url=home, home_url=home)).body)
            return
        async for piece in record_export.export(store.db, wanted, ExportFormat(chosen)):
            target.write(piece)

    if file is None:
        return with_store(settings, lambda store: work(store, sys.stdout.buffer))
    # Whole or not at all: a file that is there already is replaced only by a complete one.
    unfinished = file.with_name(f".{file.name}.part")
    with unfinished.open("wb") as target:
        with_store(settings, lambda store: work(store, target))
    unfinished.replace(file)
    return answer(f"Wrote {file}.")
