"""Lamplighter as processes that can be killed, and the database behind them as an outsider sees it."""

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from lamplighter import app, settings
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.operations.hosts import hosts
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema.tables import crawl_jobs
from tests.origin import Origin
from tests.repository import ROOT
from tests.service.forked import Forked

T = TypeVar("T")
#: recovery is promised within a minute; a machine with much else to do may need several
PATIENCE_SECONDS = 300.0


class Fleet:
    """Worker processes on one database, and origins for them to visit."""

    def __init__(self, folder: Path, *origins: Origin, database_url: str | None = None, **chosen: Any) -> None:
        values = {
            "data_dir": folder,
            "database_url": database_url or f"sqlite:///{folder / 'lamplighter.db'}",
            "allow_hosts": ",".join(origin.address for origin in origins),
            "min_delay_ms": 40,
            "max_pages": 200,
            "lease_seconds": 2,
            "poll_seconds": 0.2,
            "grace_seconds": 5,
            "request_retries": 0,
            "log_level": "warning",
        } | chosen
        self.settings = settings.load({}, **values)
        self._env = {f"LAMPLIGHTER_{name.upper()}": str(value) for name, value in values.items()}
        self._log = folder / "workers.log"
        self.workers: list[Forked] = []

    def __enter__(self) -> "Fleet":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait()

    def start(self, *options: str, host: str | None = None, **chosen: str) -> Forked:
        """One more worker, on the host of that path; `chosen` are settings of its own, as the point where it dies."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")}
        env |= self._env | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        env |= {f"LAMPLIGHTER_{name.upper()}": value for name, value in chosen.items()}
        worker = Forked(["worker", *options], env=env, log=self._log, host=host)
        self.workers.append(worker)
        return worker

    def stop(self, worker: Forked) -> int:
        """Asks a worker to stop, and waits for it."""
        worker.send_signal(signal.SIGTERM)
        return worker.wait(PATIENCE_SECONDS)

    def log(self) -> str:
        """What the workers said."""
        return self._log.read_text() if self._log.exists() else ""

    def watch(self, *urls: str, **policies: dict[str, int]) -> None:
        """Adds sources as an operator would; `policies` are host key -> policy."""

        async def work(db: Connection, store: app.Store) -> None:
            for url in urls:
                await sources.add(db, NewSource(url=url), stamp=Stamp("test", store.clock.now()))
            for key, policy in policies.items():
                await hosts.set_policy(db, key, HostChange(**policy), stamp=Stamp("test", store.clock.now()))

        async def add() -> None:
            async with app.open_store(self.settings) as store:
                await store.db.write(lambda db: work(db, store))

        asyncio.run(add())

    def run_again(self) -> None:
        """Makes every job due now."""

        async def make_due(db: Connection) -> None:
            await db.execute(sa.update(crawl_jobs).values(next_run_at=datetime.now(UTC)))

        async def work() -> None:
            async with Database(self.settings.resolved_database_url) as db:
                await db.write(make_due)

        asyncio.run(work())

    def rows(self, query: str) -> list[Any]:
        """What a query finds, as an outsider would ask it."""

        async def read() -> list[Any]:
            async with Database(self.settings.resolved_database_url) as db, db.read() as connection:
                return list((await connection.execute(sa.text(query))).all())

        return asyncio.run(read())

    def can_write(self) -> bool:
        """Whether nobody holds the lock of an SQLite database; PostgreSQL has no such lock."""
        path = Database(self.settings.resolved_database_url).path
        if path is None:
            return True
        with closing(sqlite3.connect(path, timeout=0.2, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
            except sqlite3.OperationalError:
                return False
        return True

    def runs_ended(self) -> int:
        """How many runs have ended."""
        return int(self.rows("SELECT count(*) FROM crawl_runs WHERE finished_at IS NOT NULL")[0][0])

    def wait_for_runs(self, count: int, *, patience: float = PATIENCE_SECONDS) -> None:
        """Returns when this many runs have ended."""
        wait_until(
            lambda: self.runs_ended() >= count,
            lambda: f"{count} runs to end\n{self.log()[-3000:]}",
            patience=patience,
        )


def wait_until(is_true: Callable[[], bool], what: Callable[[], str], *, patience: float = PATIENCE_SECONDS) -> None:
    """Waits as long as recovery may take."""
    give_up = time.monotonic() + patience
    while not is_true():
        assert time.monotonic() < give_up, f"waited {patience} s for {what()}"
        time.sleep(0.05)
