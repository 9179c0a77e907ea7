"""The newest bodies stay in memory: the parse phase asks for them moments after they were stored."""

from collections import OrderedDict
from collections.abc import Iterable

_MOST_BYTES = 32 * 1024 * 1024


class RecentBodies:
    """Bodies by key, the oldest forgotten first."""

    def __init__(self) -> None:
        self._bodies: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

    def get(self, key: str) -> bytes | None:
        """The body, if it is remembered."""
        return self._bodies.get(key)

    def remember(self, key: str, body: bytes) -> None:
        """Keeps a body for a while."""
        self._bodies[key] = body
        self._size += len(body)
        while self._size > _MOST_BYTES:
            _, dropped = self._bodies.popitem(last=False)
            self._size -= len(dropped)

    def forget(self, keys: Iterable[str]) -> None:
        """Keeps these no longer."""
        for key in keys:
            self._size -= len(self._bodies.pop(key, b""))
