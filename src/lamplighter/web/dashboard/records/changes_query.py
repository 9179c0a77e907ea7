"""The view of the changes page's URL, and the same filter for the API and for notification rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urlencode

from lamplighter.model.record_search import ChangeFilter
from lamplighter.web.change_filter import ChangeFilterIn
from lamplighter.web.values import BIGGEST

PATH = "/changes"
KIND_CHOICES = (("", "All"), ("new", "New"), ("changed", "Changed"), ("gone", "Gone"), ("back", "Back"))
PERIOD_CHOICES = (("24h", "24 hours"), ("7d", "7 days"), ("30d", "30 days"), ("", "All"))
MARK_CHOICES = (("", "All"), ("unread", "Unread"), ("starred", "Starred"))
_MARKS = tuple(value for value, _ in MARK_CHOICES if value)
#: the parameters that the API has, too
_FILTER = tuple(ChangeFilterIn.model_fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesQuery:
    """The parameters of the page's URL."""

    #: the given API parameters
    given: Mapping[str, str] = field(default_factory=dict)
    #: unread, starred, or all
    marked: str = ""
    #: the sets before this one
    before: int | None = None
    #: one set, with all of its records
    set_id: int | None = None

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "ChangesQuery":
        """Parses the query string; unknown parameters are ignored."""
        filled = {name: value.strip() for name, value in parameters.items() if value.strip()}
        return cls(
            given={name: value for name, value in filled.items() if name in _FILTER},
            marked=filled["marked"] if filled.get("marked") in _MARKS else "",
            before=_number(filled.get("before", "")),
            set_id=_number(filled.get("set", "")),
        )

    def typed(self, name: str) -> str:
        """A parameter; empty when it was not given."""
        return self.marked if name == "marked" else self.given.get(name, "")

    def filter_in(self, now: datetime, reader: str) -> ChangeFilter:
        """The filter; ValidationError if it is invalid."""
        wanted = ChangeFilterIn.model_validate(dict(self.given)).wanted(now)
        return replace(
            wanted,
            set_id=self.set_id,
            unread_by=reader if self.marked == "unread" else None,
            starred_by=reader if self.marked == "starred" else None,
        )

    def with_(self, name: str, value: str) -> str:
        """The URL of the view with another value, from its newest set on."""
        if name == "marked":
            return replace(self, marked=value, before=None).path()
        given = {key: each for key, each in self.given.items() if key != name}
        return replace(self, given=given | ({name: value} if value else {}), before=None).path()

    def older(self, before: int) -> str:
        """The URL of the sets before this one."""
        return replace(self, before=before).path()

    def path(self) -> str:
        """The URL of the page."""
        shown = {**self.given, "marked": self.marked, "before": self.before, "set": self.set_id}
        filled = urlencode({name: value for name, value in shown.items() if value})
        return f"{PATH}?{filled}" if filled else PATH

    def api_path(self, name: str) -> str:
        """The API URL of the same changes in another format."""
        filled = urlencode(self.given)
        return f"/api/v1/changes/{name}?{filled}" if filled else f"/api/v1/changes/{name}"


def _number(text: str) -> int | None:
    return min(int(text), BIGGEST) if text.isascii() and text.isdigit() and len(text) < 20 else None
