"""A reader process: reads batches of bodies from standard input, writes digests to standard output, until input ends.

Run as `python -m lamplighter.crawl.reading.reader` by `reader_pool`. It imports only what parsing needs, so that it
starts in a fraction of the service's time and uses a fraction of its memory.
"""

import ctypes
import gc
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Iterable
from datetime import datetime
from typing import BinaryIO, NamedTuple

from lamplighter.crawl.reading.digest import digest
from lamplighter.crawl.reading.reader_messages import HEADER, Digest, Effort, PageWork

#: a page that needs more memory than this kills its reader, not the machine
MEMORY_BYTES = 2 * 1024**3


def main() -> None:
    """Parses all batches."""
    _prepare()
    # What a library prints must not end up among the digests.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answers.write(HEADER.pack(0))  # ready
    answers.flush()
    while (message := _receive(sys.stdin.buffer)) is not None:
        batch, now = pickle.loads(message)
        answer = pickle.dumps(read_batch(batch, now), protocol=pickle.HIGHEST_PROTOCOL)
        answers.write(HEADER.pack(len(answer)) + answer)
        answers.flush()


def read_batch(batch: Iterable[PageWork], now: datetime) -> list[Digest]:
    """Parses pages in order, and measures the time of each."""
    digests = []
    # One page begins where the last ends: one measurement between two pages is enough.
    began_at, before = time.time(), _used()
    for work in batch:
        read = digest(work, now)
        ended_at, after = time.time(), _used()
        took_ms = max(0.0, ended_at - began_at) * 1000
        cpu_ms = (after.cpu_seconds - before.cpu_seconds) * 1000
        digests.append(read._replace(effort=Effort(round(cpu_ms, 3), after.peak_kb, began_at, round(took_ms, 3))))
        began_at, before = ended_at, after
    return digests


class _Used(NamedTuple):
    """CPU and memory used so far."""

    cpu_seconds: float
    peak_kb: int


def _used() -> _Used:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # Linux counts kibibytes, macOS bytes.
    peak_kb = usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
    return _Used(usage.ru_utime + usage.ru_stime, peak_kb)


def _receive(stream: BinaryIO) -> bytes | None:
    header = stream.read(HEADER.size)
    return stream.read(HEADER.unpack(header)[0]) if len(header) == HEADER.size else None


def _prepare() -> None:
    """Makes the reader ignore Ctrl-C, end with its parent, and keep to a memory limit."""
    # What is loaded by now stays: collecting it would cost some pages 50 ms.
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
