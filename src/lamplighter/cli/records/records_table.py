"""Formats records as a terminal table."""

from collections.abc import Iterator, Sequence
from typing import Any

from lamplighter.cli.terminal import tables
from lamplighter.cli.terminal.tables import NONE, TableColumn

#: characters shown of a value
_WIDEST = 160
_COLUMNS = (
    TableColumn(heading="ID", rank=0),  # to be copied whole
    TableColumn(heading="Title", rank=1, least=20),
    TableColumn(heading="By / price", rank=4, least=10),
    TableColumn(heading="Date", rank=3),
    TableColumn(heading="URL", rank=2),
)
_SHOWN = (
    "title",
    "organisation",
    "location_raw",
    "country_iso",
    "deadline",
    "published_at",
    "description",
    "language",
    "tags",
)


def show(records: Sequence[dict[str, Any]], *, with_ids: bool = False) -> None:
    """Prints one row per record: title, organisation or price, date and URL."""
    rows = [
        (record["id"] if with_ids else "", record["title"], _detail(record), _date(record), record["url"])
        for record in records
    ]
    first = 0 if with_ids else 1
    tables.show(_COLUMNS[first:], [row[first:] for row in rows])


def lines_of(record: dict[str, Any]) -> Iterator[str]:
    """The lines of one record: each value with its method, then its pages and history."""
    state = f"gone since {record['gone_at']}" if record["gone_at"] else f"last seen {record['last_seen_at']}"
    yield f"{record['title']} ({record['kind']}, {state})"
    yield record["url"]
    for name, value in _values(record).items():
        evidence = record["provenance"].get(name)
        known_by = f"  [{evidence['method']}, {evidence['confidence']:.2f}]" if evidence else ""
        yield f"  {name}: {_cut(value)}{known_by}"
    yield f"Values from {record['told_by'] or 'a page that is no longer known'}; shown on:"
    for page in record["shown_on"]:
        yield f"  {page['url']}{' (its own page)' if page['is_own'] else ''} since {page['since']}"
    yield f"History ({record['revision']} revision{'s' * (record['revision'] != 1)}):"
    for line in record["history"]:
        yield f"  {line['at']} {line['field']}: {_cut(line['before'])} → {_cut(line['after'])}"


def _values(record: dict[str, Any]) -> dict[str, Any]:
    plain_fields = {name: record[name] for name in _SHOWN if record[name] not in (None, [])}
    return {**plain_fields, **record["fields"]}


def _cut(value: Any) -> str:
    text = " ".join(str(NONE if value is None else value).split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _detail(record: dict[str, Any]) -> str:
    fields = record["fields"]
    if fields.get("price") is not None:
        return f"{fields['price']} {fields.get('currency') or ''}".strip()
    return str(record["organisation"] or fields.get("author") or NONE)


def _date(record: dict[str, Any]) -> str:
    """The deadline of a job, else the publication date."""
    if record["deadline"]:
        return f"until {record['deadline']}"
    return (record["published_at"] or NONE)[:10]
