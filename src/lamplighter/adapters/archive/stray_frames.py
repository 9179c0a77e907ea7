"""Finds captures in a segment that nothing refers to: between those that are known, frame by frame."""

from collections.abc import Collection, Iterator

from lamplighter.adapters.archive.archive_frames import FrameKey, frames_of
from lamplighter.ports import ArchivedAt, StrayCapture

#: the most that is searched in one segment; what was archived last is at its end
MOST_BYTES = 16 * 1024 * 1024


def gaps(segment: str, size: int, known: Collection[str], *, mark: str, most: int = MOST_BYTES) -> list[FrameKey]:
    """The places between known frames, the last of them first, until they are so many bytes together.

    Each begins where a frame ends, so it begins with a frame.
    """
    found, end = [], 0
    for place in sorted(map(FrameKey.of, known), key=lambda place: place.offset):
        if place.offset > end:
            found.append(FrameKey(segment, end, place.offset - end, mark))
        end = max(end, place.offset + place.length)
    if size > end:
        found.append(FrameKey(segment, end, size - end, mark))
    chosen: list[FrameKey] = []
    for gap in reversed(found):
        if most <= 0:
            break
        chosen.append(gap._replace(length=min(gap.length, most)))
        most -= gap.length
    return chosen


def strays_in(gap: FrameKey, content: bytes) -> Iterator[StrayCapture]:
    """The captures in the bytes of a gap, up to the first that is broken or cut short."""
    frames, whole, start = frames_of(gap.mark), memoryview(content), 0
    while start < len(whole) and (length := frames.length(whole[start:])) is not None:
        place = FrameKey(gap.segment, gap.offset + start, length, gap.mark)
        start += length
        try:
            capture = frames.unpacked(bytes(whole[start - length : start]))
        except (ValueError, TypeError):
            continue  # not one of ours, or from when only bodies were kept
        if capture is not None:
            yield StrayCapture(ArchivedAt(place.key, place.segment, length), capture.url, capture.fetched_at)
