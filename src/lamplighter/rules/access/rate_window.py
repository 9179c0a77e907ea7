"""A rate limit: how many more calls may a caller make in the current time window?

A window opens with the first call and closes after its span, whatever happens in it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RateWindow:
    """The calls of one caller since the window opened."""

    opened_at: datetime
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """A caller's rate limit status after a call."""

    limit: int
    used: int
    #: when the whole limit is available again
    resets_at: datetime

    @property
    def is_within(self) -> bool:
        """Whether the call is within the limit."""
        return self.used <= self.limit

    @property
    def remaining(self) -> int:
        """How many more calls are allowed."""
        return max(0, self.limit - self.used)


def counted(window: RateWindow | None, *, span: timedelta, now: datetime) -> RateWindow:
    """The window after one more call."""
    if window is None or now >= window.opened_at + span:
        return RateWindow(opened_at=now, used=1)
    return RateWindow(opened_at=window.opened_at, used=window.used + 1)


def rate(window: RateWindow, *, limit: int, span: timedelta) -> RateLimit:
    """The caller's rate limit status."""
    return RateLimit(limit=limit, used=window.used, resets_at=window.opened_at + span)
