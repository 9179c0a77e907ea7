"""Writes records to a file: JSON lines or CSV, whole or not at all."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from lamplighter.errors import BadInput
from lamplighter.rules import csv_cell

_NESTED = ("fields", "provenance")


def check(file: Path) -> None:
    """Refuses a file that could not be written, before any work is done."""
    if file.suffix not in (".jsonl", ".csv"):
        raise BadInput(f"cannot tell the format of {str(file)!r}; use a name that ends in .jsonl or .csv")
    if not file.parent.is_dir():
        raise BadInput(f"there is no folder {str(file.parent)!r} to write {file.name!r} into; create it first")


def write(file: Path, records: Sequence[dict[str, Any]]) -> None:
    """Writes all records in the format that the file's name asks for."""
    content = _csv(records) if file.suffix == ".csv" else _json_lines(records)
    unfinished = file.with_name(f".{file.name}.part")
    unfinished.write_bytes(content)
    unfinished.replace(file)


def _json_lines(records: Sequence[dict[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def _csv(records: Sequence[dict[str, Any]]) -> bytes:
    """A column for every plain field, then one for every kind-specific field that occurs."""
    plain = [name for name in (records[0] if records else ()) if name not in _NESTED]
    special = sorted({name for record in records for name in record["fields"]} - set(plain))
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*plain, *special])
    for record in records:
        cells = [record[name] for name in plain] + [record["fields"].get(name) for name in special]
        writer.writerow([_cell(value) for value in cells])
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    """A value as a spreadsheet may safely open it: text that looks like a formula is marked as text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = "; ".join(value)
    return csv_cell.safe(value if isinstance(value, str) else orjson.dumps(value).decode())
