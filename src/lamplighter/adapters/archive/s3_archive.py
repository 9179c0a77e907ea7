"""Captures as objects of an S3 server.

Objects cannot be appended to, so those of one commit are one object, and a capture's key says which part of it to
request. One that must not be kept is removed by rewriting its object.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError
from obstore.store import S3Store

from lamplighter.adapters.archive import stray_frames
from lamplighter.adapters.archive.archive_frames import MARKS, SUFFIXES, FrameKey, Frames, frames_of, segment_named
from lamplighter.model.capture import Capture
from lamplighter.ports import ArchivedAt, ArchiveSegment, Clock, StrayCapture

if TYPE_CHECKING:
    from obstore import UpdateVersion

#: callers that wait for the archive retry by themselves
_RETRYING = timedelta(seconds=10)
_CONNECT, _ANSWER = timedelta(seconds=5), timedelta(seconds=60)
#: another process may rewrite the same object at the same moment, but not for ever
_MOST_TRIES = 5
#: how a server says that the bucket, not the object, is missing
_NO_BUCKET = "<Code>NoSuchBucket</Code>"
#: how the client says that a response ended too early
_CUT_OFF = "Interrupted"
#: the most informative part of an error comes first; the last one is how a request without an answer ended
_REASONS = [
    re.compile(pattern)
    for pattern in (
        *(r"<Code>(\w+)</Code>", r"status code: (\d{3})", r"\b(NotPartial|NoContentRange)\b"),
        r"HttpError \{\s*kind: (\w+)",
    )
]


class S3Archive:
    """A bucket of segments, or the part of it under a prefix."""

    def __init__(
        self, bucket: str, frames: Frames, *, clock: Clock, prefix: str = "", endpoint: str | None = None
    ) -> None:
        is_plain = endpoint is not None and endpoint.startswith("http:")
        self._store = S3Store(
            bucket,
            prefix=prefix or None,
            client_options={"allow_http": is_plain, "connect_timeout": _CONNECT, "timeout": _ANSWER},
            retry_config={"max_retries": 1, "retry_timeout": _RETRYING},
            endpoint=endpoint,
        )
        self._frames = frames
        self._rewriting = asyncio.Lock()
        #: some servers send the right part with status 200, which the client rejects
        self._sends_parts = True

    async def put(self, captures: Sequence[Capture]) -> list[ArchivedAt]:
        """Stores captures as one object, and returns the key of each."""
        if not captures:
            return []
        segment = uuid4().hex
        places, content = await asyncio.to_thread(self._packed, segment, captures)
        try:
            async with _answering():
                await obstore.put_async(self._store, places[0].file_name, content, use_multipart=False)
        except FileNotFoundError as error:
            raise ConnectionError(_failure(error)) from None
        return [ArchivedAt(place.key, place.segment, place.length) for place in places]

    async def get(self, key: str) -> bytes | None:
        """The body with this key, or None."""
        return (await self.get_all([key]))[0]

    async def get_all(self, keys: Sequence[str]) -> list[bytes | None]:
        """The bodies with these keys, requested in parallel."""
        captures = await asyncio.gather(*map(self.capture, keys))
        return [capture.body if capture is not None else None for capture in captures]

    async def capture(self, key: str) -> Capture | None:
        """All that is kept under this key, or None."""
        place = FrameKey.of(key)
        try:
            frame = await self._frame(place)
        except FileNotFoundError:
            return None
        return await asyncio.to_thread(frames_of(place.mark).unpacked, frame)

    async def discard(self, keys: Sequence[str]) -> None:
        """Rewrites the objects with empty frames in place of these."""
        by_object = defaultdict[str, list[FrameKey]](list)
        for place in map(FrameKey.of, keys):
            by_object[place.file_name].append(place)
        async with self._rewriting:
            for name, places in by_object.items():
                await self._rewrite(name, places)

    async def segments(self) -> list[ArchiveSegment]:
        """The segments under the prefix."""
        found = []
        async with _answering():
            async for chunk in obstore.list(self._store):
                for item in chunk:
                    if (name := segment_named(item["path"])) is not None:
                        found.append(ArchiveSegment(name, item["size"], item["last_modified"]))
        return found

    async def strays(self, segment: ArchiveSegment, known: Collection[str]) -> list[StrayCapture]:
        """The captures of an object beside those with known keys."""
        found: list[StrayCapture] = []
        for mark in MARKS:
            for gap in stray_frames.gaps(segment.name, segment.size, known, mark=mark):
                try:
                    content = await self._frame(gap)
                except FileNotFoundError:
                    break  # it has the other format
                found += await asyncio.to_thread(list, stray_frames.strays_in(gap, content))
        return found

    async def remove(self, segment: str) -> None:
        """Removes a segment with everything in it."""
        for suffix in SUFFIXES:
            try:
                async with _answering():
                    await obstore.delete_async(self._store, segment + suffix)
            except FileNotFoundError:
                continue

    def _packed(self, segment: str, captures: Sequence[Capture]) -> tuple[list[FrameKey], bytes]:
        frames = [self._frames.opening(segment), *map(self._frames.packed, captures)]
        places, offset = [], len(frames[0])
        for frame in frames[1:]:
            places.append(FrameKey(segment, offset, len(frame), self._frames.mark))
            offset += len(frame)
        return places, b"".join(frames)

    async def _frame(self, place: FrameKey) -> bytes:
        if self._sends_parts:
            try:
                async with _answering():
                    part = await obstore.get_range_async(
                        self._store, place.file_name, start=place.offset, length=place.length
                    )
                    return bytes(part)
            except ConnectionError as error:
                if "NotPartial" not in str(error):
                    raise
                self._sends_parts = False
        async with _answering():
            whole = await (await obstore.get_async(self._store, place.file_name)).bytes_async()
        return bytes(whole)[place.offset : place.offset + place.length]

    async def _rewrite(self, name: str, places: Sequence[FrameKey]) -> None:
        last: _Overtaken | None = None
        for _ in range(_MOST_TRIES):
            try:
                async with _answering():
                    found = await obstore.get_async(self._store, name)
                    whole = await found.bytes_async()
                    content = bytearray(whole)
                    for place in places:
                        content[place.offset : place.offset + place.length] = frames_of(place.mark).blank(place)
                    assert len(content) == len(whole), "frames behind a removed one must keep their offsets"
                    seen: UpdateVersion = {"e_tag": found.meta["e_tag"]}
                    await obstore.put_async(self._store, name, bytes(content), mode=seen, use_multipart=False)
                return
            except FileNotFoundError:
                return
            except _Overtaken as overtaken:
                last = overtaken
        raise ConnectionError(f"{_MOST_TRIES} tries to rewrite {name} were overtaken; {last}")


class _Overtaken(ConnectionError):
    """Another process wrote the object meanwhile: the write was refused, or what was being read was cut off."""


@asynccontextmanager
async def _answering() -> AsyncIterator[None]:
    """Turns every error of the server into a ConnectionError, to be retried later."""
    try:
        yield
    except (PreconditionError, AlreadyExistsError) as error:
        # Status 412, or 409 while the other write has not ended.
        raise _Overtaken(_failure(error)) from None
    except FileNotFoundError as error:
        # While the bucket does not exist, nothing in it can be said to be missing.
        if _NO_BUCKET in str(error):
            raise ConnectionError(_failure(error)) from None
        raise
    except BaseError as error:
        failure = _failure(error)
        raise (_Overtaken if failure.endswith(_CUT_OFF) else ConnectionError)(failure) from None


def _failure(error: Exception) -> str:
    # The whole message may contain keys and signatures.
    found = (pattern.search(str(error)) for pattern in _REASONS)
    reason = next((match.group(1) for match in found if match), type(error).__name__)
    return f"the S3 archive failed: {reason}"
