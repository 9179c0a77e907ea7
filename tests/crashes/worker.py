"""A worker that is forked from a process which has everything loaded: it starts in a tenth of the time.

It is `lamplighter worker`, with two differences: whatever it would do every few seconds it does several times a second,
and it reads pages itself instead of starting a process for that.
"""

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Self

# Loaded here once, by the process that all workers are forked from.
import asyncpg  # noqa: F401
import sqlalchemy.dialects.postgresql.asyncpg
import sqlalchemy.dialects.sqlite.aiosqlite  # noqa: F401
import trafilatura  # noqa: F401
import uvloop  # noqa: F401

from lamplighter import crash_points
from lamplighter.adapters.search import meilisearch  # noqa: F401
from lamplighter.app import background, event_traffic, record_index, service
from lamplighter.cli.fleet import worker as command
from lamplighter.crawl.alerts import notification_sender
from lamplighter.crawl.archive import retention
from lamplighter.crawl.fetching import fetch_phase
from lamplighter.crawl.fleet import leadership
from lamplighter.crawl.reading import parse_phase
from lamplighter.crawl.reading.reader import read_batch
from lamplighter.crawl.reading.reader_messages import Digest, PageWork
from lamplighter.crawl.records import index_lease
from lamplighter.store.schema import migrate  # noqa: F401

#: what is waited for: loops, and leases of the dead
_SECONDS = {
    (retention, "GRACE"): timedelta(seconds=1),
    (background, "RENEW_SECONDS"): 1.0,
    (background, "NOTICES_SECONDS"): 0.3,
    (background, "RETENTION_SECONDS"): 1.0,
    (background, "SWEEP_SECONDS"): 1.0,
    (event_traffic, "OUTBOX_SECONDS"): 0.5,
    (record_index, "TELL_SECONDS"): 0.5,
    (fetch_phase, "CLAIM_EVERY_SECONDS"): 0.3,
    (parse_phase, "SWEEP_EVERY_SECONDS"): 0.5,
    (leadership, "LEASE"): timedelta(seconds=4),
    (notification_sender, "LEASE"): timedelta(seconds=4),
    (index_lease, "LEASE"): timedelta(seconds=4),
}


#: a page whose reading takes longer than the parse phase waits for
_SLOW_PATH = "/job/0"
_SLOW_SECONDS = 0.5


class _ReadsItself:
    """In place of a pool of readers."""

    def __init__(self, *, workers: int, timeout: float) -> None:
        self.workers = workers

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None: ...

    async def read(self, batch: list[PageWork], *, now: datetime, begun: Callable[[], None]) -> list[Digest]:
        """Reads a batch in a thread; one page in a while, so that it is stored before it is read."""
        begun()
        if any(work.url.endswith(_SLOW_PATH) for work in batch):
            await asyncio.sleep(_SLOW_SECONDS)
        return await asyncio.to_thread(lambda: read_batch(batch, now))


def forking() -> ForkServerContext:
    """Forks from a process that has loaded this module and the service, one for all of a test process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "lamplighter.cli.fleet.serve"])
    return context


def start(env: Mapping[str, str], *, log: Path, counts: Path | None = None) -> BaseProcess:
    """Starts a worker with these environment variables; with `counts` it notes there every point that it reaches."""
    process = forking().Process(target=_work, args=(dict(env), log, counts), daemon=True)
    process.start()
    return process


def _work(env: dict[str, str], log: Path, counts: Path | None) -> None:
    be_told(env, log=log, counts=counts)
    for (module, name), value in _SECONDS.items():
        assert hasattr(module, name), f"{module.__name__} has no {name}"
        setattr(module, name, value)
    patched: Any = service
    patched.ReaderPool = _ReadsItself
    command.worker()


def be_told(env: Mapping[str, str], *, log: Path, counts: Path | None) -> None:
    """Gives a forked process its settings and its log; it does not outlive the campaign."""
    _die_with_parent()
    said = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(said, 1)
    os.dup2(said, 2)
    for name in [name for name in os.environ if name.startswith("LAMPLIGHTER_")]:
        del os.environ[name]
    os.environ.update(env)
    if counts is not None:
        _count(counts)


def _die_with_parent() -> None:
    """The process that all workers are forked from ends with the campaign, however that ends."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _count(counts: Path) -> None:
    """Notes every point that is reached, a line for each time."""
    into = counts.open("a", buffering=1, encoding="ascii")

    def reached(point: str) -> None:
        into.write(point + "\n")

    crash_points.reached = reached
