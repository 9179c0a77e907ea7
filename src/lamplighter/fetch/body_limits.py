"""Limits of response bodies, and the reader that keeps to them: accepted types and sizes, compressed or not."""

import sys
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import brotli

from lamplighter.extract.sniff import BodyType, sniff

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: what is undone here, in the order of preference
CODINGS = "gzip, deflate, br, zstd"
#: bytes by which a compressed body may be larger than the body itself
_SLACK = 64 * 1024
#: a body that is this many times smaller than its compressed form was made to keep us busy
_INFLATED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """Accepted type and size."""

    #: decompressed
    max_bytes: int
    #: True refuses what is neither HTML, XML, JSON nor text; robots.txt is read whatever type it has
    only_text: bool = True
    #: True keeps the beginning of a body that is too large instead of dropping it
    cut: bool = False


@lru_cache(maxsize=256)
def is_binary(content_type: str | None) -> bool:
    """Whether a body of this type is none that we can parse, whatever is in it."""
    return sniff(b"", content_type) is BodyType.BINARY


class BrokenCoding(Exception):
    """A compressed body that cannot be unpacked."""


class BodyReader:
    """Takes a body as it arrives, and undoes its compression; stops as soon as it exceeds a limit.

    A decompression bomb is stopped while it unpacks. Bytes on the wire are limited as well: a compressed body may be
    hardly larger than what is in it.
    """

    __slots__ = ("_chunks", "_coding", "_decoder", "_most", "_received", "_size")

    def __init__(self, most: int, coding: str | None) -> None:
        """`most` is the limit in decompressed bytes; `coding` the Content-Encoding of the response."""
        self._most = most
        self._chunks: list[bytes] = []
        self._size = 0
        self._received = 0
        self._coding = coding.strip().lower() if coding else ""
        self._decoder: _Decoder | None = None

    @property
    def is_over(self) -> bool:
        """Whether the body is larger than the limit."""
        return self._size > self._most

    def feed(self, data: bytes) -> bool:
        """Takes the next bytes; False when no more are wanted. Raises BrokenCoding."""
        self._received += len(data)
        if self._coding in _DECODERS:
            data = self._decoded(data)
        if data:
            self._chunks.append(data)
            self._size += len(data)
        return self._size <= self._most

    def _decoded(self, data: bytes) -> bytes:
        if self._received > self._most + _SLACK or self._received > _SLACK + _INFLATED * self._size:
            raise BrokenCoding(f"{self._received} bytes of {self._coding} hold only {self._size}")
        try:
            if self._decoder is None:
                self._decoder = _DECODERS[self._coding](data)
            return self._decoder.decode(data, self._most - self._size + 1)
        except (zlib.error, brotli.error, zstd.ZstdError, EOFError) as error:
            raise BrokenCoding(f"the body is not {self._coding}: {error}") from None

    def body(self) -> bytes:
        """The body, at most as long as the limit; raises BrokenCoding when its compressed form is incomplete."""
        if self._coding == "deflate" and self._decoder is not None and not (self.is_over or self._decoder.is_complete):
            raise BrokenCoding("the body is not deflate: it ends too early")
        chunks = self._chunks
        whole = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        return whole if len(whole) <= self._most else whole[: self._most]


class _Decoder(Protocol):
    def decode(self, data: bytes, most: int) -> bytes:
        """What the bytes unpack to, as soon as that is more than `most` no further."""

    @property
    def is_complete(self) -> bool:
        """Whether the end was found."""


class _Zlib:
    """gzip and deflate."""

    def __init__(self, window: int) -> None:
        self._unpacker = zlib.decompressobj(wbits=window)

    def decode(self, data: bytes, most: int) -> bytes:
        return self._unpacker.decompress(data, most)

    @property
    def is_complete(self) -> bool:
        return self._unpacker.eof


class _Brotli:
    def __init__(self) -> None:
        self._unpacker: Any = brotli.Decompressor()

    def decode(self, data: bytes, most: int) -> bytes:
        pieces, size = list[bytes](), 0
        while size < most:
            piece: bytes = self._unpacker.process(data, output_buffer_limit=most - size)
            data = b""
            pieces.append(piece)
            size += len(piece)
            if self._unpacker.can_accept_more_data() or not piece:
                break
        return b"".join(pieces)

    @property
    def is_complete(self) -> bool:
        return bool(self._unpacker.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._unpacker: Any = zstd.ZstdDecompressor()

    def decode(self, data: bytes, most: int) -> bytes:
        decoded: bytes = self._unpacker.decompress(data, most) if not self._unpacker.eof else b""
        return decoded

    @property
    def is_complete(self) -> bool:
        return bool(self._unpacker.eof)


def _deflate(data: bytes) -> _Decoder:
    """RFC 9110 says zlib's format; some servers send the bare stream."""
    return _Zlib(zlib.MAX_WBITS if data and data[0] & 0xF == 8 else -zlib.MAX_WBITS)


_DECODERS: dict[str, Any] = {
    "gzip": lambda _: _Zlib(16 + zlib.MAX_WBITS),
    "deflate": _deflate,
    "br": lambda _: _Brotli(),
    "zstd": lambda _: _Zstd(),
}
