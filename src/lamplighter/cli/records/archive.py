"""`lamplighter archive`: statistics and cleanup of the page archive."""

from dataclasses import asdict
from datetime import timedelta

import typer

from lamplighter.app import Store, archive_bounds, archive_of
from lamplighter.cli.terminal.console import answer, print_json
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import with_store
from lamplighter.crawl.archive.retention import Retention, SweepResult
from lamplighter.operations.archive import archive
from lamplighter.rules.formats.plural import counted

app = typer.Typer(no_args_is_help=True, add_completion=False)
_MEGABYTE = 1024**2


@app.command()
def stats(data: Data = None, as_json: Json = False) -> None:
    """Show the size of the archive: bytes, bodies, page versions and the reclaimable share."""
    settings = load_settings(data)
    found = with_store(settings, lambda store: archive.stats(store.db, archive_of(settings, store.clock)))
    if as_json:
        return print_json(asdict(found))
    answer(
        f"{found.bytes / _MEGABYTE:.1f} MB in {counted(found.segments, 'segment')}, {found.dead_share:.0%} reclaimable."
    )
    return answer(f"{counted(found.versions, 'page version')}, {counted(found.bodies, 'different body')}.")


@app.command()
def sweep(data: Data = None, as_json: Json = False) -> None:
    """Delete expired versions and free unused space; a running service does this itself."""
    settings = load_settings(data)

    async def work(store: Store) -> SweepResult:
        kept, bounds = archive_of(settings, store.clock), archive_bounds(settings)
        retention = Retention(store.db, archive=kept, clock=store.clock, bounds=bounds, grace=timedelta(0))
        return await retention.sweep(by_order=True)

    done = with_store(settings, work)
    if as_json:
        return print_json(asdict(done))
    answer(f"{counted(done.versions_forgotten, 'version')} and {counted(done.bodies_forgotten, 'body')} deleted.")
    freed = done.bytes_freed / _MEGABYTE
    emptied = done.segments_moved + done.segments_gathered
    return answer(f"{counted(emptied, 'segment')} emptied, {done.segments_removed} removed: {freed:.1f} MB.")
