"""Failed logins: how long must whoever failed wait before the next try?

The first tries are free; after that each failure doubles the wait. A try that is refused during a wait is not counted,
so that nobody can prolong the wait of others by trying on.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(minutes=15)
#: after this long without a try, failures are forgotten; longer than the longest wait, which would else be the last
FORGOTTEN_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedLogins:
    """Failures in a row, as they are counted under one key."""

    count: int
    last_at: datetime


def counted(failed: FailedLogins | None, *, now: datetime) -> FailedLogins:
    """The failures with one more."""
    known = 0 if failed is None or _is_forgotten(failed, now) else failed.count
    return FailedLogins(count=known + 1, last_at=now)


def given_back(failed: FailedLogins) -> FailedLogins:
    """The failures without the last one, which was a success after all."""
    return FailedLogins(count=max(0, failed.count - 1), last_at=failed.last_at)


def wait(failed: FailedLogins | None, *, free: int, now: datetime) -> timedelta | None:
    """How long until the next try may be made; None if it may be made now."""
    if failed is None or failed.count < free or _is_forgotten(failed, now):
        return None
    # The exponent is bounded: the wait is the longest long before.
    pause = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(failed.count - free, 20))
    left = failed.last_at + pause - now
    return left if left > timedelta(0) else None


def _is_forgotten(failed: FailedLogins, now: datetime) -> bool:
    return now >= failed.last_at + FORGOTTEN_AFTER
