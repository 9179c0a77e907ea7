"""Limits of response bodies: accepted types and sizes."""

from collections.abc import AsyncIterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """Accepted type and size."""

    #: decompressed
    max_bytes: int
    #: True refuses what is neither HTML, XML, JSON nor text; robots.txt is read whatever type it has
    only_text: bool = True
    #: True keeps the beginning of a body that is too large instead of dropping it
    cut: bool = False

    async def body_of(self, arriving: AsyncIterable[bytes], *, announced: int | None) -> bytes | None:
        """The decompressed body, or None as soon as it exceeds the limit.

        A decompression bomb is stopped while it unpacks.
        `announced` is its declared length; None when there is none.
        """
        if (announced or 0) > self.max_bytes and not self.cut:
            return None
        chunks: list[bytes] = []
        size = 0
        async for chunk in arriving:
            chunks.append(chunk)
            size += len(chunk)
            if size > self.max_bytes:
                return b"".join(chunks)[: self.max_bytes] if self.cut else None
        return b"".join(chunks)
