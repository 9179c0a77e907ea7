"""Cells that span several table rows name the group of those rows; a column that groups some rows groups all."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lamplighter.extract.listing.columns import Columns, cells_of, table_of, table_rows
from lamplighter.extract.listing.rows import is_action, segments
from lamplighter.extract.listing.tree import Box, Part

_MOST_ROWS = 2_000
_LONGEST_SPAN = 500
_MOST_COLUMNS = 40


@dataclass(frozen=True, slots=True)
class Spans:
    """The cells of one table by their real columns."""

    #: row -> column -> the cell of the row, or one that began above and reaches down to it
    cells: dict[int, dict[int, Box]]
    #: columns that name groups of rows
    grouping: frozenset[int]

    def own_cells(self, row: Box) -> dict[int, Box]:
        """The cells of a row by column, without those that name its group."""
        inside = self.cells.get(row.place, {})
        return {column: cell for column, cell in inside.items() if column not in self.grouping}

    def own_parts(self, row: Box) -> list[Part]:
        return list(self.own_cells(row).values())

    def fields_of_group(self, row: Box, columns: Columns) -> dict[str, str]:
        """Field -> value from the group cells of a row, as far as the table's header names them."""
        fields = {}
        for column in self.grouping:
            cell = self.cells.get(row.place, {}).get(column)
            texts = [part.text for part in segments([cell]) if not is_action(part.text)] if cell is not None else []
            if (field := columns.fields.get(column)) and texts:
                fields[field] = texts[0]
        return fields


def spans_of(rows: Sequence[Box], columns: Columns) -> Spans | None:
    """The cells of the table that contains some rows; None where no cell spans several of them, as in most."""
    table = table_of(rows[-1]) if rows else None
    if table is None:
        return None
    all_rows = list(islice(table_rows(table), _MOST_ROWS))
    if not any(_height(cell) > 1 for row in all_rows for cell in row.kids):
        return None
    cells = _by_column(all_rows)
    titles = {column for column, field in columns.fields.items() if field == "title"}
    spanned = Counter(
        (column, cell.place) for row in rows for column, cell in cells.get(row.place, {}).items() if _height(cell) > 1
    )
    grouping = frozenset(column for (column, _), times in spanned.items() if times > 1) - titles
    return Spans(cells, grouping) if grouping else None


def _by_column(rows: Sequence[Box]) -> dict[int, dict[int, Box]]:
    cells: dict[int, dict[int, Box]] = {}
    reaching: dict[int, tuple[Box, int]] = {}
    for row in rows:
        above = {column: cell for column, (cell, _) in reaching.items()}
        placed = dict(_placed(row, above))
        reaching |= {column: (cell, _height(cell)) for column, cell in placed.items()}
        reaching = {column: (cell, left - 1) for column, (cell, left) in reaching.items() if left > 1}
        cells[row.place] = above | placed
    return cells


def _placed(row: Box, above: dict[int, Box]) -> Iterator[tuple[int, Box]]:
    """The row's own cells, each in a column that those above leave free."""
    shift = 0
    for column, cell in cells_of(row):
        while column + shift in above:
            shift += 1
        if column + shift >= _MOST_COLUMNS:
            return
        yield column + shift, cell


def _height(cell: Box) -> int:
    span = cell.attribute("rowspan").strip()
    return min(int(span), _LONGEST_SPAN) if span.isdecimal() and len(span) < 5 else 1
