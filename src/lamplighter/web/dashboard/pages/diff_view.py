"""Diff views of two texts: by words, by lines, or side by side."""

from dataclasses import dataclass
from typing import NamedTuple

from lamplighter.rules.pages import text_diff
from lamplighter.rules.pages.text_diff import MOST_PAIRS_OF_LINE, DiffPiece, DiffRow, DiffTally, Gap

#: the views to choose from, and their labels
VIEWS = (("words", "Words"), ("lines", "Lines"), ("sides", "Side by side"))
#: the most rows that a page shows
_MOST_ROWS = 1_000


class MarkedRow(NamedTuple):
    """A diff row with its kept, removed and added words."""

    row: DiffRow
    pieces: list[DiffPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView:
    """A diff in one of the views."""

    view: str
    #: the word diff of a short text; empty otherwise
    pieces: list[DiffPiece]
    rows: list[MarkedRow | Gap]
    tally: DiffTally
    #: the number of rows that are not shown
    left_out: int

    @property
    def is_same(self) -> bool:
        """Whether both texts are equal."""
        return self.tally == DiffTally(0, 0)


def view_of(chosen: str) -> str:
    """The named view, or the default for an unknown name."""
    return chosen if chosen in dict(VIEWS) else VIEWS[0][0]


def of_value(before: str, after: str, *, view: str) -> DiffView:
    """The diff of a field value, shown in full unless it is very long."""
    rows = text_diff.by_lines(before, after, most_pairs=MOST_PAIRS_OF_LINE)
    pieces = text_diff.by_words(before, after, most_pairs=MOST_PAIRS_OF_LINE) if view == "words" else []
    whole = [] if pieces else rows
    shown: list[MarkedRow | Gap] = [MarkedRow(row, text_diff.marked(row)) for row in whole[:_MOST_ROWS]]
    left_out = max(0, len(whole) - _MOST_ROWS)
    return DiffView(view=view, pieces=pieces, rows=shown, tally=text_diff.tally(rows), left_out=left_out)


def of_texts(before: str, after: str, *, view: str, ignore_space: bool, most_rows: int = _MOST_ROWS) -> DiffView:
    """The diff of two long texts: the changes with a few lines of context."""
    if ignore_space:
        before, after = text_diff.squeezed(before), text_diff.squeezed(after)
    rows = text_diff.by_lines(before, after)
    folded = text_diff.folded(rows)
    shown: list[MarkedRow | Gap] = [
        part if isinstance(part, Gap) else MarkedRow(part, text_diff.marked(part)) for part in folded[:most_rows]
    ]
    left_out = max(0, len(folded) - most_rows)
    return DiffView(view=view, pieces=[], rows=shown, tally=text_diff.tally(rows), left_out=left_out)
