"""An installation for processes to die in: its database, its workers, and the sites that they ask."""

import asyncio
import shutil
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter import settings
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import migrate, tables
from tests.crashes import starved_workers, worker
from tests.servers import postgres

#: recovery is promised within a minute, on a machine that has nothing else to do
PATIENCE_SECONDS = 300.0
SETTINGS: dict[str, Any] = {
    "min_delay_ms": 30,
    "max_pages": 50,
    "poll_seconds": 0.2,
    "grace_seconds": 5,
    "request_retries": 0,
    "log_level": "warning",
    "parse_workers": 1,
    "contact_url": "https://lamplighter.example/bot",
    "contact_email": "owner@lamplighter.example",
}


class Unsettled(AssertionError):
    """Something that must happen did not."""


class Places:
    """Where installations get their databases from: copies of one that was migrated once."""

    def __init__(self, folder: Path, *, postgres_url: str | None = None, lease: int = 3) -> None:
        self._folder = folder
        self._postgres_url = postgres_url
        #: seconds; how long hosts wait for the dead, and how long the living may be kept from renewing their leases
        self.lease = lease
        self._migrated: dict[str, str] = {}
        self._copying = asyncio.Lock()
        #: held by whoever may migrate a database: in one process that can be one at a time
        self.migrating = asyncio.Lock()

    async def database(self, kind: str, folder: Path, *, is_empty: bool) -> str:
        """The URL of a new database, with tables or without."""
        if kind == "sqlite":
            path = folder / "lamplighter.db"
            if not is_empty:
                shutil.copyfile(await self._template(kind), path)
            return f"sqlite:///{path}"
        assert self._postgres_url is not None
        like = None if is_empty else await self._template(kind)
        # Nobody may use a database while it is copied, not even another copy.
        async with self._copying:
            return await postgres.create_database(self._postgres_url, like=like)

    async def _template(self, kind: str) -> str:
        async with self._copying:
            if kind in self._migrated:
                return self._migrated[kind]
            if kind == "sqlite":
                made = str(self._folder / "migrated.db")
                url = f"sqlite:///{made}"
            else:
                assert self._postgres_url is not None
                made = url = await postgres.create_database(self._postgres_url)
            async with self.migrating, Database(url) as db:
                await migrate.upgrade(db)
            self._migrated[kind] = made
            return made


class Installation:
    """Workers on one database. Use as an async context manager: nobody outlives it."""

    def __init__(self, folder: Path, database_url: str, *, lease: int, **chosen: Any) -> None:
        own = {"data_dir": folder, "database_url": database_url, "lease_seconds": lease}
        values = SETTINGS | own | chosen
        self.folder = folder
        self.settings = settings.load({}, **values)
        self._env = {f"LAMPLIGHTER_{name.upper()}": str(value) for name, value in values.items()}
        self._log = folder / "workers.log"
        self.workers: list[BaseProcess] = []
        #: from when to when those lived that are dead, on the clock of access logs
        self.lives: list[tuple[float, float]] = []
        self._born: dict[int | None, float] = {}
        self.db = Database(database_url)

    async def __aenter__(self) -> "Installation":
        await self.db.__aenter__()
        return self

    async def __aexit__(self, *gone: Any) -> None:
        for each in self.workers:
            each.kill()
            each.join()
        await self.db.__aexit__(*gone)
        url = self.settings.resolved_database_url
        if url.startswith("postgresql"):
            await postgres.drop_database(url)

    def start(self, *, crash_at: str | None = None, counts: Path | None = None) -> BaseProcess:
        """One more worker, which will die at that point."""
        env = self._env | ({"LAMPLIGHTER_CRASH_AT": crash_at} if crash_at else {})
        began = time.monotonic()
        process = worker.start(env, log=self._log, counts=counts)
        self._born[process.pid] = began
        self.workers.append(process)
        return process

    def _bury(self, dead: BaseProcess) -> None:
        if dead.pid in self._born:
            self.lives.append((self._born.pop(dead.pid), time.monotonic()))

    def kill(self, workers: Sequence[BaseProcess]) -> None:
        """Ends workers at whatever they are doing."""
        for each in workers:
            each.kill()
            each.join()
            self._bury(each)

    async def up(self, workers: Sequence[BaseProcess]) -> None:
        """Waits until all of them have said that they are there."""
        mine = {each.pid for each in workers}

        async def are_there() -> bool:
            return mine <= {row.pid for row in await self.rows(sa.select(tables.instances.c.pid))}

        await self.until(are_there, "the workers to start")

    async def stop(self, workers: Sequence[BaseProcess]) -> None:
        """Asks workers to stop, and makes sure that they did as they were asked."""
        for each in workers:
            each.terminate()
        await self.until(_answer(lambda: all(each.exitcode is not None for each in workers)), "the workers to stop")
        if any(each.exitcode for each in workers):
            raise Unsettled(f"a worker that was asked to stop ended with {[each.exitcode for each in workers]}")

    def now(self) -> datetime:
        """The time of all processes here."""
        return datetime.now(UTC)

    async def died(self, armed: BaseProcess, *, or_else: Callable[[], Awaitable[bool]] | None = None) -> bool:
        """Whether this worker died of itself, before nothing was left to do; without `or_else` it has to."""
        await self.until(lambda: self._died_or(armed, or_else), "a worker to die, or the work to be done")
        if armed.exitcode is None:
            return False
        if armed.exitcode != -signal.SIGKILL:
            raise Unsettled(f"a worker ended with {armed.exitcode}\n{self.said()}")
        self._bury(armed)
        return True

    async def _died_or(self, armed: BaseProcess, or_else: Callable[[], Awaitable[bool]] | None) -> bool:
        return armed.exitcode is not None or (or_else is not None and await or_else())

    async def until(self, is_true: Callable[[], Awaitable[bool]], what: str) -> None:
        """Waits as long as recovery may take."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        while not await is_true():
            if time.monotonic() > give_up:
                raise Unsettled(f"waited {PATIENCE_SECONDS:.0f} s for {what}\n{self.said()}")
            await asyncio.sleep(0.1)

    async def rows(self, query: sa.Select[Any]) -> list[Any]:
        """What a query finds."""
        async with self.db.read() as connection:
            return list((await connection.execute(query)).all())

    def starved_at(self) -> list[float]:
        """When living workers were kept from running for longer than a lease, on the same clock."""
        return starved_workers.starved_at(self._log.read_text()) if self._log.exists() else []

    def said(self) -> str:
        """The end of what the workers said."""
        return self._log.read_text()[-3000:] if self._log.exists() else "nobody said anything"


def _answer(look: Callable[[], bool]) -> Callable[[], Awaitable[bool]]:
    async def answer() -> bool:
        return look()

    return answer
