"""The formats of captures in a segment: our own frames, or WARC records.

A key ends in the mark of its format, so that an archive whose format was changed can still read what it has.
"""

import sys
from datetime import datetime
from typing import NamedTuple, Protocol

import orjson

from lamplighter import __version__
from lamplighter.model.capture import Capture

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: 30 KB of HTML to a quarter of its size in a tenth of a millisecond; zlib takes three times as long for the same
_LEVEL = 1
_LENGTH_BYTES = 4
_NEVER = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class FrameKey(NamedTuple):
    """The parts of a key: the place of a frame, and its format."""

    segment: str
    offset: int
    length: int
    #: mark of the format
    mark: str

    @classmethod
    def of(cls, key: str) -> "FrameKey":
        """Parses a key; those without a mark are from when only bodies were kept."""
        segment, offset, length, *mark = key.split(":")
        return cls(segment, int(offset), int(length), *(mark or [""]))

    @property
    def key(self) -> str:
        """The key of this place."""
        return f"{self.segment}:{self.offset}:{self.length}:{self.mark}"

    @property
    def file_name(self) -> str:
        """The name of the segment's file or object."""
        return self.segment + frames_of(self.mark).suffix


class Frames(Protocol):
    """One format."""

    mark: str
    suffix: str

    def opening(self, name: str) -> bytes:
        """The first bytes of a segment."""

    def packed(self, capture: Capture) -> bytes:
        """A capture as a frame."""

    def unpacked(self, frame: bytes) -> Capture | None:
        """The capture in a frame; None when there is none, or only a part."""

    def length(self, data: memoryview) -> int | None:
        """The length of the frame at the beginning; None when that is no whole frame."""

    def blank(self, place: FrameKey) -> bytes:
        """The bytes that replace a frame that must not be kept."""


class PlainFrames:
    """zstd frames, each of them the head as JSON, then the body."""

    mark = "p"
    suffix = ".seg"

    def opening(self, name: str) -> bytes:
        """Nothing."""
        return b""

    def packed(self, capture: Capture) -> bytes:
        """The length of the head, the head, the body."""
        head = orjson.dumps((capture.url, capture.fetched_at, capture.status, capture.headers))
        return zstd.compress(len(head).to_bytes(_LENGTH_BYTES, "big") + head + capture.body, _LEVEL)

    def unpacked(self, frame: bytes) -> Capture | None:
        """The capture, if this is a whole frame."""
        if (content := _decompressed(frame)) is None:
            return None
        end = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES], "big")
        url, fetched_at, status, headers = orjson.loads(content[_LENGTH_BYTES:end])
        return Capture(
            url=url,
            fetched_at=datetime.fromisoformat(fetched_at),
            status=status,
            headers=tuple((name, value) for name, value in headers),
            body=content[end:],
        )

    def length(self, data: memoryview) -> int | None:
        """What the frame says itself."""
        try:
            return zstd.get_frame_size(data)
        except zstd.ZstdError:
            return None

    def blank(self, place: FrameKey) -> bytes:
        """Zeros, which are not a frame."""
        return bytes(place.length)


class BareFrames(PlainFrames):
    """zstd frames of bodies alone, as earlier versions wrote them: only read."""

    mark = ""

    def unpacked(self, frame: bytes) -> Capture | None:
        """A body without its head, which only the database knows."""
        if (body := _decompressed(frame)) is None:
            return None
        return Capture(url="", fetched_at=_NEVER, status=200, headers=(), body=body)


class WarcFrames:
    """WARC records, each a gzip member."""

    mark = "w"
    suffix = ".warc.gz"

    def __init__(self) -> None:
        # Loading it takes longer than all the rest; an archive of plain segments does without.
        from lamplighter.rules.formats import warc

        self._warc = warc

    def opening(self, name: str) -> bytes:
        """A record about the file."""
        return self._warc.info(name + self.suffix, software=f"lamplighter/{__version__}")

    def packed(self, capture: Capture) -> bytes:
        """A response record."""
        return self._warc.response(capture)

    def unpacked(self, frame: bytes) -> Capture | None:
        """What a response record holds."""
        return self._warc.read(frame)

    def length(self, data: memoryview) -> int | None:
        """Up to where its gzip member decompresses."""
        return self._warc.member_length(data)

    def blank(self, place: FrameKey) -> bytes:
        """An empty record, so that the file can still be read to its end."""
        return self._warc.blank(place.length, place=place.key)


PLAIN = PlainFrames()
_FORMATS: dict[str, type[PlainFrames | WarcFrames]] = {"": BareFrames, "p": PlainFrames, "w": WarcFrames}
_loaded: dict[str, Frames] = {}
#: how the names of segments may end
SUFFIXES = (PlainFrames.suffix, WarcFrames.suffix)


def frames_of(mark: str) -> Frames:
    """The format of this mark."""
    if mark not in _loaded:
        _loaded[mark] = _FORMATS[mark]()
    return _loaded[mark]


#: the marks of what is written today
MARKS = (PlainFrames.mark, WarcFrames.mark)


def segment_named(file_name: str) -> str | None:
    """The segment of a file or object; None when it is not a segment."""
    return next((file_name.removesuffix(suffix) for suffix in SUFFIXES if file_name.endswith(suffix)), None)


def _decompressed(frame: bytes) -> bytes | None:
    try:
        return zstd.decompress(frame)
    except zstd.ZstdError:
        return None
