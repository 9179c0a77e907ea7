"""How many fetches are allowed per hour? A budget is kept by spacing: each fetch moves the next allowed start."""

from datetime import datetime, timedelta

from lamplighter.errors import BadInput

HOUR = timedelta(hours=1)
#: fetches per hour from which a number no longer counts as a budget
TOO_MANY = 1e9
#: a run that costs more than a year of its budget moves the next start no further: calendars end
LONGEST = timedelta(days=366)


def charged(free_at: datetime | None, *, fetches: float, per_hour: float, now: datetime) -> datetime:
    """When the budget allows the next fetch after `fetches` more; a negative number gives back unused ones."""
    start = free_at if free_at is not None and free_at > now else now
    return max(now, start + min(max(fetches / per_hour, -LONGEST / HOUR), LONGEST / HOUR) * HOUR)


def checked_budget(per_hour: float, *, least: float = 0.0, who: str) -> float:
    """A budget that can be kept; one too small to visit every source at its longest interval is refused."""
    if not 0 < per_hour < TOO_MANY:
        raise BadInput(
            f"a budget of {per_hour} fetches per hour for {who} is out of range; use a number above 0 "
            f"and below {TOO_MANY:.0e}"
        )
    if per_hour < least:
        raise BadInput(
            f"a budget of {per_hour:g} fetches per hour for {who} is too small: its sources need at least {least:.3g} "
            "even at their longest intervals; raise the budget or the intervals"
        )
    return per_hour
