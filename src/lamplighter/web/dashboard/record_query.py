"""Which records does a visitor ask for? The address of the page, and the same question in the words of the API.

A link to a file or a feed must give the very records that the page shows, so both are made of one filter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from pydantic import ValidationError

from lamplighter.model.record_search import Order, SortKey
from lamplighter.rules import search_query
from lamplighter.web.api.paging import DEEPEST
from lamplighter.web.api.v1.shapes_records import RecordFilterIn

PATH = "/records"
LIMIT = 50
#: what a page asks for by a name of its own: the API's parameter, and how far back
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
STATE_CHOICES = (("", "there now"), ("gone", "gone"), ("all", "there or gone"))
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
    ("newest", "found last"),
    ("oldest", "found first"),
    ("published", "published last"),
    ("deadline", "soonest deadline"),
    ("title", "title"),
    ("cheapest", "lowest price"),
    ("dearest", "highest price"),
)
#: what the search form itself asks for; everything else comes from the facets and from links
_TYPED = ("q", "state")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordQuery:
    """A question, as the address of the page has it."""

    #: parameters of the API that are filled in
    given: Mapping[str, str] = field(default_factory=dict)
    since: str = ""
    sort: str = ""
    offset: int = 0

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "RecordQuery":
        """What an address asks for; names that nobody knows are passed over, as links bring them along."""
        filled = {name: value.strip() for name, value in parameters.items() if value.strip()}
        given = {name: value for name, value in filled.items() if name in RecordFilterIn.model_fields}
        offset = filled.get("offset", "")
        return cls(
            given=given,
            since=filled["since"] if filled.get("since") in _SINCE else "",
            sort=filled["sort"] if filled.get("sort") in _SORTS else "",
            offset=min(int(offset), DEEPEST) if offset.isascii() and offset.isdigit() and len(offset) < 10 else 0,
        )

    def asked(self, now: datetime) -> RecordFilterIn:
        """The filter, as the API reads it; ValidationError when it cannot be read."""
        return RecordFilterIn.model_validate(self._for_api(now))

    def order(self) -> Order:
        """In which order, and which part."""
        by, is_down = _SORTS.get(self.sort, _SORTS["relevance" if "q" in self.given else "newest"])
        return Order(by=by, descending=is_down, limit=LIMIT, offset=self.offset)

    def carried(self) -> dict[str, str]:
        """What was chosen outside the search form, and stays when it is sent."""
        return {name: value for name, value in self.given.items() if name not in _TYPED}

    def with_(self, name: str, value: str) -> "RecordQuery":
        """The same with another value, from its beginning."""
        return replace(self, given={**self.given, name: value}, offset=0)

    def without(self, name: str) -> "RecordQuery":
        """The same without a value, from its beginning."""
        return replace(self, given={key: value for key, value in self.given.items() if key != name}, offset=0)

    def path(self) -> str:
        """The address of the page."""
        shown: dict[str, Any] = {**self.given, "since": self.since, "sort": self.sort, "offset": self.offset}
        filled = urlencode({name: value for name, value in shown.items() if value})
        return f"{PATH}?{filled}" if filled else PATH

    def pager_path(self) -> str:
        """The same, ready to have an offset appended."""
        start = replace(self, offset=0).path()
        return f"{start}&" if "?" in start else f"{start}?"

    def api_path(self, name: str, now: datetime, **more: str) -> str:
        """Where the API gives the same records in another form."""
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
    """What of an address cannot be read, in a sentence."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "the address"
    return f"{name}: {first['msg'].removeprefix('Value error, ')}"
