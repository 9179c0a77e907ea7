"""Decompresses a gzipped body piece by piece, up to a limit."""

import zlib
from collections.abc import Iterator

MAGIC = b"\x1f\x8b"
_PIECE = 64 * 1024
#: zlib's constant for "gzip with a header"
_GZIP = zlib.MAX_WBITS | 16


def pieces(body: bytes, *, limit: int) -> Iterator[bytes]:
    """The decompressed body in pieces, `limit` bytes at most; ends early where it is broken or cut off."""
    inflater = zlib.decompressobj(_GZIP)
    left, rest = limit, body
    while rest and left > 0:
        try:
            piece = inflater.decompress(rest, min(_PIECE, left))
        except zlib.error:
            return
        left -= len(piece)
        rest = inflater.unconsumed_tail
        if inflater.eof:
            # A file may be several gzip files in a row.
            rest, inflater = inflater.unused_data, zlib.decompressobj(_GZIP)
        if piece:
            yield piece


def head(body: bytes, *, size: int) -> bytes:
    """The first `size` decompressed bytes."""
    return b"".join(pieces(body, limit=size))
