"""Which fields of a record changed, and from what to what?"""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

#: characters kept of a value
LONGEST = 2000
CUT = "…"
#: fields that describe how a record was read, not its content; and the price of a column, which is that of the fields
_BESIDE_THE_POINT = frozenset({"content_hash", "quality", "provenance", "price"})


class Difference(NamedTuple):
    """One field, its values ready for JSON and of bounded length."""

    field: str
    before: Any
    after: Any


def between(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """The fields in which two contents differ; kind-specific ones are called `fields.<name>`."""
    old, new = _flat(before), _flat(after)
    return [
        Difference(name, _short(old.get(name)), _short(new.get(name)))
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]


def as_text(value: Any) -> str:
    """A value of a difference as text: a list line by line, None as an empty text."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, indent=None if isinstance(value, int | float) else 2)


def _flat(content: Mapping[str, Any]) -> dict[str, Any]:
    plain = {name: _plain(value) for name, value in content.items() if name not in _BESIDE_THE_POINT}
    special = plain.pop("fields", None) or {}
    return plain | {f"fields.{name}": value for name, value in special.items()}


def _plain(value: Any) -> Any:
    """A value as it comes back from JSON."""
    if isinstance(value, date):  # a datetime is a date, too
        return value.isoformat()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return value


def _short(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= LONGEST else text[: LONGEST - len(CUT)] + CUT
