"""The clock that follows the database's time."""

import time
from datetime import UTC, datetime, timedelta
from functools import partial

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


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

    #: seconds since an arbitrary moment, which on Linux continue while the machine sleeps; a page asks twenty times
    monotonic = staticmethod(partial(time.clock_gettime, _CLOCK))
