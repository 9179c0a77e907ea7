"""Record lists: the columns depend on the kind of records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from markupsafe import Markup

from lamplighter.model.record import RecordKind

Record = Mapping[str, Any]
_MARK = "<mark>"


class RecordColumn(NamedTuple):
    """A column and how to read it from a record."""

    label: str
    read: Callable[[Record], Any]
    #: whether it may be long, and wraps
    wraps: bool = False
    #: whether narrow lists show it too
    is_brief: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLine:
    """A record as a row of a list."""

    id: str
    #: with the matches marked
    title: Markup
    #: the text around the first match; None without one
    excerpt: Markup | None
    kind: str
    source_id: str
    source_name: str
    #: the values of the list's columns: text, a time or None
    cells: tuple[Any, ...]
    first_seen_at: datetime
    #: None if it never changed
    changed_at: datetime | None
    gone_at: datetime | None


def _said(name: str) -> Callable[[Record], Any]:
    return lambda record: record[name]


def _field(name: str) -> Callable[[Record], Any]:
    def read(record: Record) -> str | None:
        value = record["fields"].get(name)
        return str(value).replace("_", " ") if isinstance(value, str | int | float) else None

    return read


def _place(record: Record) -> str | None:
    place: str | None = record["location_raw"] or record["country_iso"]
    return place


def _price(record: Record) -> str | None:
    fields = record["fields"]
    price = fields.get("price")
    return f"{price:.2f} {fields.get('currency') or ''}".strip() if isinstance(price, int | float) else None


def _published(record: Record) -> datetime | None:
    return moment_of(record["published_at"])


def _telling(record: Record) -> Any:
    """The main fact of a record by its kind: price, deadline or publication date."""
    match record["kind"]:
        case RecordKind.PRODUCT:
            return _price(record)
        case RecordKind.JOB if record["deadline"]:
            return f"until {record['deadline']}"
    return _published(record)


_ORGANISATION = RecordColumn("Organisation", _said("organisation"), wraps=True)
_PLACE = RecordColumn("Place", _place, wraps=True)
#: by kind of record; "" is for lists of all kinds
COLUMNS: Mapping[str, tuple[RecordColumn, ...]] = {
    "": (_ORGANISATION, _PLACE, RecordColumn("Price or date", _telling)),
    "job": (
        _ORGANISATION,
        _PLACE,
        RecordColumn("Type", _field("career_type"), wraps=True, is_brief=False),
        RecordColumn("Level", _field("level_norm"), is_brief=False),
        RecordColumn("Deadline", _said("deadline")),
    ),
    "article": (
        RecordColumn("Author", _field("author"), wraps=True),
        RecordColumn("Section", _field("section"), wraps=True),
        RecordColumn("Published", _published),
    ),
    "product": (
        RecordColumn("Brand", _field("brand"), wraps=True),
        RecordColumn("Price", _price),
        RecordColumn("Availability", _field("availability")),
    ),
}


def columns_for(kind: str | None) -> tuple[RecordColumn, ...]:
    """The columns of a list of records of this kind."""
    return COLUMNS.get(kind or "", COLUMNS[""])


def only_kind(records: Sequence[Record]) -> str | None:
    """The common kind of all records, None for several kinds."""
    kinds = {record["kind"] for record in records}
    return kinds.pop() if len(kinds) == 1 else None


def brief_columns_for(kind: str | None) -> tuple[RecordColumn, ...]:
    """The columns that fit into the side panel, or beside the kind."""
    return tuple(column for column in columns_for(kind) if column.is_brief)


def lines(
    found: Sequence[Record], columns: Sequence[RecordColumn], *, changed: Mapping[str, datetime]
) -> list[RecordLine]:
    """The rows of a record list, with the matches marked."""
    return [_line(record, columns, changed.get(record["id"])) for record in found]


def _line(record: Record, columns: Sequence[RecordColumn], changed_at: datetime | None) -> RecordLine:
    # Escaped when the matches were marked: it contains no markup but our own marks.
    marked = record["highlight"]
    excerpt = marked["description"]
    first_seen_at = moment_of(record["first_seen_at"])
    assert first_seen_at is not None, "every stored record was seen once"
    return RecordLine(
        id=record["id"],
        title=Markup(marked["title"]),
        excerpt=Markup(excerpt) if excerpt and _MARK in excerpt else None,
        kind=record["kind"],
        source_id=record["source_id"],
        source_name=record["source_name"],
        cells=tuple(column.read(record) for column in columns),
        first_seen_at=first_seen_at,
        changed_at=changed_at,
        gone_at=moment_of(record["gone_at"]),
    )


def moment_of(text: str | None) -> datetime | None:
    """The time of an ISO text, None without one."""
    return datetime.fromisoformat(text) if text else None
