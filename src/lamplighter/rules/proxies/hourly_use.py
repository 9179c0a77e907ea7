"""How often was a proxy used within the last hour? Never counted too low, in a list that stays small.

A use within a few minutes of the first of an entry joins that entry, and all uses of an entry count as if they had been
made when its last one was. So a use is forgotten an hour after it was made or up to `GRAIN` later, never sooner: in any
sixty minutes there are no more uses than a limit on this count allows.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction

HOUR = timedelta(hours=1)
#: the longest time between the first and the last use of one entry
GRAIN = timedelta(minutes=2)
#: factor of the reserve
_RESERVE = Fraction(6, 5)
#: a proxy may always fail, so one alone is never enough
_LEAST, _LEAST_AMPLE = 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class UseGroup:
    """Uses that were made close together."""

    first: datetime
    last: datetime
    count: int


def lately(uses: Iterable[UseGroup], *, now: datetime) -> tuple[UseGroup, ...]:
    """The entries that still count."""
    return tuple(each for each in uses if each.last > now - HOUR)


def count(uses: Iterable[UseGroup], *, now: datetime) -> int:
    """How many uses still count."""
    return sum(each.count for each in lately(uses, now=now))


def used(uses: Sequence[UseGroup], *, now: datetime) -> tuple[UseGroup, ...]:
    """The list after one more use."""
    kept = lately(uses, now=now)
    if kept and now - kept[-1].first < GRAIN:
        joined = UseGroup(first=kept[-1].first, last=max(kept[-1].last, now), count=kept[-1].count + 1)
        return (*kept[:-1], joined)
    return (*kept, UseGroup(first=now, last=now, count=1))


def free_at(uses: Sequence[UseGroup], *, limit: int, now: datetime) -> datetime:
    """When one more use stays within the limit; now if it already does."""
    left = count(uses, now=now)
    at = now
    for each in lately(uses, now=now):
        if left < limit:
            break
        left, at = left - each.count, each.last + HOUR
    return at


def to_json(uses: Iterable[UseGroup]) -> list[list[float]]:
    """The list as the database stores it: first and last in seconds, and how many."""
    return [[each.first.timestamp(), each.last.timestamp(), each.count] for each in uses]


def from_json(rows: Iterable[Sequence[float]] | None) -> tuple[UseGroup, ...]:
    """The list as it was stored in the database."""
    return tuple(
        UseGroup(first=datetime.fromtimestamp(first, UTC), last=datetime.fromtimestamp(last, UTC), count=int(number))
        for first, last, number in rows or ()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSize:
    """How many proxies are enough, and how many leave a reserve."""

    enough: int
    ample: int

    @property
    def words(self) -> str:
        """Both numbers in a phrase."""
        if not self.ample:
            return "none needed"
        return f"{self.enough} to {self.ample} proxies" if self.enough < self.ample else f"{self.ample} proxies"


def pool_size(*, per_hour: float, per_proxy: int) -> PoolSize:
    """The proxies that `per_hour` requests to a host need at `per_proxy` each: the quotient, and a fifth in reserve."""
    if per_hour <= 0:
        return PoolSize(enough=0, ample=0)
    # Exactly, so that 100 / 20 with its reserve is 6 and not a hair more.
    needed = Fraction(per_hour).limit_denominator(1_000_000) / per_proxy
    return PoolSize(enough=max(_LEAST, math.ceil(needed)), ample=max(_LEAST_AMPLE, math.ceil(needed * _RESERVE)))
