"""The clock that follows the database's time."""

import time
from datetime import UTC, datetime, timedelta


class DatabaseClock:
    """The database's time, carried forward by the monotonic clock.

    Workers on several machines compare leases by one clock, and a step of the local wall clock moves nothing.
    """

    def __init__(self, database_now: datetime | None = None) -> None:
        self.set(database_now or datetime.now(UTC))

    def set(self, database_now: datetime) -> None:
        """Sets the clock to the database's time."""
        self._base = database_now
        self._base_at = self.monotonic()

    def now(self) -> datetime:
        """The database's time."""
        return self._base + timedelta(seconds=self.monotonic() - self._base_at)

    def monotonic(self) -> float:
        """Seconds since an arbitrary moment; on Linux they continue while the machine sleeps."""
        return time.clock_gettime(_CLOCK)


_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
