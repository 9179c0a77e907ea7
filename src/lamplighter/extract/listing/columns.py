"""Which field does each cell of a row hold, by the header of its column or by its own label?"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from lamplighter.extract.listing.rows import text_of
from lamplighter.extract.listing.tree import Box, self_and_above
from lamplighter.extract.words.date_phrases import UNTIL, name_before
from lamplighter.extract.words.field_words import LONGEST_LABEL, bare, field_for
from lamplighter.extract.words.value_types import date_in


class Columns(NamedTuple):
    """What is known about the columns of a table."""

    #: column -> field
    fields: Mapping[int, str]
    #: columns of the header, with the unknown ones
    width: int


NO_COLUMNS = Columns({}, 0)

_CELL_TAGS = frozenset({"td", "th"})
_CELL_ROLES = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
_TABLE_ROLES = frozenset({"table", "grid", "treegrid"})
_LABEL_ATTRIBUTES = ("data-label", "data-title", "data-th", "data-header", "data-heading", "data-column", "data-name")
_LABELS = frozenset(_LABEL_ATTRIBUTES)
#: a column that is only called "date": which date depends on the kind of rows
DATE_COLUMN = "date"
_DATE_WORDS = frozenset("date datum fecha data dato pvm paivamaara дата tarih التاريخ 日期 时间 日付 날짜 일자".split())
_MOST_COLUMNS = 40
_MOST_HEADER_ROWS = 4
#: known columns that are needed before a row of short texts counts as the header of a table
_KNOWN_COLUMNS = 2


def cells_of(row: Box) -> list[tuple[int, Box]]:
    """The cells of a row with the column in which each begins."""
    if row.cells is not None:
        return row.cells
    kids = row.kids
    cells = [kid for kid in kids if kid.tag in _CELL_TAGS or kid.role in _CELL_ROLES] or kids
    row.cells, column = [], 0
    for cell in cells[:_MOST_COLUMNS]:
        row.cells.append((column, cell))
        span = cell.attribute("colspan").strip()
        column += int(span) if span.isdecimal() and len(span) < 3 and span != "0" else 1
    return row.cells


def label_of(cell: Box) -> str | None:
    """The field that a cell's own attributes name."""
    if cell.bare or _LABELS.isdisjoint(cell.node.attrs):
        return None
    labels = map(cell.attribute, _LABEL_ATTRIBUTES)
    return next((field for label in labels if (field := field_for(label))), None)


def header_for(rows: Sequence[Box]) -> Columns:
    """What the column headers above some rows say; empty when there are none."""
    last = rows[-1]
    table = table_of(last)
    if table is not None:
        return header_of(table)
    return _header_beside(last, {row.place for row in rows})


def header_of(table: Box) -> Columns:
    """What the first rows of a table say about its columns."""
    heads = map(_columns, islice(table_rows(table), _MOST_HEADER_ROWS))
    return next((columns for columns in heads if columns.fields), NO_COLUMNS)


def table_rows(table: Box) -> Iterator[Box]:
    """The rows of a table itself, not those of tables inside it."""
    stack = list(reversed(table.kids))
    while stack:
        box = stack.pop()
        if box.tag == "tr" or box.role == "row":
            yield box
        elif not is_table(box):
            stack.extend(reversed(box.kids))


def is_data(row: Box) -> bool:
    """Is it a row of data, not of headers, and more than a heading across the table?"""
    cells = cells_of(row)
    if len(cells) < _KNOWN_COLUMNS or _are_heads([cell for _, cell in cells]):
        return False
    names_a_field = any(field_for(_head_text(cell)) for _, cell in cells[:_KNOWN_COLUMNS])
    return not (names_a_field and _columns(row).fields)


def is_table(box: Box) -> bool:
    """Is the element a table, by name or by role?"""
    return box.tag == "table" or (box.role != "" and box.role in _TABLE_ROLES)


def table_of(row: Box) -> Box | None:
    """The table that contains a row."""
    if row.tag != "tr" and row.role != "row":
        return None
    return next(filter(is_table, self_and_above(row.parent)), None)


def _header_beside(row: Box, rows: set[int]) -> Columns:
    """The header of a list with a table layout: the first of its elements, or the element before it."""
    parent = row.parent
    if parent is None:
        return NO_COLUMNS
    around = parent.parent.kids if parent.parent else []
    beside = [around[at - 1] for at, box in enumerate(around) if box is parent and at]
    width = len(cells_of(_unwrapped(row)))
    for candidate in [*parent.kids[:1], *beside]:
        head = _unwrapped(candidate)
        if candidate.place not in rows and width >= _KNOWN_COLUMNS and len(cells_of(head)) == width:
            return _columns(head)
    return NO_COLUMNS


def _unwrapped(row: Box) -> Box:
    """The element whose children are the cells: a row is often wrapped once or twice."""
    for _ in range(3):
        kids = row.kids
        if len(kids) != 1:
            break
        row = kids[0]
    return row


def cells_under(row: Box, columns: Columns) -> list[tuple[Box, str]]:
    """The cells of a row below a known header, each with its field."""
    if not columns.fields:
        return []
    cells = cells_of(row if row.tag == "tr" else _unwrapped(row))
    missing = columns.width - (cells[-1][0] + 1) if cells else 0
    # A cell that spans several rows is on the left and pushes the others to the right.
    shift = missing if row.tag == "tr" and missing > 0 and not any(cell.has("colspan") for _, cell in cells) else 0
    return [(cell, columns.fields[column + shift]) for column, cell in cells if column + shift in columns.fields]


def _columns(row: Box) -> Columns:
    cells = cells_of(row)
    if len(cells) < _KNOWN_COLUMNS:
        return NO_COLUMNS
    texts = [(column, _head_text(cell)) for column, cell in cells]
    filled = [text for _, text in texts if text]
    if any(date_in(text) for text in filled):
        # Cells that repeat the names of their columns as labels.
        return NO_COLUMNS
    found: dict[int, str] = {}
    for column, text in texts:
        field = _field_of_head(text) if text else None
        if field and field not in found.values():
            found[column] = field
    heads = _are_heads([cell for _, cell in cells])
    needed = _KNOWN_COLUMNS if heads else max(_KNOWN_COLUMNS, len(filled) * 0.6)
    enough = len(found) >= needed or (heads and found and len(filled) <= _KNOWN_COLUMNS)
    return Columns(found, cells[-1][0] + 1) if enough else NO_COLUMNS


def _field_of_head(text: str) -> str | None:
    if field := field_for(text):
        return field
    if bare(text) in _DATE_WORDS:
        return DATE_COLUMN
    return UNTIL if name_before(text) == UNTIL else None


def _are_heads(cells: Sequence[Box]) -> bool:
    return all(cell.tag == "th" or cell.role == "columnheader" for cell in cells)


def _head_text(cell: Box) -> str:
    return text_of(cell)[: LONGEST_LABEL + 1] if cell.size <= LONGEST_LABEL * 3 else ""
