"""`lamplighter export`: what was got, for other programs."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.progress import Progress

from lamplighter.app import archive_of, open_store
from lamplighter.cli import loop
from lamplighter.cli.console import answer, err
from lamplighter.cli.options import Data, load_settings
from lamplighter.errors import BadInput
from lamplighter.operations import sources, warc_export
from lamplighter.settings import Settings
from lamplighter.store.page_versions import Wanted

app = typer.Typer(help="Export what the archive keeps.", no_args_is_help=True, add_completion=False)


@app.callback()
def export() -> None:
    """Export what the archive keeps."""


@app.command()
def warc(
    output: Annotated[Path, typer.Option(metavar="FILE.warc.gz", help="The file to write.")],
    source: Annotated[str | None, typer.Option(metavar="URL", help="Of this source only.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Fetched at this time (UTC) or later.")] = None,
    latest: Annotated[bool, typer.Option("--latest", help="Only the latest version of each page.")] = False,
    data: Data = None,
) -> None:
    """Write versions of pages as one WARC file, in the order in which they came."""
    if not output.name.endswith(".warc.gz"):
        raise BadInput(f"cannot write {str(output)!r}; use a name that ends in .warc.gz")
    if not output.parent.is_dir():
        raise BadInput(f"there is no folder {str(output.parent)!r} to write {output.name!r} into; create it first")
    unfinished = output.with_name(f".{output.name}.part")
    settings, moment = load_settings(data), since.replace(tzinfo=UTC) if since is not None else None
    with unfinished.open("wb") as file, Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task(output.name, total=None)

        def written(total: int) -> None:
            progress.update(task, total=total, advance=1)

        wanted = Wanted(since=moment, only_latest=latest)
        whole, missing = loop.run(_write(settings, source, wanted, file, name=output.name, written=written))
    unfinished.replace(output)
    answer(f"{whole} versions written to {output}." + (f" {missing} are not kept any more." if missing else ""))


async def _write(
    settings: Settings, source: str | None, wanted: Wanted, file: BinaryIO, *, name: str, written: Callable[[int], None]
) -> tuple[int, int]:
    """How many versions were written, and how many could not be."""
    whole = missing = 0
    async with open_store(settings) as store:
        if source is not None:
            async with store.db.read() as db:
                wanted = wanted._replace(source_id=(await sources.find_by_url(db, source)).id)
        total = await warc_export.count(store.db, wanted)
        async for piece in warc_export.export(store.db, archive_of(settings, store.clock), wanted, name=name):
            file.write(piece.content)
            whole, missing = whole + piece.is_whole, missing + (not piece.is_whole)
            written(total)
    return whole - 1, missing  # the first piece tells of the file
