"""Two texts beside each other as a page shows them: by words, by lines, or in two columns."""

from dataclasses import dataclass
from typing import NamedTuple

from lamplighter.rules import text_diff
from lamplighter.rules.text_diff import MOST_PAIRS_OF_LINE, Gap, Piece, Row, Tally

#: what people can choose, and what it is called
VIEWS = (("words", "Words"), ("lines", "Lines"), ("sides", "Side by side"))
#: rows that a page shows
_MOST_ROWS = 1_000


class MarkedRow(NamedTuple):
    """A row, and the words of it that stayed, went and came."""

    row: Row
    pieces: list[Piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView:
    """What is shown of a difference."""

    view: str
    #: of a short text by words; empty otherwise
    pieces: list[Piece]
    rows: list[MarkedRow | Gap]
    tally: Tally
    #: rows beyond what is shown
    left_out: int

    @property
    def is_same(self) -> bool:
        """Whether there is no difference."""
        return self.tally == Tally(0, 0)


def view_of(chosen: str) -> str:
    """A view that there is."""
    return chosen if chosen in dict(VIEWS) else VIEWS[0][0]


def of_value(before: str, after: str, *, view: str) -> DiffView:
    """The difference of a value, which is shown whole unless it is very long; a page has many, each costs little."""
    rows = text_diff.by_lines(before, after, most_pairs=MOST_PAIRS_OF_LINE)
    pieces = text_diff.by_words(before, after, most_pairs=MOST_PAIRS_OF_LINE) if view == "words" else []
    whole = [] if pieces else rows
    shown: list[MarkedRow | Gap] = [MarkedRow(row, text_diff.marked(row)) for row in whole[:_MOST_ROWS]]
    left_out = max(0, len(whole) - _MOST_ROWS)
    return DiffView(view=view, pieces=pieces, rows=shown, tally=text_diff.tally(rows), left_out=left_out)


def of_texts(before: str, after: str, *, view: str, ignore_space: bool) -> DiffView:
    """The difference of two long texts: what changed, and a little around it."""
    if ignore_space:
        before, after = text_diff.squeezed(before), text_diff.squeezed(after)
    rows = text_diff.by_lines(before, after)
    folded = text_diff.folded(rows)
    shown: list[MarkedRow | Gap] = [
        part if isinstance(part, Gap) else MarkedRow(part, text_diff.marked(part)) for part in folded[:_MOST_ROWS]
    ]
    left_out = max(0, len(folded) - _MOST_ROWS)
    return DiffView(view=view, pieces=[], rows=shown, tally=text_diff.tally(rows), left_out=left_out)
