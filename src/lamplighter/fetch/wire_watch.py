"""Counts what each connection receives for its present response, whatever it is spent on.

libcurl tells of heads and bodies only: what chunks say of themselves and TLS are known to the kernel alone.
"""

import socket
import struct
import sys

#: bytes on the wire of one response that may be spent on anything
FREE_WIRE_BYTES = 1024 * 1024
#: more than any response may spend
ENDLESS = sys.maxsize
#: how often a connection may be readable without one byte of head or body: a chunk header has no such length
_MOST_IDLE_READS = 256
#: every so many reads of a response its bytes are looked at; a usual page takes fewer
_READS_BETWEEN_LOOKS = 4
#: struct tcp_info: tcpi_bytes_received, since Linux 4.1
_AT, _LENGTH = 128, 136


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

    def note(self, number: int, *, is_heard: bool) -> int | None:
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
        return spent if spent > FREE_WIRE_BYTES else None


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
