"""How many more calls may somebody make in the present window of time?

A window opens with the first call and closes after its span, whatever happens in it. Calls beyond the limit are counted
too, so that the first of them can be told from the rest.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The calls of one caller since it opened."""

    opened_at: datetime
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a caller stands after a call."""

    limit: int
    used: int
    #: when all of the limit is there again
    resets_at: datetime

    @property
    def is_within(self) -> bool:
        """Whether the call may go on."""
        return self.used <= self.limit

    @property
    def remaining(self) -> int:
        """How many more may follow."""
        return max(0, self.limit - self.used)

    @property
    def is_first_beyond(self) -> bool:
        """Whether this is the call with which the limit was first overstepped."""
        return self.used == self.limit + 1


def counted(window: Window | None, *, span: timedelta, now: datetime) -> Window:
    """The window after one more call."""
    if window is None or now >= window.opened_at + span:
        return Window(opened_at=now, used=1)
    return Window(opened_at=window.opened_at, used=window.used + 1)


def given_back(window: Window) -> Window:
    """The window as if the last call had not been made."""
    return Window(opened_at=window.opened_at, used=max(0, window.used - 1))


def standing(window: Window, *, limit: int, span: timedelta) -> Standing:
    """Where the caller stands."""
    return Standing(limit=limit, used=window.used, resets_at=window.opened_at + span)
