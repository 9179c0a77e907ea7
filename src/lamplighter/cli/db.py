"""`lamplighter db`: the schema, backups."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from lamplighter.cli import loop
from lamplighter.cli.console import answer, print_json
from lamplighter.cli.options import Data, Json, load_settings
from lamplighter.errors import BadInput, NotPossible
from lamplighter.store import migrate
from lamplighter.store.database import Database

app = typer.Typer(help="The database: schema, backup, restore.", no_args_is_help=True, add_completion=False)
_LOCK_PATIENCE_SECONDS = 2


@app.command()
def upgrade(data: Data = None) -> None:
    """Bring the database to the schema of this program; an SQLite file is backed up first."""

    async def work() -> Path | None:
        async with Database(load_settings(data).resolved_database_url) as db:
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
        Path | None, typer.Argument(help="Where to; default is the folder backups beside the database.")
    ] = None,
    data: Data = None,
) -> None:
    """Copy the SQLite database, consistently, also while the service runs."""
    path = _sqlite_path(data)
    if not path.exists():
        raise NotPossible(f"there is no database {str(path)!r} yet; `lamplighter db upgrade` creates it")
    if file is not None and file.exists():
        raise BadInput(f"{str(file)!r} exists already; choose another name, a backup never overwrites")
    answer(str(migrate.back_up(path, file)))


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup made by `lamplighter db backup`.")], data: Data = None
) -> None:
    """Put a backup in the place of the SQLite database; the replaced one is kept beside it."""
    path = _sqlite_path(data)
    schema = _schema_of(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    _refuse_while_used(path)
    migrate.restore(file, path)
    answer(f"Restored {path} (schema {schema}) from {file}.")


def _sqlite_path(data: Path | None) -> Path:
    path = Database(load_settings(data).resolved_database_url).path
    if path is None:
        raise BadInput("LAMPLIGHTER_DATABASE_URL is PostgreSQL; use pg_dump and pg_restore for its backups")
    return path


def _schema_of(file: Path) -> str:
    """The schema of a whole and readable backup."""
    if not file.is_file():
        raise BadInput(f"there is no file {str(file)!r}; `lamplighter db backup` makes one")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as db:
            (found,) = db.execute("SELECT version_num FROM alembic_version").fetchone() or (None,)
            (health,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise BadInput(f"{str(file)!r} is no backup of Lamplighter ({error}); nothing was changed") from None
    if found is None or health != "ok":
        raise BadInput(f"{str(file)!r} is damaged ({health if found else 'it has no schema'}); nothing was changed")
    return str(found)


def _refuse_while_used(path: Path) -> None:
    """Makes sure that no service has the database open, and that all of it stands in the one file."""
    if not path.exists():
        return
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=_LOCK_PATIENCE_SECONDS)) as db:
            # In exclusive mode the lock is refused as long as anybody else has the file open, even when idle.
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN EXCLUSIVE")
            db.execute("COMMIT")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError:
        raise NotPossible(f"{str(path)!r} is in use; stop the service first, nothing was changed") from None
    except sqlite3.DatabaseError:
        return  # it is damaged: most likely that is why a backup is restored
