"""Which sources does a visitor ask for, in which order, and how far back? The address of the start page.

The list and what is done with "all that match" are made of one filter, so that what is seen is what is meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.crawl import Health
from lamplighter.model.record import RecordKind
from lamplighter.model.source import SourceStatus
from lamplighter.operations.source_glances import Order
from lamplighter.operations.source_list import priorities
from lamplighter.operations.source_overview import Span
from lamplighter.operations.source_words import PRIORITIES
from lamplighter.store.source_lists import SourceFilter
from lamplighter.web.api.values import one_line

LIMIT = 50
#: nobody turns so many pages
_DEEPEST = 10_000_000
_LONGEST = 300
#: what a form may ask for
FILTERS = ("search", "status", "priority", "kind", "tag", "host", "failures")
_STATUSES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "attention": ("needs attention", {"needs_attention": True}),
    "healthy": ("healthy", {"health": Health.HEALTHY}),
    "warning": ("warning", {"health": Health.WARNING}),
    "failed": ("failing", {"health": Health.FAILED}),
    "drifting": ("drifting", {"is_drifting": True}),
    "active": ("active", {"status": SourceStatus.ACTIVE}),
    "paused": ("paused or disabled", {"status": SourceStatus.PAUSED}),
    "blocked": ("blocked", {"status": SourceStatus.BLOCKED}),
    "deleted": ("deleted", {"status": SourceStatus.DELETED}),
}
STATUS_CHOICES = (("", "any"), *((word, label) for word, (label, _) in _STATUSES.items()))
PRIORITY_CHOICES = (("", "any"), *((word, word) for word in PRIORITIES))
KIND_CHOICES = (("", "any"), ("auto", "auto"), *((str(kind), str(kind)) for kind in RecordKind))
#: those of which the most is what one looks for
_HIGHEST_FIRST = (Order.LAST_RUN, Order.RECORDS, Order.CHANGE_RATE)
_SPANS = {span.word: span for span in Span}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuery:
    """A question, as the address has it."""

    #: filters that are filled in
    given: Mapping[str, str] = field(default_factory=dict)
    order: Order = Order.NAME
    descending: bool = False
    offset: int = 0
    span: Span = Span.DAY
    #: what is wrong with which field
    faults: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "SourceQuery":
        """What an address asks for; names that nobody knows are passed over, as links bring them along."""
        filled = {name: value.strip() for name, value in parameters.items() if value.strip()}
        given = {name: filled[name] for name in FILTERS if name in filled}
        order = Order(filled["sort"]) if filled.get("sort") in set(Order) else Order.NAME
        offset = filled.get("offset", "")
        return cls(
            given=given,
            order=order,
            descending=filled.get("order") == "desc",
            offset=min(int(offset), _DEEPEST) if offset.isascii() and offset.isdigit() and len(offset) < 10 else 0,
            span=_SPANS.get(filled.get("span", ""), Span.DAY),
            faults=_faults(given),
        )

    @property
    def which(self) -> SourceFilter:
        """The filter; of what cannot be used, nothing."""
        chosen: dict[str, Any] = {}
        for name in self.given.keys() - self.faults.keys():
            chosen |= _chosen(name, self.given[name])
        return SourceFilter(**chosen)

    @property
    def filter_key(self) -> str:
        """What is chosen belongs to it: under another filter nothing is."""
        return urlencode(sorted(self.given.items()))

    def typed(self, name: str) -> str:
        """What stands in a field of the form."""
        return self.given.get(name, "")

    def path(self, **changes: Any) -> str:
        """The address of this question, or of one that differs in this from it."""
        asked = replace(self, **changes)
        parts = dict(asked.given)
        if asked.order is not Order.NAME or asked.descending:
            parts |= {"sort": str(asked.order), "order": "desc" if asked.descending else "asc"}
        if asked.span is not Span.DAY:
            parts["span"] = asked.span.word
        if asked.offset:
            parts["offset"] = str(asked.offset)
        return f"/?{urlencode(parts)}" if parts else "/"

    def sorted_by(self, order: Order) -> str:
        """The address of the list in this order; in the other direction if it is in this order already."""
        down = not self.descending if order is self.order else order in _HIGHEST_FIRST
        return self.path(order=order, descending=down, offset=0)

    def with_status(self, word: str) -> str:
        """The address of all sources that stand so."""
        return self.path(given={"status": word}, offset=0)


def _chosen(name: str, value: str) -> dict[str, Any]:
    """What one field of the form asks for."""
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
        raise BadInput(f"that are {len(value)} letters; {_LONGEST} are the most", field=name)
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
