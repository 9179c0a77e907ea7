"""Did a site change so that our extractor no longer fits it, by what earlier runs showed?"""

from collections.abc import Sequence
from typing import NamedTuple

from lamplighter.rules.formats.plural import counted

#: earlier runs that are compared
WINDOW = 10
#: with fewer earlier runs, or fewer records in them, a drop means nothing; a drop to none always means something
LEAST_RUNS = 3
LEAST_RECORDS = 4
#: below this share of the usual number a run has too few records
LEAST_SHARE = 0.5
#: above this share of records without a title a run has too many
MOST_UNTITLED = 0.5


class Drift(NamedTuple):
    """Why an extractor may be broken, and the usual number of records."""

    reason: str
    #: records shown by a usual run: the median
    median: float


def judge(*, shown: int, found: int, untitled: int, earlier: Sequence[int]) -> Drift | None:
    """Whether a run showed far fewer records than usual, or found too many without a title.

    The usual number is the median of the last runs, this kind of run included: what stays small becomes usual by
    itself.
    """
    usual = median(earlier[:WINDOW]) if earlier else 0
    if found >= LEAST_RECORDS and untitled > MOST_UNTITLED * found:
        return Drift(f"{untitled} of {counted(found, 'record')} found have no title", usual)
    can_compare = len(earlier) >= LEAST_RUNS and usual >= LEAST_RECORDS
    if (not shown and usual) or (can_compare and shown < LEAST_SHARE * usual):
        shown_text = counted(shown, "record") if shown else "no records"
        return Drift(f"{shown_text} shown where {usual:g} {'is' if usual == 1 else 'are'} usual", usual)
    return None


def median(values: Sequence[int]) -> float:
    """The median of the values."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
