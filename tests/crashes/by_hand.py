"""An operator imports a file of sources, makes a backup and restores it; whatever is cut short is done again."""

import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter import crash_points
from lamplighter.cli import main
from lamplighter.operations.backup import backups
from lamplighter.store.engine.database import Database
from tests.crashes import worker
from tests.crashes.installation import Installation, Places
from tests.crashes.situations import Situation
from tests.crashes.snapshot import Snapshot
from tests.servers import postgres

#: two transactions
_SOURCES = 130
_DONE, _FILE = "done", "sources.txt"


class _Desk(Installation):
    """An installation in which nobody works but the operator; a restore wants the database for itself."""

    async def __aenter__(self) -> "_Desk":
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.kill(self.workers)
        url = self.settings.resolved_database_url
        if url.startswith("postgresql"):
            await postgres.drop_database(url)

    def start(self, *, crash_at: str | None = None, counts: Path | None = None) -> BaseProcess:
        env = self._env | ({"LAMPLIGHTER_CRASH_AT": crash_at} if crash_at else {})
        process = worker.forking().Process(target=_operate, args=(env, self.folder, counts), daemon=True)
        process.start()
        self._born[process.pid] = time.monotonic()
        self.workers.append(process)
        return process

    async def up(self, workers: Sequence[BaseProcess]) -> None:
        """A command is there from its start."""

    async def rows(self, query: sa.Select[Any]) -> list[Any]:
        async with Database(self.settings.resolved_database_url) as db, db.read() as connection:
            return list((await connection.execute(query)).all())


class ByHand(Situation):
    """Three commands, one after the other."""

    name = "by hand"
    points = frozenset(
        {
            *("import.after_chunk", "backup.before_name", "backup.after_name"),
            *("restore.before_commit", "restore.after_commit"),
        }
    )
    most_at_once = 1

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path, kind: str, places: Places, *, is_empty: bool) -> AsyncIterator["ByHand"]:
        url = await places.database(kind, folder, is_empty=is_empty)
        async with _Desk(folder, url, lease=places.lease) as desk:
            yield cls(desk, ())

    async def begin(self) -> None:
        urls = [f"https://site-{number}.example/jobs" for number in range(_SOURCES)]
        (self.installation.folder / _FILE).write_text("\n".join(urls))

    async def is_settled(self) -> bool:
        return (self.installation.folder / _DONE).exists()

    async def snapshot(self) -> Snapshot:
        seen = await super().snapshot()
        db = Database(self.installation.settings.resolved_database_url)
        made = backups.backup_folder_of(db, data_dir=self.installation.folder, keep=10).listed()
        schemas = {(await backups.check(db, each.path)).schema for each in made}
        return seen | {"schemas of the backups": [(schema,) for schema in schemas]}


def _operate(env: dict[str, str], folder: Path, counts: Path | None) -> None:
    """Gives every command until it succeeds; a command that was given before finds its work done."""
    worker.be_told(env, log=folder / "workers.log", counts=counts)
    crash_points.arm(env.get("LAMPLIGHTER_CRASH_AT"))
    _command("sources", "import", str(folder / _FILE), or_else=1)
    _command("db", "backup")
    newest = max((folder / "backups").glob("lamplighter-*Z*[bp]"), key=lambda path: path.stat().st_mtime_ns)
    # What the test itself asked may be in the list of sessions for a moment longer.
    while not _command("db", "restore", str(newest), *_replacing(env), or_else=1):
        time.sleep(0.2)
    (folder / _DONE).touch()
    os._exit(0)


def _replacing(env: dict[str, str]) -> list[str]:
    return ["--replace"] if env["LAMPLIGHTER_DATABASE_URL"].startswith("postgresql") else []


def _command(*words: str, or_else: int = 0) -> bool:
    """Whether a command succeeded; it may fail with `or_else`."""
    code: object = None
    try:
        main.app(list(words), prog_name="lamplighter")
    except SystemExit as ended:
        code = ended.code
    assert code in (None, 0, or_else), f"{words} ended with {code}"
    return not code
