"""The fields of extracted records, as tests compare them."""

from collections.abc import Sequence
from typing import Any

from lamplighter.model.record import RawRecord


def values(record: RawRecord) -> dict[str, Any]:
    """The value of every field."""
    return {name: found.value for name, found in record.fields.items()}


def column(records: Sequence[RawRecord], name: str) -> list[Any]:
    """The value of one field in each record; None where a record does not have it."""
    return [record.fields[name].value if name in record.fields else None for record in records]
