"""Exports records as CSV, JSON lines or JSON, piece by piece, so that memory use does not grow with their number."""

import csv
import io
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import orjson

from lamplighter.model.record_search import RecordFilter
from lamplighter.operations.records.records import listed
from lamplighter.rules.formats import csv_cell
from lamplighter.store.engine.database import Database
from lamplighter.store.records import record_search as stored

#: records read at once; between two pieces nothing is held, neither rows nor a transaction
_AT_ONCE = 500
_PLAIN = (
    "id kind url source_id source_name title organisation location_raw country_iso deadline published_at updated_at "
    "description language tags"
).split()
#: kind-specific fields with a column of their own; the others stand together in the last one, as JSON
_FIELDS = (
    "apply_url level_norm work_modality career_type mission_tags international_eligible salary price currency "
    "availability brand sku author section word_count"
).split()
_SEEN = ["quality", "first_seen_at", "last_seen_at", "state"]


class ExportFormat(StrEnum):
    """Forms of a file."""

    CSV = "csv"
    JSON_LINES = "jsonl"
    JSON = "json"


async def export(db: Database, wanted: RecordFilter, form: ExportFormat) -> AsyncIterator[bytes]:
    """The wanted records in the order in which they were first seen, as pieces of a file."""
    file = _FILES[form]
    is_first = True
    yield file.head
    async for records in _pieces(db, wanted):
        yield file.write(records, is_first)
        is_first = False
    yield file.tail


async def _pieces(db: Database, wanted: RecordFilter) -> AsyncIterator[list[dict[str, Any]]]:
    last_id = 0
    while True:
        async with db.read() as connection:
            ids = await stored.after(connection, wanted, record_id=last_id, limit=_AT_ONCE)
            rows = await stored.rows(connection, ids)
        if not ids:
            return
        last_id = ids[-1]
        yield [listed(row) for row in rows]


def _cells(record: Mapping[str, Any]) -> list[Any]:
    fields = record["fields"]
    rest = {name: value for name, value in fields.items() if name not in _FIELDS}
    plain = [record[name] for name in _PLAIN]
    return [*plain, *(fields.get(name) for name in _FIELDS), *(record[name] for name in _SEEN), rest or None]


def csv_lines(rows: Iterable[Iterable[Any]]) -> bytes:
    """Lines of a CSV file that no spreadsheet takes for formulas."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([csv_cell.safe(cell) for cell in row] for row in rows)
    return text.getvalue().encode()


def _json(records: Iterable[Mapping[str, Any]], is_first: bool) -> bytes:
    text = b",\n".join(orjson.dumps(record) for record in records)
    return text if is_first or not text else b",\n" + text


class _File(NamedTuple):
    """How a form of file begins, writes some records, and ends."""

    write: Callable[[Iterable[Mapping[str, Any]], bool], bytes]
    head: bytes = b""
    tail: bytes = b""


_FILES = {
    ExportFormat.CSV: _File(
        lambda records, _: csv_lines(map(_cells, records)), head=csv_lines([[*_PLAIN, *_FIELDS, *_SEEN, "fields"]])
    ),
    ExportFormat.JSON_LINES: _File(lambda records, _: b"".join(orjson.dumps(record) + b"\n" for record in records)),
    ExportFormat.JSON: _File(_json, head=b"[\n", tail=b"\n]\n"),
}
