"""Clocks that tests set."""

from datetime import datetime, timedelta

from tests.moments import NOON


class At:
    """A clock that stands still unless it is set."""

    def __init__(self, now: datetime = NOON) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def move(self, **by: float) -> None:
        """Sets it forward by so many hours, minutes or seconds."""
        self.at += timedelta(**by)
