"""`lamplighter db`: schema upgrades, backups and restores."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TimeElapsedColumn

from lamplighter.app import vault_of
from lamplighter.cli.terminal import loop
from lamplighter.cli.terminal.console import answer, err, print_json, say
from lamplighter.cli.terminal.options import Data, Json, load_settings
from lamplighter.cli.terminal.transaction import ACTOR
from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.operations.backup import backups
from lamplighter.operations.backup.backups import RestoreResult
from lamplighter.settings import Settings
from lamplighter.store.backup.backup_files import Backup
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate, postgres_script

app = typer.Typer(no_args_is_help=True, add_completion=False)
_NOT_IN_IT = (
    "Not included: the archive of page bodies, and the encryption keys{where}, without which no secret can be read."
)

_CARRIED = {
    "takedowns": "takedowns",
    "sites_purged": "purges of sites",
    "records_removed": "removals of records",
    "tokens_revoked": "revocations of tokens",
}


@app.command()
def upgrade(data: Data = None) -> None:
    """Upgrade the database schema; an SQLite file is backed up first, PostgreSQL is not."""

    async def work() -> Path | None:
        async with Database(load_settings(data).resolved_database_url) as db:
            found = await migrate.current(db)
            if not db.is_sqlite and found not in (None, migrate.head()):
                say(f"The schema changes from {found} to {migrate.head()}; `lamplighter db backup` makes a backup.")
            return await migrate.upgrade(db)

    backup = loop.run(work())
    if backup is not None:
        answer(f"Backup of the old database: {backup}")
    answer(f"The database has schema {migrate.head()}.")


@app.command()
def current(data: Data = None, as_json: Json = False) -> None:
    """Show the schema version of the database, and the one that this program needs."""

    async def work() -> str | None:
        db = Database(load_settings(data).resolved_database_url)
        if db.path is not None and not await asyncio.to_thread(db.path.exists):
            return None
        async with db:
            return await migrate.current(db)

    found, needed = loop.run(work()), migrate.head()
    if as_json:
        return print_json({"current": found, "head": needed})
    remedy = "" if found == needed else "; run `lamplighter db upgrade`"
    return answer(f"The database has schema {found or 'none yet'}, this program needs {needed}{remedy}.")


@app.command()
def sql() -> None:
    """Print the whole schema as one idempotent PostgreSQL script."""
    print(postgres_script.text(), end="")


@app.command()
def backup(
    file: Annotated[
        Path | None, typer.Argument(help="Output file; default: the folder backups, where the oldest are deleted.")
    ] = None,
    data: Data = None,
) -> None:
    """Back up the database, also while the service runs; PostgreSQL with pg_dump."""
    settings = load_settings(data)
    if file is not None and file.exists():
        raise BadInput(f"{str(file)!r} exists already; choose another name, since a backup never overwrites a file")
    made = loop.run(_back_up(settings, file))
    say(f"{made.size_bytes / 1e6:,.1f} MB, schema {made.schema}. {_not_in_it(settings)}")
    answer(str(made.path))


async def _back_up(settings: Settings, file: Path | None) -> Backup:
    db = Database(settings.resolved_database_url)
    if db.path is not None and not await asyncio.to_thread(db.path.exists):
        raise NotPossible(f"there is no database {str(db.path)!r} yet; `lamplighter db upgrade` creates it")
    backup_folder = backups.backup_folder_of(db, data_dir=settings.data_dir, keep=settings.keep_backups)
    async with db:
        with _shown() as progress:
            return await backups.make(db, backup_folder, now=datetime.now(UTC), target=file, progress=progress)


@contextmanager
def _shown() -> Iterator[backups.Progress]:
    """A progress bar on the terminal."""
    columns = ("Backing up", BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup made by `lamplighter db backup`.")],
    data: Data = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="PostgreSQL: replace the contents of the database.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check only; change nothing.")] = False,
) -> None:
    """Restore a backup while the service is stopped; a replaced SQLite file is kept beside it."""
    settings = load_settings(data)

    async def work() -> tuple[Backup, RestoreResult | None]:
        db = Database(settings.resolved_database_url)
        found = await backups.check(db, file)
        if dry_run and db.is_sqlite:
            # Whether the database is in use does not matter: only the backup is checked.
            return found, None
        await backups.refuse_to_replace(db, may_replace=replace)
        if dry_run:
            return found, None
        return found, await backups.restore(db, found, vault=vault_of(settings), stamp=Stamp(ACTOR, datetime.now(UTC)))

    found, restored = loop.run(work())
    made = f"{file} (schema {found.schema}, made {found.made_at:%Y-%m-%d %H:%M} UTC)"
    if restored is None:
        return answer(f"{made} could be restored, with the service stopped; nothing was changed.")
    answer(f"Restored from {made}.")
    return _report(settings, restored)


def _report(settings: Settings, restored: RestoreResult) -> None:
    """Prints what to know before the service is started again."""
    if restored.kept is not None:
        answer(f"The replaced database is kept: {restored.kept}")
    if ended := restored.settled["runs_cancelled"]:
        say(f"Cancelled and scheduled again: {ended} run{'s' * (ended > 1)} that the backup had as active.")
    if carried := _carried_over(restored):
        say(carried)
    say("Jobs that became due since then run once each, spread over the next hours. " + _not_in_it(settings))
    if restored.unreadable:
        say(
            f"Warning: no key opens {len(restored.unreadable)} stored secrets ({', '.join(restored.unreadable[:5])}); "
            "restore the keys of that time, or set the secrets again."
        )


def _carried_over(restored: RestoreResult) -> str:
    """What the restore carried over, or a warning if it could not; empty if there was nothing."""
    if restored.carried_over is None:
        return (
            "Warning: the replaced database cannot be read, so the takedowns, removals of records and revocations of "
            "tokens since the backup are lost; repeat them."
        )
    counts = ", ".join(f"{_CARRIED[what]} {count}" for what, count in restored.carried_over.items() if count)
    return f"Carried over from the replaced database: {counts}." if counts else ""


def _not_in_it(settings: Settings) -> str:
    where = f" ({settings.data_dir / 'keys'})" if settings.encryption_keys is None else ""
    return _NOT_IN_IT.format(where=where)
