"""An operator's desk: commands that are given until they succeed, each cut short wherever a process can die."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter import crash_points
from lamplighter.cli import main
from lamplighter.operations.backup import backups
from lamplighter.store.engine.database import Database
from tests.crashes import worker
from tests.crashes.installation import Installation
from tests.servers import postgres

#: what an operator does, given the environment and the folder of the installation
Commands = Callable[[Mapping[str, str], Path], None]
_DONE = "done"


class Desk(Installation):
    """An installation in which nobody works but the operator; a restore wants the database for itself."""

    def __init__(self, folder: Path, database_url: str, *, lease: int, commands: Commands) -> None:
        super().__init__(folder, database_url, lease=lease)
        self._commands = commands

    async def __aenter__(self) -> "Desk":
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.kill(self.workers)
        url = self.settings.resolved_database_url
        if url.startswith("postgresql"):
            await postgres.drop_database(url)

    def start(self, *, crash_at: str | None = None, counts: Path | None = None) -> BaseProcess:
        env = self._env | ({"LAMPLIGHTER_CRASH_AT": crash_at} if crash_at else {})
        process = worker.forking().Process(
            target=_operate, args=(self._commands, env, self.folder, counts), daemon=True
        )
        process.start()
        self._born[process.pid] = time.monotonic()
        self.workers.append(process)
        return process

    async def up(self, workers: Sequence[BaseProcess]) -> None:
        """A command is there from its start."""

    async def rows(self, query: sa.Select[Any]) -> list[Any]:
        async with Database(self.settings.resolved_database_url) as db, db.read() as connection:
            return list((await connection.execute(query)).all())

    def is_done(self) -> bool:
        """Whether every command has succeeded."""
        return (self.folder / _DONE).exists()

    async def schemas_of_backups(self) -> list[str | None]:
        """What every listed backup says of itself when it is checked, from the oldest."""
        db = Database(self.settings.resolved_database_url)
        made = backups.backup_folder_of(db, data_dir=self.folder, keep=10).listed()
        return [(await backups.check(db, each.path)).schema for each in reversed(made)]


def _operate(commands: Commands, env: dict[str, str], folder: Path, counts: Path | None) -> None:
    """Gives every command until it succeeds; a command that was given before finds its work done."""
    worker.be_told(env, log=folder / "workers.log", counts=counts)
    crash_points.arm(env.get("LAMPLIGHTER_CRASH_AT"))
    commands(env, folder)
    (folder / _DONE).touch()
    os._exit(0)


def command(*words: str, or_else: int = 0) -> bool:
    """Whether a command succeeded; it may fail with `or_else`."""
    code: object = None
    try:
        main.app(list(words), prog_name="lamplighter")
    except SystemExit as ended:
        code = ended.code
    assert code in (None, 0, or_else), f"{words} ended with {code}"
    return not code
