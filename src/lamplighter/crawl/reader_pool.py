"""Processes that read pages and can be killed: a page that breaks its reader costs that page, never the service."""

import asyncio
import ctypes
import multiprocessing
import signal
import sys
from datetime import datetime
from typing import Self

from pebble import ProcessExpired, ProcessPool

from lamplighter import telemetry
from lamplighter.crawl.digest import Digest, PageWork, digest_all

log = telemetry.logger("readers")
#: a reader is replaced after so many batches, whatever it leaks
_BATCHES_PER_READER = 2000


class Unreadable(Exception):
    """A reader died of this page, or had to be killed over it."""


class ReaderPool:
    """A fixed number of reader processes; use as an async context manager."""

    def __init__(self, *, workers: int, timeout: float) -> None:
        self.workers = workers
        self._timeout = timeout

    async def __aenter__(self) -> Self:
        self._pool = ProcessPool(
            max_workers=self.workers,
            max_tasks=_BATCHES_PER_READER,
            initializer=_prepare,
            context=multiprocessing.get_context("spawn"),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        await asyncio.to_thread(self._pool.join)

    async def read(self, batch: list[PageWork], *, now: datetime) -> list[Digest]:
        """Reads a batch; raises Unreadable when its reader died or took too long."""
        task = self._pool.schedule(digest_all, args=[batch, now], timeout=self._timeout)
        try:
            return await asyncio.wrap_future(task)
        except TimeoutError:
            raise Unreadable(f"reading took longer than {self._timeout:g} s and was stopped") from None
        except ProcessExpired as died:
            raise Unreadable(f"the reader process died ({died})") from None


def _prepare() -> None:
    """A reader leaves Ctrl-C to its parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
