"""Did a site change so that we no longer understand it? Told from what its earlier runs showed."""

from collections.abc import Sequence
from typing import NamedTuple

#: earlier runs that count
WINDOW = 10
#: with fewer earlier runs, or fewer records in them, fewer records mean nothing; none at all always does
LEAST_RUNS = 3
LEAST_RECORDS = 4
#: less than this share of the usual is too little
LEAST_SHARE = 0.5
#: more than this share without a title is too much
MOST_UNTITLED = 0.5


class Drift(NamedTuple):
    """Why an extractor may be broken."""

    reason: str
    #: records shown by a usual run
    median: float


def judge(*, shown: int, found: int, untitled: int, earlier: Sequence[int]) -> Drift | None:
    """Whether a run that showed so many records, and found so many without a title, is out of line.

    The usual is the median of the last runs, this kind of run included: what stays small becomes usual by itself.
    """
    usual = median(earlier[:WINDOW]) if earlier else 0
    if found >= LEAST_RECORDS and untitled > MOST_UNTITLED * found:
        return Drift(f"{untitled} of {found} records found have no title", usual)
    can_compare = len(earlier) >= LEAST_RUNS and usual >= LEAST_RECORDS
    if (not shown and usual) or (can_compare and shown < LEAST_SHARE * usual):
        return Drift(f"{shown or 'no'} records shown where {usual:g} {'is' if usual == 1 else 'are'} usual", usual)
    return None


def median(values: Sequence[int]) -> float:
    """The value in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
