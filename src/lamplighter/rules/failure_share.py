"""How many of the latest requests failed, when all that is kept are totals that only grow?

The totals are looked at again and again; what was seen at the beginning of the span is what counts from there on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

#: looks that are remembered lie at least this share of the span apart, so that there are few
_STEPS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The totals as they were at some time: what succeeded and what failed, by subject."""

    at: datetime
    totals: Mapping[str, tuple[int, int]]


def remembered(looks: Sequence[Look], look: Look, *, span: timedelta) -> tuple[Look, ...]:
    """The looks to keep with a new one: one from before the span, and those within it."""
    start = look.at - span
    kept = [each for each in looks if each.at > start]
    before = [each for each in looks if each.at <= start][-1:]
    if kept and look.at - kept[-1].at < span / _STEPS:
        return (*before, *kept)
    return (*before, *kept, look)


def is_whole(looks: Sequence[Look], *, span: timedelta, now: datetime) -> bool:
    """Whether somebody has looked for as long as the span."""
    return bool(looks) and now - looks[0].at >= span


def since_first(looks: Sequence[Look], now: Look) -> dict[str, tuple[int, int]]:
    """Subject -> requests since the first of the looks, and how many of them failed; only where there were any.

    A subject that was not there yet counts from its first look on, and so does one whose totals were set back.
    """
    found = {}
    for subject, (succeeded, failed) in now.totals.items():
        first = next((each.totals[subject] for each in looks if subject in each.totals), (succeeded, failed))
        succeeded, failed = succeeded - first[0], failed - first[1]
        if succeeded >= 0 and failed >= 0 and succeeded + failed:
            found[subject] = (succeeded + failed, failed)
    return found
