"""What share of the latest requests failed, computed from totals that only grow.

The totals are sampled repeatedly; the sample from the beginning of the span is subtracted from the latest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

#: samples that are kept lie at least this share of the span apart, so that there are few
_STEPS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTotals:
    """A sample of the totals: successes and failures, by subject."""

    at: datetime
    totals: Mapping[str, tuple[int, int]]


def remembered(looks: Sequence[RequestTotals], look: RequestTotals, *, span: timedelta) -> tuple[RequestTotals, ...]:
    """The samples to keep with a new one: the last from before the span, and those within it."""
    start = look.at - span
    kept = [each for each in looks if each.at > start]
    before = [each for each in looks if each.at <= start][-1:]
    if kept and look.at - kept[-1].at < span / _STEPS:
        return (*before, *kept)
    return (*before, *kept, look)


def is_whole(looks: Sequence[RequestTotals], *, span: timedelta, now: datetime) -> bool:
    """Whether the samples cover the whole span."""
    return bool(looks) and now - looks[0].at >= span


def since_first(looks: Sequence[RequestTotals], now: RequestTotals) -> dict[str, tuple[int, int]]:
    """Maps each subject to its requests since the first sample, and how many of them failed; only where there were any.

    A subject that was not in the first sample had no requests before it, so all of its requests count.
    """
    found = {}
    for subject, (succeeded, failed) in now.totals.items():
        first = looks[0].totals.get(subject, (0, 0)) if looks else (succeeded, failed)
        succeeded, failed = succeeded - first[0], failed - first[1]
        if succeeded >= 0 and failed >= 0 and succeeded + failed:
            found[subject] = (succeeded + failed, failed)
    return found
