"""Caches the newest bodies until they are parsed: the parse phase reads each soon after it was stored."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from lamplighter.model.capture import Capture

MOST_BYTES = 16 * 1024 * 1024
#: A body that is read later than this waited in a long queue, or belongs to an old page: it comes from the archive.
#: Without this limit a quiet service would fill its memory for hours with bodies that are not read any more.
_MOST_SECONDS = 60.0


class _Remembered(NamedTuple):
    body: bytes
    #: seconds
    until: float


class RecentBodies:
    """Bodies by key, the oldest dropped first."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._bodies: OrderedDict[str, _Remembered] = OrderedDict()
        #: bytes of all cached bodies
        self.size = 0

    def get(self, key: str) -> bytes | None:
        """The body, if it is cached."""
        found = self._bodies.get(key)
        return found.body if found is not None else None

    async def take_or_read(
        self, keys: Sequence[str], read: Callable[[list[str]], Awaitable[Sequence[Capture | None]]]
    ) -> list[bytes | None]:
        """The bodies with these keys, dropped from the cache; one call of `read` gets all those that are not cached."""
        bodies = {key: self.get(key) for key in keys}
        self.forget(keys)
        if others := [key for key, body in bodies.items() if body is None]:
            captures = zip(others, await read(others), strict=True)
            bodies |= {key: capture.body if capture is not None else None for key, capture in captures}
        return [bodies[key] for key in keys]

    def remember(self, bodies: Iterable[tuple[str, bytes]]) -> None:
        """Caches bodies for a while, and drops expired ones."""
        now = self._monotonic()
        for key, body in bodies:
            self.forget([key])
            self._bodies[key] = _Remembered(body, now + _MOST_SECONDS)
            self.size += len(body)
        while self._bodies and (self.size > MOST_BYTES or next(iter(self._bodies.values())).until <= now):
            _, dropped = self._bodies.popitem(last=False)
            self.size -= len(dropped.body)

    def forget(self, keys: Iterable[str]) -> None:
        """Drops these bodies."""
        for key in keys:
            if (dropped := self._bodies.pop(key, None)) is not None:
                self.size -= len(dropped.body)
