"""Captures as WARC records (ISO 28500), each a gzip member of its own, so that each can be read alone.

A body is stored as it was read, decompressed. Headers about the bytes on the wire would not match it; they keep
their values under names that begin with X-Archive-Orig-, as other archives do.
"""

import hashlib
import io
import zlib
from base64 import b32encode
from datetime import UTC, datetime
from http import HTTPStatus
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]
from warcio.exceptions import ArchiveLoadFailed  # type: ignore[import-untyped]
from warcio.recordloader import ArcWarcRecord  # type: ignore[import-untyped]
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParserException  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from lamplighter.model.capture import Capture

VERSION = "WARC/1.1"
_OF_THE_WIRE = frozenset({"content-encoding", "transfer-encoding"})
_RENAMED = "X-Archive-Orig-"
_GZIP = zlib.MAX_WBITS | 16
#: half the time of the default level, for a tenth more bytes
_LEVEL = 1
#: a gzip member without a name or a time
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LARGEST_BLOCK = 0xFFFF
_READ_AT_ONCE = 16 * 1024
_BLANK = (
    "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Date: 1970-01-01T00:00:00Z\r\n"
    "Content-Type: text/plain\r\nContent-Length: {length:09}\r\n\r\n"
)
_END = b"\r\n\r\n"


def info(name: str, *, software: str) -> bytes:
    """The record that begins a file: what software wrote it, and how."""
    writer, written = _writer()
    described = {"software": software, "format": VERSION, "conformsTo": "https://iipc.github.io/warc-specifications/"}
    writer.write_record(writer.create_warcinfo_record(name, described))
    return _member(written)


def response(capture: Capture) -> bytes:
    """The record of a response."""
    writer, written = _writer()
    record = writer.create_warc_record(
        capture.url,
        "response",
        payload=io.BytesIO(capture.body),
        length=len(capture.body),
        http_headers=_http_head(capture),
        warc_headers_dict=_about(capture.url, capture.fetched_at),
    )
    writer.write_record(record)
    return _member(written)


class EarlierRecord(NamedTuple):
    """A record to which later ones with the same body refer."""

    url: str
    fetched_at: datetime
    digest: str

    @classmethod
    def of(cls, capture: Capture) -> "EarlierRecord":
        """The record of this capture."""
        digest = b32encode(hashlib.sha1(capture.body, usedforsecurity=False).digest()).decode()
        return cls(capture.url, capture.fetched_at, f"sha1:{digest}")


def revisit(url: str, fetched_at: datetime, *, same_as: EarlierRecord) -> bytes:
    """The record of a response whose body is in an earlier record."""
    writer, written = _writer()
    record = writer.create_revisit_record(
        url,
        digest=same_as.digest,
        refers_to_uri=same_as.url,
        refers_to_date=_date(same_as.fetched_at),
        warc_headers_dict=_about(url, fetched_at),
    )
    writer.write_record(record)
    return _member(written)


def read(member: bytes) -> Capture | None:
    """The capture in a member that `response` made; None for anything else, or for a damaged member."""
    try:
        record = next(iter(ArchiveIterator(io.BytesIO(member))), None)
        return capture_of(record) if record is not None and record.rec_type == "response" else None
    except (ArchiveLoadFailed, StatusAndHeadersParserException, zlib.error, EOFError):
        return None
    except (AttributeError, TypeError, ValueError):
        return None  # intact, but without a header that every response of ours has


def member_length(data: memoryview) -> int | None:
    """The length of the gzip member at the beginning; None when that is no whole member."""
    unpacking, read = zlib.decompressobj(_GZIP), 0
    try:
        while not unpacking.eof:
            part = data[read : read + _READ_AT_ONCE]
            if not part:
                return None
            unpacking.decompress(part)
            read += len(part)
    except zlib.error:
        return None
    return read - len(unpacking.unused_data)


def capture_of(record: ArcWarcRecord) -> Capture:
    """What a response record says."""
    about, head = record.rec_headers, record.http_headers
    return Capture(
        url=about.get_header("WARC-Target-URI"),
        fetched_at=datetime.fromisoformat(about.get_header("WARC-Date")).astimezone(UTC),
        status=int(head.get_statuscode()),
        headers=tuple(head.headers),
        body=record.content_stream().read(),
    )


def blank(length: int, *, place: str) -> bytes:
    """A member of exactly this length without content, to replace a removed record."""
    removed = uuid5(NAMESPACE_URL, f"removed from {place}")
    # Stored, not compressed: only this gives a length exact to the byte.
    blocks = 1
    while (room := length - len(_GZIP_HEAD) - 8 - 5 * blocks) > blocks * _LARGEST_BLOCK:
        blocks += 1
    filling = room - len(_BLANK.format(id=removed, length=0)) - len(_END)
    if filling < 0:
        raise ValueError(f"no record is as short as {length} bytes")
    content = _BLANK.format(id=removed, length=filling).encode() + b" " * filling + _END
    # As many blocks as were planned for, even where fewer would do.
    share = -(-len(content) // blocks)
    parts = [content[place * share : (place + 1) * share] for place in range(blocks)]
    stored = b"".join(
        bytes([index == len(parts) - 1])
        + len(part).to_bytes(2, "little")
        + (len(part) ^ _LARGEST_BLOCK).to_bytes(2, "little")
        + part
        for index, part in enumerate(parts)
    )
    sums = zlib.crc32(content).to_bytes(4, "little") + len(content).to_bytes(4, "little")
    return _GZIP_HEAD + stored + sums


def _writer() -> tuple[WARCWriter, io.BytesIO]:
    # gzip would compress as hard as possible, at four times the cost of the rest.
    written = io.BytesIO()
    return WARCWriter(written, gzip=False, warc_version=VERSION), written


def _member(written: io.BytesIO) -> bytes:
    packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return packing.compress(written.getbuffer()) + packing.flush()


def _about(url: str, fetched_at: datetime) -> dict[str, str]:
    # The same response has the same id wherever it is written.
    date = _date(fetched_at)
    return {"WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{date} {url}')}>", "WARC-Date": date}


def _date(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _http_head(capture: Capture) -> StatusAndHeaders:
    length = str(len(capture.body))
    kept: list[tuple[str, str]] = []
    for name, value in capture.headers:
        if (lower := name.lower()) == "content-length" and value == length:
            continue
        kept.append((_RENAMED + name if lower in _OF_THE_WIRE or lower == "content-length" else name, value))
    status = f"{capture.status} {_phrase(capture.status)}".rstrip()
    return StatusAndHeaders(status, [*kept, ("Content-Length", length)], protocol="HTTP/1.1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
