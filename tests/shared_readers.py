"""Reader processes that outlive a service: starting one takes a second of a processor, most of it for imports.

What a test sees is a process of its own: it is killed, and replaced, as in the service. One that ended in peace is kept
for the next service instead.
"""

import asyncio
import os
import subprocess
import sys
from asyncio.streams import FlowControlMixin
from contextlib import suppress

from lamplighter.crawl.reading.reader_messages import HEADER

_Kept = subprocess.Popen[bytes]
_COMMAND = (sys.executable, "-m", "lamplighter.crawl.reading.reader")
#: of one test process, free to be used
_FREE: list[_Kept] = []


class KeptProcess:
    """A running reader as asyncio's `Process` shows it, in the loop of the test that has it now."""

    def __init__(
        self,
        kept: _Kept,
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        reading: asyncio.ReadTransport,
    ) -> None:
        self._kept = kept
        self._reading = reading
        self._is_killed = False
        self.stdin = stdin
        self.stdout = stdout
        self.pid = kept.pid

    def kill(self) -> None:
        """It reads no more, for anybody."""
        self._is_killed = True
        self._kept.kill()

    async def wait(self) -> int:
        """When its input was closed it is free for others; when it was killed, this is how it ended."""
        self.stdin.close()
        self._reading.close()
        if not self._is_killed and self._kept.poll() is None:
            _FREE.append(self._kept)
            return 0
        code = await asyncio.to_thread(self._kept.wait)
        _close(self._kept)
        return code


async def start() -> KeptProcess:
    """In place of `reader_pool.start_process`: a kept process if there is one, else a new one."""
    while _FREE and _FREE[-1].poll() is not None:
        _close(_FREE.pop())
    return await _in_this_loop(_FREE.pop() if _FREE else await _started())


def end_all() -> None:
    """Ends those that nobody has."""
    while _FREE:
        kept = _FREE.pop()
        assert kept.stdin is not None
        with suppress(OSError):
            kept.stdin.close()
        kept.wait()
        _close(kept)


def _begun() -> _Kept:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)


async def _started() -> _Kept:
    made = _begun()  # not by a thread that ends: a reader dies with whoever started it
    assert made.stdout is not None
    await asyncio.to_thread(made.stdout.read1, HEADER.size)  # type: ignore[attr-defined]
    return made


async def _in_this_loop(kept: _Kept) -> KeptProcess:
    loop = asyncio.get_running_loop()
    assert kept.stdin is not None
    assert kept.stdout is not None
    stdout = asyncio.StreamReader(loop=loop)
    stdout.feed_data(bytes(HEADER.size))  # a new process says so that it can read, and this one did already
    outward, inward = (
        os.fdopen(os.dup(pipe.fileno()), mode, 0) for pipe, mode in ((kept.stdout, "rb"), (kept.stdin, "wb"))
    )
    reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdout, loop=loop), outward)
    transport, protocol = await loop.connect_write_pipe(lambda: FlowControlMixin(loop=loop), inward)
    return KeptProcess(kept, asyncio.StreamWriter(transport, protocol, None, loop), stdout, reading)


def _close(kept: _Kept) -> None:
    for pipe in (kept.stdin, kept.stdout):
        assert pipe is not None
        with suppress(OSError):
            pipe.close()
