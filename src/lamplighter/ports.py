"""What the core needs from outside, as protocols; `app.py` chooses who answers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Two clocks: one to write down, one to wait by."""

    def now(self) -> datetime:
        """The time of the database, aware UTC: what is stored and compared between workers."""

    def monotonic(self) -> float:
        """Seconds that only ever grow: what pacing is measured by, whatever the wall clock does."""


class Archive(Protocol):
    """Keeps page bodies."""

    async def put(self, bodies: Sequence[bytes]) -> list[str]:
        """Stores bodies and returns the key of each; all survive the death of this process when this returns."""

    async def get(self, key: str) -> bytes | None:
        """The body, or None when it is not (or no longer) there."""
