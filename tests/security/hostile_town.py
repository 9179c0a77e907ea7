"""A hundred good sites and ten that do their worst, in a process of its own: they wait for none of our locks."""

import gzip
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import pairwise
from multiprocessing.connection import Connection as Pipe
from typing import NamedTuple, Self

from tests.crashes.worker import forking
from tests.fetch import test_hostile_origins as rows
from tests.fleet.many_sites import Town, pages
from tests.origin.hostile import Connection, HostileOrigin, Perform, endless, silent

_NO_RULES = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_BOMB = gzip.compress(bytes(100_000_000), mtime=0)
#: what floods those who ask for robots.txt
_FLOODS = ("interim answers", "headers", "chunks of one byte, each with a long extension", "trailers")


class Start(NamedTuple):
    """Where to begin."""

    good: Sequence[str]
    hostile: Sequence[str]
    #: the port of the proxy that floods
    proxy: int


class Told(NamedTuple):
    """What has come of it so far."""

    #: pages of good sites that nobody asked for, and that were asked for more than once
    missing: int
    repeated: int
    #: how often each hostile one was connected to
    connections: Sequence[int]
    #: each end of an answer of a good site and the next request there (monotonic time, the same in all processes)
    turns: Sequence[tuple[float, float]]


class HostileTown:
    """The process; asked over a pipe."""

    def __init__(self, good: int, *, postings: int, is_hostile: bool) -> None:
        context = forking()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_perform, args=(theirs, good, postings, is_hostile), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        self.start: Start = self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.send(False)
        self._process.join(60)

    def told(self) -> Told:
        """How far they are."""
        self._pipe.send(True)
        told: Told = self._pipe.recv()
        return told


def _perform(pipe: Pipe, good: int, postings: int, is_hostile: bool) -> None:
    with ExitStack() as stack:
        town = stack.enter_context(Town(good, postings=postings))
        hostile = [stack.enter_context(HostileOrigin(perform)) for perform in _worst()] if is_hostile else []
        over_tls = [f"https://{origin.address}/jobs" for origin in hostile[:2]]
        over_http = [f"{origin.url}/jobs" for origin in hostile[2:9]]
        pipe.send(Start(town.starts, [*over_tls, *over_http], hostile[9].port if hostile else 0))
        while pipe.recv():
            pipe.send(
                Told(
                    town.missing(postings=postings),
                    len(town.repeated()),
                    [origin.connections for origin in hostile],
                    [
                        (before.finished or after.arrived, after.arrived)
                        for site in town.sites
                        for before, after in pairwise(pages(site))
                    ],
                )
            )


def _worst() -> list[Perform]:
    """Two over TLS, seven without, and a proxy."""
    floods = [row.values for row in rows.FLOODS if row.id in _FLOODS]
    return [
        rows.hello_requests(a_second=None),
        silent,
        *(endless(bytes(head), bytes(piece)) for head, piece in floods),  # type: ignore[arg-type]
        _after_robots(rows.slowly(rows.OK + b"X-Header: " + b"y" * 10_000)),
        _after_robots(rows.slowly(rows.OK + b"\r\n" + b"y" * 10_000)),
        _after_robots(_bomb),
        endless(rows.CHUNKED, b"1\r\na\r\n"),
    ]


def _after_robots(perform: Perform) -> Perform:
    """Has no robots.txt, and does its worst to whoever asks for a page."""

    def polite_at_first(connection: Connection) -> None:
        if b" /robots.txt " in connection.sock.recv(65536, socket.MSG_PEEK):
            connection.read_request()
            connection.send(_NO_RULES)
        else:
            perform(connection)

    return polite_at_first


def _bomb(connection: Connection) -> None:
    connection.read_request()
    connection.send(rows.OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(_BOMB) + _BOMB)
