"""Which connection keeps the loop busy: the one that is read, for nobody is cut for what merely comes in."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from lamplighter.fetch.wire_watch import ActGuard

pytestmark = pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="no CPU clocks of threads")


@contextmanager
def connected() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a TCP connection; the first does not wait until there is room."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as near,
        listening.accept()[0] as far,
    ):
        far.setblocking(False)
        yield far, near


def cut_in_a_call(seconds: float, *, reads: bool) -> tuple[list[int], int]:
    """Whom the guard cuts in a call of so much CPU; another is flooded than the one that may be read, which is told."""
    guard = ActGuard()
    with ExitStack() as stack:
        small, read = stack.enter_context(connected())
        large, unread = stack.enter_context(connected())
        guard.note(read.fileno())
        guard.note(unread.fileno())
        guard.start()
        stack.callback(guard.stop)
        guard.wake()
        guard.calls, guard.is_busy = 1, True
        ends_at = time.thread_time() + seconds
        while time.thread_time() < ends_at and not guard.cut:
            with suppress(BlockingIOError):
                large.send(bytes(1000))
            if reads:
                with suppress(OSError):
                    small.send(bytes(9))
                    read.recv(9)
        guard.is_busy = False
        return guard.cut, read.fileno()


def test_in_a_long_call_the_connection_is_cut_that_is_read() -> None:
    cut, read = cut_in_a_call(5, reads=True)

    assert cut == [read]


def test_in_a_long_call_that_reads_nothing_nobody_is_cut() -> None:
    cut, _ = cut_in_a_call(0.3, reads=False)

    assert cut == []
