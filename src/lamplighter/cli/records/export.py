"""`lamplighter export`: exports archived pages."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.progress import Progress

from lamplighter.app import archive_of, open_store
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import answer, err
from lamplighter.cli.terminal.options import Data, load_settings
from lamplighter.errors import BadInput
from lamplighter.operations.archive import warc_export
from lamplighter.operations.sources import sources
from lamplighter.rules.formats.plural import counted
from lamplighter.settings import Settings
from lamplighter.store.pages import page_versions
from lamplighter.store.pages.page_versions import VersionFilter

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def export() -> None:
    """Export archived pages."""


@app.command()
def warc(
    output: Annotated[Path, typer.Option(metavar="FILE.warc.gz", help="The file to write.")],
    source: Annotated[str | None, typer.Option(metavar="URL", help="Only pages of this source.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Only versions fetched at this time (UTC) or later.")] = None,
    latest: Annotated[bool, typer.Option("--latest", help="Only the latest version of each page.")] = False,
    data: Data = None,
) -> None:
    """Write page versions to one WARC file, in the order of their fetch."""
    if not output.name.endswith(".warc.gz"):
        raise BadInput(f"cannot write {str(output)!r}; use a name that ends in .warc.gz")
    if not output.parent.is_dir():
        raise BadInput(f"there is no folder {str(output.parent)!r} to write {output.name!r} into; create it first")
    unfinished = output.with_name(f".{output.name}.part")
    settings, moment = load_settings(data), since.replace(tzinfo=UTC) if since is not None else None
    with (
        unfinished.open("wb") as file,
        Progress(console=err(), transient=True, disable=not err().is_terminal) as progress,
    ):
        task = progress.add_task(output.name, total=None)

        def written(total: int) -> None:
            progress.update(task, total=total, advance=1)

        wanted = VersionFilter(since=moment, only_latest=latest)
        whole, missing = loop.run(_write(settings, source, wanted, file, name=output.name, written=written))
    unfinished.replace(output)
    answer(f"{counted(whole, 'version')} written to {output}." + (f" No longer kept: {missing}." if missing else ""))


async def _write(
    settings: Settings,
    source: str | None,
    wanted: VersionFilter,
    file: BinaryIO,
    *,
    name: str,
    written: Callable[[int], None],
) -> tuple[int, int]:
    """Writes the file and returns the numbers of written and missing versions."""
    whole = missing = 0
    async with open_store(settings) as store:
        if source is not None:
            async with store.db.read() as db:
                wanted = wanted._replace(source_id=(await sources.find_by_url(db, source)).id)
        total = await store.db.look(lambda db: page_versions.count_wanted(db, wanted))
        async for piece in warc_export.export(store.db, archive_of(settings, store.clock), wanted, name=name):
            file.write(piece.content)
            whole, missing = whole + piece.is_whole, missing + (not piece.is_whole)
            written(total)
    return whole - 1, missing  # the first piece describes the file
