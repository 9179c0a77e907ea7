"""The filter of the start page and of commands, by the names and values that people give."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.crawl import SourceState
from lamplighter.model.record import RecordKind
from lamplighter.model.source import SourceStatus
from lamplighter.operations.sources.source_words import PRIORITIES, priorities
from lamplighter.rules.formats.typed_text import one_line
from lamplighter.store.sources.source_filter import SourceFilter

_LONGEST = 300
#: the filter parameters
FILTERS = ("search", "status", "priority", "kind", "tag", "host", "failures")
_STATUSES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "attention": ("needs attention", {"needs_attention": True}),
    **{str(state): (state.replace("_", " "), {"state": state}) for state in SourceState},
    "drifting": ("drifting", {"is_drifting": True}),
    "active": ("active", {"status": SourceStatus.ACTIVE}),
    "deleted": ("deleted", {"status": SourceStatus.DELETED}),
}
STATUS_CHOICES = (("", "any"), *((word, label) for word, (label, _) in _STATUSES.items()))
PRIORITY_CHOICES = (("", "any"), *((word, word) for word in PRIORITIES))
KIND_CHOICES = (("", "any"), ("auto", "auto"), *((str(kind), str(kind)) for kind in RecordKind))


def which(given: Mapping[str, str], *, now: datetime) -> SourceFilter:
    """The filter, for this time; an invalid value matches nothing."""
    chosen: dict[str, Any] = {}
    for name in given.keys() - faults(given).keys():
        chosen |= _chosen(name, given[name])
    return SourceFilter(**chosen, at=now)


def _chosen(name: str, value: str) -> dict[str, Any]:
    """Parses one filter value."""
    match name:
        case "status" if value in _STATUSES:
            return _STATUSES[value][1]
        case "status":
            known = ", ".join(_STATUSES)
            raise BadInput(f"status {value[:50]!r} is unknown; use {known}", field=name)
        case "priority":
            least, most = priorities(int(value) if value.isdecimal() and len(value) < 4 else value)
            return {"least_priority": least, "most_priority": most}
        case "kind" if value not in {word for word, _ in KIND_CHOICES}:
            raise BadInput(f"kind {value[:50]!r} is unknown; use auto, {', '.join(RecordKind)}", field=name)
        case "failures":
            return {"has_failures": True}
    if len(value) > _LONGEST:
        raise BadInput(f"the text has {len(value)} characters; use up to {_LONGEST}", field=name)
    try:
        return {name: one_line(value)}
    except ValueError as error:
        raise BadInput(f"{name} {error}", field=name) from None


def faults(given: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with the values, by the name of the filter."""
    found = {}
    for name, value in given.items():
        try:
            _chosen(name, value)
        except LamplighterError as error:
            found[name] = str(error)
    return found
