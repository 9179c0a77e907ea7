"""The record search of the page's URL, and the same filter for the API.

A link to a file or a feed must return exactly the records that the page shows, so both use one filter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from pydantic import ValidationError

from lamplighter.model.record_search import RecordOrder, SortKey
from lamplighter.rules.formats.typed_text import offset_from
from lamplighter.rules.records import search_query
from lamplighter.web.record_filter import RecordFilterIn

PATH = "/records"
LIMIT = 50
#: the page's own values of `since`: the API's parameter, and how far back
_SINCE: Mapping[str, tuple[str, timedelta]] = {
    "new_day": ("first_seen_after", timedelta(days=1)),
    "new_week": ("first_seen_after", timedelta(days=7)),
    "changed_day": ("changed_after", timedelta(days=1)),
    "changed_week": ("changed_after", timedelta(days=7)),
}
SINCE_CHOICES = (
    ("", "at any time"),
    ("new_day", "new in 24 hours"),
    ("new_week", "new in 7 days"),
    ("changed_day", "changed in 24 hours"),
    ("changed_week", "changed in 7 days"),
)
STATE_CHOICES = (("", "present"), ("gone", "gone"), ("all", "present or gone"))
_SORTS: Mapping[str, tuple[SortKey, bool]] = {
    "relevance": (SortKey.RELEVANCE, True),
    "newest": (SortKey.FIRST_SEEN, True),
    "oldest": (SortKey.FIRST_SEEN, False),
    "published": (SortKey.PUBLISHED, True),
    "deadline": (SortKey.DEADLINE, False),
    "title": (SortKey.TITLE, False),
    "cheapest": (SortKey.PRICE, False),
    "dearest": (SortKey.PRICE, True),
}
SORT_CHOICES = (
    ("", "best match, then newest"),
    ("newest", "newest"),
    ("oldest", "oldest"),
    ("published", "latest published"),
    ("deadline", "soonest deadline"),
    ("title", "title"),
    ("cheapest", "lowest price"),
    ("dearest", "highest price"),
)
#: the parameters of the search form; the others come from facets and links
_TYPED = ("q", "state")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordQuery:
    """The search parameters of the page's URL."""

    #: the given API parameters
    given: Mapping[str, str] = field(default_factory=dict)
    since: str = ""
    sort: str = ""
    offset: int = 0

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "RecordQuery":
        """Parses the query string; unknown parameters are ignored."""
        filled = {name: value.strip() for name, value in parameters.items() if value.strip()}
        given = {name: value for name, value in filled.items() if name in RecordFilterIn.model_fields}
        offset = filled.get("offset", "")
        return cls(
            given=given,
            since=filled["since"] if filled.get("since") in _SINCE else "",
            sort=filled["sort"] if filled.get("sort") in _SORTS else "",
            offset=offset_from(offset),
        )

    def filter_in(self, now: datetime) -> RecordFilterIn:
        """The filter as the API model; ValidationError if it is invalid."""
        return RecordFilterIn.model_validate(self._for_api(now))

    def order(self) -> RecordOrder:
        """The sort order and the page."""
        by, is_down = _SORTS.get(self.sort, _SORTS["relevance" if "q" in self.given else "newest"])
        return RecordOrder(by=by, descending=is_down, limit=LIMIT, offset=self.offset)

    def carried(self) -> dict[str, str]:
        """The parameters outside the search form, sent with it as hidden fields."""
        return {name: value for name, value in self.given.items() if name not in _TYPED}

    def with_(self, name: str, value: str) -> "RecordQuery":
        """The query with another value, at its first page."""
        return replace(self, given={**self.given, name: value}, offset=0)

    def without(self, name: str) -> "RecordQuery":
        """The query without a value, at its first page."""
        return replace(self, given={key: value for key, value in self.given.items() if key != name}, offset=0)

    def path(self) -> str:
        """The URL of the page."""
        shown: dict[str, Any] = {**self.given, "since": self.since, "sort": self.sort, "offset": self.offset}
        filled = urlencode({name: value for name, value in shown.items() if value})
        return f"{PATH}?{filled}" if filled else PATH

    def pager_path(self) -> str:
        """The URL of the page, ready for an offset."""
        start = replace(self, offset=0).path()
        return f"{start}&" if "?" in start else f"{start}?"

    def api_path(self, name: str, now: datetime, **more: str) -> str:
        """The API URL of the same records in another format."""
        filled = urlencode({**self._for_api(now), **more})
        return f"/api/v1/records/{name}?{filled}" if filled else f"/api/v1/records/{name}"

    def _for_api(self, now: datetime) -> dict[str, str]:
        said = dict(self.given)
        if "q" in said:
            said["q"] = search_query.still_typed(said["q"])
        if self.since:
            name, back = _SINCE[self.since]
            said[name] = (now - back).replace(microsecond=0).isoformat()
        return said


def fault_in(error: ValidationError) -> str:
    """The first error of an invalid query as a sentence."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "the address"
    return f"{name}: {first['msg'].removeprefix('Value error, ')}"
