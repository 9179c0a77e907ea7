"""`lamplighter archive`: what is kept of pages, and what of it is needed."""

from dataclasses import asdict
from datetime import timedelta

import typer

from lamplighter.app import archive_bounds, archive_of, open_store
from lamplighter.cli import loop
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.crawl.retention import Retention, Swept
from lamplighter.operations import archive
from lamplighter.operations.archive import ArchiveStats
from lamplighter.settings import Settings

app = typer.Typer(help="The archive: how much it holds, and sweeping it.", no_args_is_help=True, add_completion=False)
_MEGABYTE = 1024**2


@app.command()
def stats(data: Data = None, as_json: Json = False) -> None:
    """Show what the archive holds: bytes, bodies, versions of pages, and how much of it nothing needs."""

    async def work(settings: Settings) -> ArchiveStats:
        async with open_store(settings) as store:
            return await archive.stats(store.db, archive_of(settings, store.clock))

    found = loop.run(work(load_settings(data)))
    if as_json:
        return print_json(asdict(found))
    answer(f"{found.bytes / _MEGABYTE:.1f} MB in {found.segments} segments, {found.dead_share:.0%} of it not needed.")
    return answer(f"{found.versions} versions of pages with {found.bodies} different bodies.")


@app.command()
def sweep(data: Data = None, as_json: Json = False) -> None:
    """Forget what the settings say need not be kept, and free what nothing needs; a running service does so itself."""

    async def work(settings: Settings) -> Swept:
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
    answer(f"{done.versions_forgotten} versions and {done.bodies_forgotten} bodies forgotten.")
    freed = done.bytes_freed / _MEGABYTE
    emptied = done.segments_moved + done.segments_gathered
    return answer(f"{emptied} segments emptied, {done.segments_removed} removed: {freed:.1f} MB.")
