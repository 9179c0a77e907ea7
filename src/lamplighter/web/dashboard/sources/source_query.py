"""The filter, order and time span of the start page's URL.

The list and the bulk action on "all that match" use one filter, so that the action applies to exactly what is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from lamplighter.model.plot import Period
from lamplighter.operations.sources import source_filters
from lamplighter.operations.sources.source_summaries import SourceOrder
from lamplighter.rules.formats.typed_text import offset_from
from lamplighter.store.sources.source_lists import SourceFilter

LIMIT = 50
#: orders that begin with the highest value
_HIGHEST_FIRST = (SourceOrder.LAST_RUN, SourceOrder.RECORDS, SourceOrder.CHANGE_RATE)
_SPANS = {span.word: span for span in Period}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuery:
    """The query parameters of the start page."""

    #: the given filter values
    given: Mapping[str, str] = field(default_factory=dict)
    order: SourceOrder = SourceOrder.NAME
    descending: bool = False
    offset: int = 0
    span: Period = Period.DAY
    #: the errors by field
    faults: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "SourceQuery":
        """Parses the query string; unknown parameters are ignored."""
        filled = {name: value.strip() for name, value in parameters.items() if value.strip()}
        given = {name: filled[name] for name in source_filters.FILTERS if name in filled}
        order = SourceOrder(filled["sort"]) if filled.get("sort") in set(SourceOrder) else SourceOrder.NAME
        offset = filled.get("offset", "")
        return cls(
            given=given,
            order=order,
            descending=filled.get("order") == "desc",
            offset=offset_from(offset),
            span=_SPANS.get(filled.get("span", ""), Period.DAY),
            faults=source_filters.faults(given),
        )

    def which(self, now: datetime) -> SourceFilter:
        """The filter, for this time; an invalid value matches nothing."""
        return source_filters.which(self.given, now=now)

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
        if changed.span is not Period.DAY:
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
