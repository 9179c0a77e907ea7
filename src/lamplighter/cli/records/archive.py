"""`lamplighter archive`: statistics and cleanup of the page archive."""

from dataclasses import asdict
from datetime import timedelta

import typer

from lamplighter.app import archive_bounds, archive_of, open_store
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import answer, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.crawl.archive.retention import Retention, SweepResult
from lamplighter.operations.archive import archive
from lamplighter.operations.archive.archive import ArchiveStats
from lamplighter.rules.formats.plural import counted
from lamplighter.settings import Settings

app = typer.Typer(help="The page archive: statistics and cleanup.", no_args_is_help=True, add_completion=False)
_MEGABYTE = 1024**2


@app.command()
def stats(data: Data = None, as_json: Json = False) -> None:
    """Show the size of the archive: bytes, bodies, page versions and the reclaimable share."""

    async def work(settings: Settings) -> ArchiveStats:
        async with open_store(settings) as store:
            return await archive.stats(store.db, archive_of(settings, store.clock))

    found = loop.run(work(load_settings(data)))
    if as_json:
        return print_json(asdict(found))
    answer(
        f"{found.bytes / _MEGABYTE:.1f} MB in {counted(found.segments, 'segment')}, {found.dead_share:.0%} reclaimable."
    )
    return answer(f"{counted(found.versions, 'page version')}, {counted(found.bodies, 'different body')}.")


@app.command()
def sweep(data: Data = None, as_json: Json = False) -> None:
    """Delete expired versions and free unused space; a running service does this itself."""

    async def work(settings: Settings) -> SweepResult:
        async with open_store(settings) as store:
            bounds = archive_bounds(settings)
            retention = Retention(
                store.db,
                archive=archive_of(settings, store.clock),
                clock=store.clock,
                bounds=bounds,
                grace=timedelta(0),
            )
            return await retention.sweep(is_asked_for=True)

    done = loop.run(work(load_settings(data)))
    if as_json:
        return print_json(asdict(done))
    answer(f"{counted(done.versions_forgotten, 'version')} and {counted(done.bodies_forgotten, 'body')} deleted.")
    freed = done.bytes_freed / _MEGABYTE
    emptied = done.segments_moved + done.segments_gathered
    return answer(f"{counted(emptied, 'segment')} emptied, {done.segments_removed} removed: {freed:.1f} MB.")
