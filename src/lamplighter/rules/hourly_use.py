"""How often was a proxy used within the last hour? Never counted short, in a list that stays small.

A use within a few minutes of the first of an entry joins that entry, and all of an entry count as if they had been made
when its last one was. So a use is forgotten an hour after it was made or up to `GRAIN` later, never sooner: in any
sixty minutes there are no more uses than a limit on this count allows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

HOUR = timedelta(hours=1)
#: how far the uses of one entry lie apart at most
GRAIN = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """Uses that were made close together."""

    first: datetime
    last: datetime
    count: int


def lately(uses: Iterable[Uses], *, now: datetime) -> tuple[Uses, ...]:
    """Those that still count."""
    return tuple(each for each in uses if each.last > now - HOUR)


def count(uses: Iterable[Uses], *, now: datetime) -> int:
    """How many uses still count."""
    return sum(each.count for each in lately(uses, now=now))


def used(uses: Sequence[Uses], *, now: datetime) -> tuple[Uses, ...]:
    """The list after one more use."""
    kept = lately(uses, now=now)
    if kept and now - kept[-1].first < GRAIN:
        joined = Uses(first=kept[-1].first, last=max(kept[-1].last, now), count=kept[-1].count + 1)
        return (*kept[:-1], joined)
    return (*kept, Uses(first=now, last=now, count=1))


def free_at(uses: Sequence[Uses], *, limit: int, now: datetime) -> datetime:
    """When one more use keeps within the limit; now when it does already."""
    left = count(uses, now=now)
    at = now
    for each in lately(uses, now=now):
        if left < limit:
            break
        left, at = left - each.count, each.last + HOUR
    return at


def to_json(uses: Iterable[Uses]) -> list[list[float]]:
    """The list as a database keeps it: first and last in seconds, and how many."""
    return [[each.first.timestamp(), each.last.timestamp(), each.count] for each in uses]


def from_json(rows: Iterable[Sequence[float]] | None) -> tuple[Uses, ...]:
    """The list that a database kept."""
    return tuple(
        Uses(first=datetime.fromtimestamp(first, UTC), last=datetime.fromtimestamp(last, UTC), count=int(number))
        for first, last, number in rows or ()
    )
