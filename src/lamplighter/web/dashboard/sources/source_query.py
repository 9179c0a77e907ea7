"""The filter, order and time span of the start page's URL.

The list and the bulk action on "all that match" use one filter, so that the action applies to exactly what is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.crawl import SourceState
from lamplighter.model.record import RecordKind
from lamplighter.model.source import SourceStatus
from lamplighter.operations.sources.source_list import priorities
from lamplighter.operations.sources.source_overview import OverviewSpan
from lamplighter.operations.sources.source_summaries import SourceOrder
from lamplighter.operations.sources.source_words import PRIORITIES
from lamplighter.store.sources.source_lists import SourceFilter
from lamplighter.web.values import offset_from, one_line

LIMIT = 50
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
#: orders that begin with the highest value
_HIGHEST_FIRST = (SourceOrder.LAST_RUN, SourceOrder.RECORDS, SourceOrder.CHANGE_RATE)
_SPANS = {span.word: span for span in OverviewSpan}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuery:
    """The query parameters of the start page."""

    #: the given filter values
    given: Mapping[str, str] = field(default_factory=dict)
    order: SourceOrder = SourceOrder.NAME
    descending: bool = False
    offset: int = 0
    span: OverviewSpan = OverviewSpan.DAY
    #: the errors by field
    faults: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "SourceQuery":
        """Parses the query string; unknown parameters are ignored."""
        filled = {name: value.strip() for name, value in parameters.items() if value.strip()}
        given = {name: filled[name] for name in FILTERS if name in filled}
        order = SourceOrder(filled["sort"]) if filled.get("sort") in set(SourceOrder) else SourceOrder.NAME
        offset = filled.get("offset", "")
        return cls(
            given=given,
            order=order,
            descending=filled.get("order") == "desc",
            offset=offset_from(offset),
            span=_SPANS.get(filled.get("span", ""), OverviewSpan.DAY),
            faults=_faults(given),
        )

    def which(self, now: datetime) -> SourceFilter:
        """The filter, for this time; an invalid value matches nothing."""
        chosen: dict[str, Any] = {}
        for name in self.given.keys() - self.faults.keys():
            chosen |= _chosen(name, self.given[name])
        return SourceFilter(**chosen, at=now)

    @property
    def filter_key(self) -> str:
        """A key of the filter; a selection is valid only for one key."""
        return urlencode(sorted(self.given.items()))

    def typed(self, name: str) -> str:
        """The typed value of a form field."""
        return self.given.get(name, "")

    def path(self, **changes: Any) -> str:
        """The URL of this query, with the given changes."""
        changed = replace(self, **changes)
        parts = dict(changed.given)
        if changed.order is not SourceOrder.NAME or changed.descending:
            parts |= {"sort": str(changed.order), "order": "desc" if changed.descending else "asc"}
        if changed.span is not OverviewSpan.DAY:
            parts["span"] = changed.span.word
        if changed.offset:
            parts["offset"] = str(changed.offset)
        return f"/?{urlencode(parts)}" if parts else "/"

    def sorted_by(self, order: SourceOrder) -> str:
        """The URL of the list in this order, reversed if it is the current order."""
        down = not self.descending if order is self.order else order in _HIGHEST_FIRST
        return self.path(order=order, descending=down, offset=0)

    def with_status(self, word: str) -> str:
        """The URL of all sources with this status."""
        return self.path(given={"status": word}, offset=0)


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


def _faults(given: Mapping[str, str]) -> dict[str, str]:
    faults = {}
    for name, value in given.items():
        try:
            _chosen(name, value)
        except LamplighterError as error:
            faults[name] = str(error)
    return faults
