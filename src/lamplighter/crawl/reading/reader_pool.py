"""A pool of reader processes that can be killed: a page that breaks its reader does not break the service."""

import asyncio
import fcntl
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, Self

from lamplighter import telemetry
from lamplighter.crawl.reading.reader_messages import HEADER, Digest, LessonDigest, LessonWork, PageWork, ShownWork

log = telemetry.logger("readers")
#: a reader is replaced after so many batches, in case it leaks memory
_BATCHES_PER_READER = 2000
_STOP_SECONDS = 5.0
_PIPE_BYTES = 1024 * 1024


class Unreadable(Exception):
    """The reader died or timed out on these pages."""


class NoReader(Exception):
    """No reader could be started, so nothing was parsed: not a page's fault; a retry may succeed."""


class ReaderPool:
    """A fixed number of readers, each started when first needed; use as an async context manager."""

    def __init__(self, *, workers: int, timeout: float) -> None:
        self.workers = workers
        self._timeout = timeout
        #: the one that was freed last is taken first, so that no further reader is started while one is idle
        self._free: asyncio.LifoQueue[_Reader] = asyncio.LifoQueue()

    async def __aenter__(self) -> Self:
        for _ in range(self.workers):
            self._free.put_nowait(_Reader())
        return self

    async def __aexit__(self, *_: object) -> None:
        while not self._free.empty():
            await self._free.get_nowait().stop()

    async def read(
        self, batch: list[PageWork], *, now: datetime, begun: Callable[[], None] = lambda: None
    ) -> list[Digest]:
        """Parses a batch; raises Unreadable if the reader died or timed out, NoReader if none starts.

        `begun` is called when a reader is free and gets the batch.
        """
        digests: list[Digest] = await self._ask(batch, now, begun)
        return digests

    async def teach(self, work: LessonWork, *, now: datetime) -> LessonDigest:
        """The state of a lesson; raises as `read` does."""
        taught: LessonDigest = await self._ask(work, now)
        return taught

    async def show(self, work: ShownWork, *, now: datetime) -> str:
        """A page as HTML that does nothing; raises as `read` does."""
        shown: str = await self._ask(work, now)
        return shown

    async def _ask(self, work: Any, now: datetime, begun: Callable[[], None] = lambda: None) -> Any:
        message = pickle.dumps((work, now), protocol=pickle.HIGHEST_PROTOCOL)
        reader = await self._free.get()
        try:
            await reader.ready()
            begun()
            async with asyncio.timeout(self._timeout):
                answer = await reader.ask(message)
        except TimeoutError:
            await reader.kill()
            raise Unreadable(f"parsing took longer than {self._timeout:g} s and was stopped") from None
        except (asyncio.IncompleteReadError, ConnectionError):
            code = await reader.kill()
            raise Unreadable(f"the parser process died (exit code {code})") from None
        except BaseException:  # cancelled before the digests were complete
            await reader.kill()
            raise
        finally:
            self._free.put_nowait(reader)
        return pickle.loads(answer)


async def start_process() -> Process:
    """Starts a reader process; when ready, it writes a header to its standard output."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = (sys.executable, "-m", "lamplighter.crawl.reading.reader")
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=env)


def _widen(stream: Any) -> None:
    """Makes the pipe hold a whole batch, where the system allows it: fewer wake-ups on both sides."""
    transport = getattr(stream, "transport", None) or stream._transport
    with suppress(OSError, AttributeError, ValueError):  # the last when the process has ended already
        fcntl.fcntl(transport.get_extra_info("pipe").fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class _Reader:
    """One slot of the pool with its current process."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._batches = 0

    async def ready(self) -> None:
        """Waits until the process is ready; raises NoReader if it does not start."""
        if self._batches >= _BATCHES_PER_READER:
            await self.stop()
        if self._process is not None:
            return
        try:
            await self._start()
        except asyncio.IncompleteReadError:
            code = await self.kill()
            raise NoReader(f"a parser process ended before it could parse (exit code {code})") from None
        except OSError as error:
            await self.kill()
            raise NoReader(f"no parser process could be started: {error}") from None

    async def ask(self, message: bytes) -> bytes:
        """Sends a batch, returns the digests."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        self._batches += 1
        process.stdin.writelines((HEADER.pack(len(message)), message))
        await process.stdin.drain()
        (length,) = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
        return await process.stdout.readexactly(length)

    async def _start(self) -> None:
        self._process = await start_process()
        self._batches = 0
        for stream in (self._process.stdin, self._process.stdout):
            _widen(stream)
        assert self._process.stdout is not None
        await self._process.stdout.readexactly(HEADER.size)

    async def stop(self) -> None:
        """Lets the process end by itself."""
        process = self._process
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            await self.kill()
        self._process = None

    async def kill(self) -> int | None:
        """Ends the process at once; the next batch gets a new one."""
        process, self._process = self._process, None
        if process is None:
            return None
        with suppress(ProcessLookupError):
            process.kill()
        return await process.wait()
