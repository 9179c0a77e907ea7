"""`lamplighter db`: the schema, backups."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TimeElapsedColumn

from lamplighter.app import vault_of
from lamplighter.cli import loop
from lamplighter.cli.console import answer, err, print_json, say
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.cli.transaction import ACTOR
from lamplighter.errors import BadInput, NotPossible
from lamplighter.operations import backups
from lamplighter.operations.backups import Restored
from lamplighter.settings import Settings
from lamplighter.store import migrate
from lamplighter.store.backup_files import Backup
from lamplighter.store.database import Database

app = typer.Typer(help="The database: schema, backup, restore.", no_args_is_help=True, add_completion=False)
_NOT_IN_IT = (
    "Not in it: the archive of page bodies, and the encryption keys{where}, without which no secret can be read."
)

_CARRIED = {
    "takedowns": "takedowns",
    "sites_purged": "purges of sites",
    "records_removed": "removals of records",
    "tokens_revoked": "revocations of tokens",
}


@app.command()
def upgrade(data: Data = None) -> None:
    """Bring the database to the schema of this program; an SQLite file is backed up first, PostgreSQL is not."""

    async def work() -> Path | None:
        async with Database(load_settings(data).resolved_database_url) as db:
            found = await migrate.current(db)
            if not db.is_sqlite and found not in (None, migrate.head()):
                say(f"The schema changes from {found} to {migrate.head()}; `lamplighter db backup` makes a way back.")
            return await migrate.upgrade(db)

    backup = loop.run(work())
    if backup is not None:
        answer(f"Backup of the former database: {backup}")
    answer(f"The database has schema {migrate.head()}.")


@app.command()
def current(data: Data = None, as_json: Json = False) -> None:
    """Show the schema that the database has, and the one that this program needs."""

    async def work() -> str | None:
        db = Database(load_settings(data).resolved_database_url)
        if db.path is not None and not await asyncio.to_thread(db.path.exists):
            return None
        async with db:
            return await migrate.current(db)

    found, needed = loop.run(work()), migrate.head()
    if as_json:
        return print_json({"current": found, "head": needed})
    remedy = "" if found == needed else "; `lamplighter db upgrade` brings it there"
    return answer(f"The database has schema {found or 'none yet'}, this program needs {needed}{remedy}.")


@app.command()
def sql() -> None:
    """Print the whole schema as one PostgreSQL script that may be applied any number of times."""
    print(migrate.postgres_script(), end="")


@app.command()
def backup(
    file: Annotated[
        Path | None, typer.Argument(help="Where to; default is the folder backups, of which the oldest go.")
    ] = None,
    data: Data = None,
) -> None:
    """Back the database up, consistently, also while the service runs; PostgreSQL by its own pg_dump."""
    settings = load_settings(data)
    if file is not None and file.exists():
        raise BadInput(f"{str(file)!r} exists already; choose another name, a backup never overwrites")
    made = loop.run(_back_up(settings, file))
    say(f"{made.size_bytes / 1e6:,.1f} MB, schema {made.schema}. {_not_in_it(settings)}")
    answer(str(made.path))


async def _back_up(settings: Settings, file: Path | None) -> Backup:
    db = Database(settings.resolved_database_url)
    if db.path is not None and not await asyncio.to_thread(db.path.exists):
        raise NotPossible(f"there is no database {str(db.path)!r} yet; `lamplighter db upgrade` creates it")
    shelf = backups.shelf_of(db, data_dir=settings.data_dir, keep=settings.keep_backups)
    async with db:
        with _shown() as progress:
            return await backups.make(db, shelf, now=datetime.now(UTC), target=file, progress=progress)


@contextmanager
def _shown() -> Iterator[backups.Progress]:
    """A line on the terminal that tells how far it is."""
    columns = ("Backing up", BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup made by `lamplighter db backup`.")],
    data: Data = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="PostgreSQL: let it take the place of what is in the database.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Look whether it could be done, and change nothing.")
    ] = False,
) -> None:
    """Put a backup in the place of the database, with the service stopped; a replaced SQLite file is kept beside it."""
    settings = load_settings(data)

    async def work() -> tuple[Backup, Restored | None]:
        db = Database(settings.resolved_database_url)
        found = await backups.check(db, file)
        if dry_run and db.is_sqlite:
            # Whether the database is in use now does not matter: it is only the backup that is looked into.
            return found, None
        await backups.refuse_to_replace(db, may_replace=replace)
        if dry_run:
            return found, None
        return found, await backups.restore(db, found, vault=vault_of(settings), actor=ACTOR, now=datetime.now(UTC))

    found, restored = loop.run(work())
    made = f"{file} (schema {found.schema}, made {found.made_at:%Y-%m-%d %H:%M} UTC)"
    if restored is None:
        return answer(f"{made} could be restored, with the service stopped; nothing was changed.")
    answer(f"Restored from {made}.")
    return _report(settings, restored)


def _report(settings: Settings, restored: Restored) -> None:
    """What to know before the service is started again."""
    if restored.kept is not None:
        answer(f"The replaced database is kept: {restored.kept}")
    if ended := restored.settled["runs_cancelled"]:
        say(f"{ended} run{'s' * (ended > 1)} that went on then: cancelled, and to be run again.")
    if carried := _carried_over(restored):
        say(carried)
    say("Jobs that fell due since then run once each, spread over the coming hours. " + _not_in_it(settings))
    if restored.unreadable:
        say(
            f"Warning: no key opens {len(restored.unreadable)} stored secrets ({', '.join(restored.unreadable[:5])}); "
            "bring back the keys of that time, or set them anew."
        )


def _carried_over(restored: Restored) -> str:
    """What the restore did not undo, or why it may have; empty when there was nothing."""
    if restored.carried_over is None:
        return (
            "Warning: the replaced database cannot be read, so the takedowns, removals of records and revocations of "
            "tokens since the backup are lost; make them again."
        )
    counts = ", ".join(f"{_CARRIED[what]} {count}" for what, count in restored.carried_over.items() if count)
    return f"Carried over from the replaced database: {counts}." if counts else ""


def _not_in_it(settings: Settings) -> str:
    where = f" ({settings.data_dir / 'keys'})" if settings.encryption_keys is None else ""
    return _NOT_IN_IT.format(where=where)
