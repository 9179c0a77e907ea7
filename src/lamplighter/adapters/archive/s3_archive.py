"""Captures as objects of an S3 server.

Objects cannot be appended to, so those of one commit are one object, and a capture's key says which part of it to
request. One that must not be kept is removed by rewriting its object.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import obstore
from obstore.exceptions import BaseError, PreconditionError
from obstore.store import S3Store

from lamplighter.adapters.archive.archive_frames import SUFFIXES, FrameKey, Frames, frames_of, segment_named
from lamplighter.adapters.archive.archive_memory import RecentBodies
from lamplighter.model.capture import Capture
from lamplighter.ports import ArchivedAt, ArchiveSegment, Clock

if TYPE_CHECKING:
    from obstore import UpdateVersion

#: callers that wait for the archive retry by themselves
_RETRYING = timedelta(seconds=10)
_CONNECT, _ANSWER = timedelta(seconds=5), timedelta(seconds=60)
#: another process may rewrite the same object at the same moment, but not for ever
_MOST_TRIES = 5
#: how a server says that the bucket, not the object, is missing
_NO_BUCKET = "<Code>NoSuchBucket</Code>"
#: the most informative part of an error comes first
_REASONS = [re.compile(pattern) for pattern in (r"<Code>(\w+)</Code>", r"status code: (\d{3})", r"\b(NotPartial)\b")]


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
        self._recent = RecentBodies(clock.monotonic)
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
            raise _refusal(error) from None
        self._recent.remember((place.key, one.body) for place, one in zip(places, captures, strict=True))
        return [ArchivedAt(place.key, place.segment, place.length) for place in places]

    async def get(self, key: str) -> bytes | None:
        """The body with this key, or None."""
        return (await self.get_all([key]))[0]

    async def get_all(self, keys: Sequence[str]) -> list[bytes | None]:
        """The bodies with these keys; those that are not cached are requested in parallel."""
        return await self._recent.take_or_read(keys, lambda others: asyncio.gather(*map(self.capture, others)))

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
        self._recent.forget(keys)
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
            except _Overtaken:
                continue
        raise ConnectionError(f"the S3 archive changed {name} before each of our writes")


class _Overtaken(Exception):
    """Another process wrote the object meanwhile."""


@asynccontextmanager
async def _answering() -> AsyncIterator[None]:
    """Turns every error of the server into a ConnectionError, to be retried later."""
    try:
        yield
    except PreconditionError as error:
        raise _Overtaken from error
    except FileNotFoundError as error:
        # While the bucket does not exist, nothing in it can be said to be missing.
        if _NO_BUCKET in str(error):
            raise _refusal(error) from None
        raise
    except BaseError as error:
        raise _refusal(error) from None


def _refusal(error: Exception) -> ConnectionError:
    # The whole message may contain keys and signatures.
    found = (pattern.search(str(error)) for pattern in _REASONS)
    reason = next((match.group(1) for match in found if match), type(error).__name__)
    return ConnectionError(f"the S3 archive failed: {reason}")
