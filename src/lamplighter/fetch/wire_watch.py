"""What connections receive, whatever it is spent on: counted, and ended where it keeps the event loop busy.

libcurl tells of heads and bodies only: what chunks say of themselves and TLS are known to the kernel alone. And OpenSSL
skips some messages of a server (HelloRequest) without returning, for as long as they come. The loop does not turn
meanwhile, so none of its time-outs applies: a thread looks instead. It goes by CPU time, so that nobody is cut because
the machine is busy, and by what was read, so that nobody is cut for our own work.
"""

import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

if sys.platform == "linux":
    import fcntl
    import termios

#: bytes on the wire of one response that may be spent on anything
FREE_WIRE_BYTES = 1024 * 1024
#: bytes on the wire before a request can be sent: an honest handshake takes 5 KB, one with large certificates 100
FREE_HANDSHAKE_BYTES = 256 * 1024
#: more than any response may spend
ENDLESS = sys.maxsize
#: how often a connection may be readable without one byte of head or body: a chunk header has no such length
_MOST_IDLE_READS = 256
#: every so many reads of a response its bytes are looked at; a usual page takes fewer
_READS_BETWEEN_LOOKS = 4
#: struct tcp_info: tcpi_bytes_received, since Linux 4.1
_AT, _LENGTH = 128, 136
#: seconds between two looks at a call of libcurl, and the CPU time that one may take while a connection is read
_LOOKS_EVERY, _MOST_CPU_SECONDS = 0.03, 0.1
#: bytes that are thrown away at once
_AT_ONCE = 1024 * 1024


class WireWatch:
    """The reads and bytes of all sockets, by their numbers."""

    def __init__(self) -> None:
        self._reads: dict[int, int] = {}
        #: reads in a row without one byte of a head or body
        self._idle_reads: dict[int, int] = {}
        #: the bytes that a socket had received when they were first looked at
        self._from: dict[int, int] = {}

    def forget(self, number: int) -> None:
        """A socket has no response to receive any more."""
        for counts in (self._reads, self._idle_reads, self._from):
            counts.pop(number, None)

    def note(self, number: int, *, is_heard: bool, is_connecting: bool) -> int | None:
        """Notes a read; how many bytes the response has spent if that is more than is free, else None."""
        reads = self._reads[number] = self._reads.get(number, 0) + 1
        if is_heard:
            if self._idle_reads:
                self._idle_reads.pop(number, None)
        else:
            idle = self._idle_reads[number] = self._idle_reads.get(number, 0) + 1
            if idle > _MOST_IDLE_READS:
                return ENDLESS
        if reads % _READS_BETWEEN_LOOKS:
            return None
        received = received_bytes(number)
        spent = received - self._from.setdefault(number, received)
        return spent if spent > (FREE_HANDSHAKE_BYTES if is_connecting else FREE_WIRE_BYTES) else None


def received_bytes(number: int) -> int:
    """The bytes that a TCP socket has received; 0 where the system does not say."""
    if sys.platform != "linux":
        return 0
    connected = socket.socket(fileno=number)
    try:
        known = connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _LENGTH)
    except OSError:
        return 0
    finally:
        connected.detach()
    received: int = struct.unpack_from("=Q", known, _AT)[0] if len(known) >= _LENGTH else 0
    return received


def read_bytes(number: int) -> int:
    """The bytes of a TCP socket that were taken out of it; 0 where the system does not say."""
    received = received_bytes(number)
    if sys.platform != "linux" or not received:
        return 0
    waiting: int = struct.unpack("=i", fcntl.ioctl(number, termios.FIONREAD, bytes(4)))[0]
    return received - waiting


class ActGuard:
    """Watches an event loop's calls of libcurl, where the system tells what a thread spends."""

    def __init__(self) -> None:
        #: how often libcurl was called, and whether it is at work
        self.calls = 0
        self.is_busy = False
        #: sockets that were cut in this call
        self.cut: list[int] = []
        #: each socket that was made, and what tells it from a later file of the same number
        self._made: dict[int, int] = {}
        self._awake = threading.Event()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Watches the thread that calls this."""
        clock_of = getattr(time, "pthread_getcpuclockid", None)
        if clock_of is None:
            return
        clock: int = clock_of(threading.get_ident())
        self._thread = threading.Thread(
            target=self._watch, args=(lambda: time.clock_gettime(clock),), name="act-guard", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread."""
        self._over.set()
        self._awake.set()
        if self._thread is not None:
            self._thread.join()

    def wake(self) -> None:
        """There are transfers."""
        self._awake.set()

    def rest(self) -> None:
        """There are none."""
        self._awake.clear()

    def note(self, number: int) -> None:
        """A socket was made."""
        self._made[number] = os.fstat(number).st_ino

    def _watch(self, spent: Callable[[], float]) -> None:
        call, began, before = 0, 0.0, None
        while self._awake.wait() and not self._over.wait(_LOOKS_EVERY):
            if not self.is_busy or self.calls != call:
                call, began, before = self.calls, spent(), None
            elif before is None:
                before = self._read()
            elif spent() >= began + _MOST_CPU_SECONDS:
                self._cut_busiest(before)

    def _read(self) -> dict[int, int]:
        """The bytes that were read from each open socket."""
        read = {}
        for number, inode in list(self._made.items()):
            with suppress(OSError):
                if os.fstat(number).st_ino == inode:
                    read[number] = read_bytes(number)
        return read

    def _cut_busiest(self, before: dict[int, int]) -> None:
        """Cuts the connection of which most was read since then, if there is one."""
        now = self._read().items()
        since = {number: count - before.get(number, 0) for number, count in now if number not in self.cut}
        number = max(since, key=lambda each: since[each], default=-1)
        if since.get(number, 0) > 0:
            self.cut.append(number)
            _cut(number)


def _cut(number: int) -> None:
    """Ends a connection, and throws away what it has received, for that would still be read."""
    connected = socket.socket(fileno=number)
    try:
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)
            while connected.recv(_AT_ONCE, socket.MSG_TRUNC | socket.MSG_DONTWAIT):
                pass
    finally:
        connected.detach()
