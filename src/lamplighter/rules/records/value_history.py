"""What did a record say at each time? Its versions, from its current values and its changes."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

_STATE = "state"


class RecordVersion(NamedTuple):
    """The values from one time on, of the fields that ever changed."""

    at: datetime
    values: Mapping[str, Any]
    #: the fields that changed then; empty for the first version
    changed: tuple[str, ...]


def versions(history: Sequence[Mapping[str, Any]], *, first_seen_at: datetime) -> list[RecordVersion]:
    """The versions of a record, the oldest first; `history` has its changed fields, the latest first.

    A value that is not known, because older changes were deleted, is what the oldest known change says was before.
    """
    lines = [line for line in reversed(history) if line["field"] != _STATE]
    values: dict[str, Any] = {}
    for line in lines:
        values.setdefault(line["field"], line["before"])
    found = [RecordVersion(first_seen_at, dict(values), ())]
    for line in lines:
        at = datetime.fromisoformat(line["at"])
        values[line["field"]] = line["after"]
        if found[-1].changed and found[-1].at == at:
            found[-1] = RecordVersion(at, dict(values), (*found[-1].changed, line["field"]))
        else:
            found.append(RecordVersion(at, dict(values), (line["field"],)))
    return found


def numbers(found: Sequence[RecordVersion], field: str) -> list[float | None] | None:
    """A field's value in each version as a number, a date as its day; None if it never is one, or never changes."""
    measured = [_number(version.values.get(field)) for version in found]
    return measured if len({value for value in measured if value is not None}) > 1 else None


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        return (
            float(date.fromisoformat(value[:10]).toordinal()) if isinstance(value, str) and len(value) >= 10 else None
        )
    except ValueError:
        return None
