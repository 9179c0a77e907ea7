"""Records in a list: which columns there are depends on what kind of record is looked at."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from markupsafe import Markup

from lamplighter.model.record import RecordKind

Record = Mapping[str, Any]
_MARK = "<mark>"


class Column(NamedTuple):
    """What stands in a column, and how a record says it."""

    label: str
    read: Callable[[Record], Any]
    #: whether it may be long, and breaks
    wraps: bool = False
    #: whether it is shown where there is little room
    is_brief: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLine:
    """A record in a list."""

    id: str
    #: with the finds marked
    title: Markup
    #: the text around the first find; None when nothing was found in it
    excerpt: Markup | None
    kind: str
    source_id: str
    source_name: str
    #: of the columns that its list has; text, a time or None
    cells: tuple[Any, ...]
    first_seen_at: datetime
    #: None while it never did
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
    return _moment(record["published_at"])


def _telling(record: Record) -> Any:
    """What matters first of a record of its kind: what it costs, until when it stands, or when it came out."""
    match record["kind"]:
        case RecordKind.PRODUCT:
            return _price(record)
        case RecordKind.JOB if record["deadline"]:
            return f"until {record['deadline']}"
    return _published(record)


_ORGANISATION = Column("Organisation", _said("organisation"), wraps=True)
_PLACE = Column("Place", _place, wraps=True)
#: by kind; under "" for all kinds together
COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "": (_ORGANISATION, _PLACE, Column("Price or date", _telling)),
    "job": (
        _ORGANISATION,
        _PLACE,
        Column("Type", _field("career_type"), wraps=True, is_brief=False),
        Column("Level", _field("level_norm"), is_brief=False),
        Column("Deadline", _said("deadline")),
    ),
    "article": (
        Column("Author", _field("author"), wraps=True),
        Column("Section", _field("section"), wraps=True),
        Column("Published", _published),
    ),
    "product": (
        Column("Brand", _field("brand"), wraps=True),
        Column("Price", _price),
        Column("Availability", _field("availability")),
    ),
}


def columns_for(kind: str | None) -> tuple[Column, ...]:
    """The columns of a list of this kind."""
    return COLUMNS.get(kind or "", COLUMNS[""])


def only_kind(records: Sequence[Record]) -> str | None:
    """What all of them are; None for several kinds."""
    kinds = {record["kind"] for record in records}
    return kinds.pop() if len(kinds) == 1 else None


def brief_columns_for(kind: str | None) -> tuple[Column, ...]:
    """Those of them that fit into the panel of a source, or beside the kind."""
    return tuple(column for column in columns_for(kind) if column.is_brief)


def lines(found: Sequence[Record], columns: Sequence[Column], *, changed: Mapping[str, datetime]) -> list[RecordLine]:
    """Records whose finds are marked, as a list shows them."""
    return [_line(record, columns, changed.get(record["id"])) for record in found]


def _line(record: Record, columns: Sequence[Column], changed_at: datetime | None) -> RecordLine:
    # Escaped where the finds were marked: nothing in it is markup but our own marks.
    marked = record["highlight"]
    excerpt = marked["description"]
    first_seen_at = _moment(record["first_seen_at"])
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
        gone_at=_moment(record["gone_at"]),
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
