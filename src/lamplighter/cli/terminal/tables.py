"""Text tables: one full line per row for a pipe or a file, fitted to the width of a terminal.

A cell is never wrapped. On a narrow terminal, long cells are shortened where that makes sense, or the whole column is
left out, because half a URL or half an id is useless.
"""

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from lamplighter.cli.terminal.console import answer, plain, say

#: what an empty cell shows, so that every line has as many
NONE = "-"
_GAP = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of a table."""

    heading: str
    #: the column with the lowest rank is given room first
    rank: int
    #: characters to which it may be shortened on a narrow terminal; None shows it whole or not at all
    least: int | None = None
    is_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTable:
    """A table as lines of text, and the columns that did not fit."""

    #: the headings first
    lines: list[str]
    #: headings of the columns that there was no room for
    left_out: list[str]


def show(columns: Sequence[TableColumn], rows: Sequence[Sequence[object]], *, bold: Collection[int] = ()) -> None:
    """Prints a table to standard output; the numbered rows are highlighted on a terminal."""
    # Not rich's own test for a terminal: the environment can make it true for a pipe.
    if not sys.stdout.isatty():
        for line in fit(columns, rows, width=None).lines:
            answer(line)
        return
    from rich.console import Console  # takes as long to load as a small command
    from rich.text import Text

    out = Console(highlight=False)
    fitted = fit(columns, rows, width=out.width)
    for number, line in enumerate(fitted.lines, start=-1):
        out.print(Text(plain(line)), soft_wrap=True, style="bold" if number == -1 or number in bold else None)
    if fitted.left_out:
        say(f"Columns left out: {', '.join(fitted.left_out)}. Use a wider terminal or a pipe to see all.")


def fit(columns: Sequence[TableColumn], rows: Sequence[Sequence[object]], *, width: int | None) -> FittedTable:
    """Fits the table into `width` characters, as far as its most important column allows; None means no limit."""
    texts = [[_text(cell) for cell in row] for row in rows]
    wanted = [
        max(cell_len(text) for text in (column.heading, *(row[place] for row in texts)))
        for place, column in enumerate(columns)
    ]
    widths = dict(enumerate(wanted)) if width is None else _widths(columns, wanted, width)
    headings = [column.heading for column in columns]
    return FittedTable(
        lines=[_line(columns, cells, widths) for cells in (headings, *texts)],
        left_out=[column.heading for place, column in enumerate(columns) if place not in widths],
    )


def _widths(columns: Sequence[TableColumn], wanted: Sequence[int], width: int) -> dict[int, int]:
    """The width of each column that fits, by its position: the minimum first, then more."""
    least = [min(size, column.least or size) for column, size in zip(columns, wanted, strict=True)]
    by_rank = sorted(range(len(columns)), key=lambda place: columns[place].rank)
    given: dict[int, int] = {}
    left = width
    for place in by_rank:
        needed = least[place] + (len(_GAP) if given else 0)
        if needed <= left or not given:
            given[place] = least[place]
            left -= needed
    for place in (place for place in by_rank if place in given):
        more = max(0, min(wanted[place] - given[place], left))
        given[place] += more
        left -= more
    return given


def _line(columns: Sequence[TableColumn], cells: Sequence[str], widths: dict[int, int]) -> str:
    shown = (
        _cell(cells[place], widths[place], is_number=column.is_number)
        for place, column in enumerate(columns)
        if place in widths
    )
    return _GAP.join(shown).rstrip()


def _cell(text: str, width: int, *, is_number: bool) -> str:
    if cell_len(text) > width:
        return set_cell_size(text, max(0, width - 1)).rstrip() + "…"
    blank = " " * (width - cell_len(text))
    return blank + text if is_number else text + blank


def _text(cell: object) -> str:
    """One line without double spaces, since two spaces separate cells."""
    return " ".join(plain("" if cell is None else cell).split()) or NONE
