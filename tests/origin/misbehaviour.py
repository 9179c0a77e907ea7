"""Answers that no server should give, and some do: rows A and B of the fault matrix."""

import gzip
import zlib
from functools import lru_cache

import brotli

from tests.origin.answers import Answer
from tests.origin.wire import Wire

_HTML = {"Content-Type": "text/html; charset=utf-8"}
_MEGABYTE = 1_000_000


def slow_body(body: bytes, *, bytes_per_second: float) -> Answer:
    """A prompt head, then a trickle (A4)."""
    answer = Answer(headers=_HTML)

    async def perform(wire: Wire) -> None:
        await wire.send(answer.head(length=len(body)))
        await wire.send_slowly(body, bytes_per_second=bytes_per_second)

    return Answer(perform=perform)


def slow_headers(*, bytes_per_second: float) -> Answer:
    """The head itself trickles (A4)."""
    answer = Answer(headers=_HTML)

    async def perform(wire: Wire) -> None:
        await wire.send_slowly(answer.head(length=2), bytes_per_second=bytes_per_second)
        await wire.send(b"ok")

    return Answer(perform=perform)


def hang() -> Answer:
    """Takes the request and never says a word (A5)."""
    return Answer(perform=Wire.until_client_leaves)


def hang_after_headers(length: int = 1000) -> Answer:
    """Promises a body that never comes (A5)."""
    answer = Answer(headers=_HTML)

    async def perform(wire: Wire) -> None:
        await wire.send(answer.head(length=length))
        await wire.until_client_leaves()

    return Answer(perform=perform)


def reset_mid_body(body: bytes = b"<h1>half a page</h1>") -> Answer:
    """Half of the body, then an RST (A2)."""
    answer = Answer(headers=_HTML)

    async def perform(wire: Wire) -> None:
        await wire.send(answer.head(length=2 * len(body)) + body)
        wire.reset()

    return Answer(perform=perform)


def short_body(body: bytes, *, missing: int) -> Answer:
    """Content-Length promises more than comes before the connection ends (A6)."""
    answer = Answer(headers=_HTML)

    async def perform(wire: Wire) -> None:
        await wire.send(answer.head(length=len(body) + missing) + body)

    return Answer(perform=perform)


def surplus_body(body: bytes, *, surplus: int) -> Answer:
    """Content-Length promises less than comes (A6)."""
    answer = Answer(headers=_HTML)

    async def perform(wire: Wire) -> None:
        await wire.send(answer.head(length=len(body) - surplus) + body)

    return Answer(perform=perform)


def bad_chunking() -> Answer:
    """A chunk whose size is no number (A6)."""
    answer = Answer(headers={**_HTML, "Transfer-Encoding": "chunked"})

    async def perform(wire: Wire) -> None:
        await wire.send(answer.head(length=None) + b"5\r\nhello\r\nlots\r\nworld\r\n0\r\n\r\n")

    return Answer(perform=perform)


def endless_body(chunk: bytes = b"<p>and so on</p>" * 4096) -> Answer:
    """A body that goes on until the client has had enough (B2)."""
    answer = Answer(headers=_HTML)

    async def perform(wire: Wire) -> None:
        await wire.send(answer.head(length=None))
        while True:
            await wire.send(chunk)

    return Answer(perform=perform)


def gzip_bomb(*, megabytes: int = 100, layers: int = 1) -> Answer:
    """Zeros by the hundred megabytes in a small answer; several layers are several encodings (B1)."""
    encodings = ", ".join(["gzip"] * layers)
    return Answer(headers={**_HTML, "Content-Encoding": encodings}, body=_gzipped_zeros(megabytes, layers))


def brotli_bomb(*, megabytes: int = 100) -> Answer:
    """The same, in brotli, which packs it far smaller (B1)."""
    return Answer(headers={**_HTML, "Content-Encoding": "br"}, body=_brotli_zeros(megabytes))


def huge_header(kilobytes: int = 1024) -> Answer:
    """One header larger than any client should read (B11)."""
    return Answer(headers={**_HTML, "X-Huge": "x" * 1024 * kilobytes}, body=b"ok")


def many_headers(count: int = 10_000) -> Answer:
    """More headers than anybody needs (B11)."""
    return Answer(headers={**_HTML, **{f"X-Number-{n}": str(n) for n in range(count)}}, body=b"ok")


@lru_cache
def _gzipped_zeros(megabytes: int, layers: int) -> bytes:
    packer = zlib.compressobj(level=6, wbits=31)
    packed = b"".join(packer.compress(bytes(_MEGABYTE)) for _ in range(megabytes)) + packer.flush()
    for _ in range(layers - 1):
        packed = gzip.compress(packed)
    return packed


@lru_cache
def _brotli_zeros(megabytes: int) -> bytes:
    packer = brotli.Compressor(quality=1)
    packed: bytes = b"".join(packer.process(bytes(_MEGABYTE)) for _ in range(megabytes)) + packer.finish()
    return packed
