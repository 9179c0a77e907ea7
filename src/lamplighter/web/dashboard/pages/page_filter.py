"""The filter of the page list, read from the URL or a form."""

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Depends, Query

from lamplighter.operations.pages.frontier import FrontierFilter, FrontierStatus, PageKind
from lamplighter.web.dashboard.forms import SubmittedForm
from lamplighter.web.values import Line

_LONGEST = 500
_NAMES = ("status", "host", "source", "q", "reason", "kind")
_Word = Annotated[Line, Query(max_length=_LONGEST)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilterForm:
    """The filter values; an empty one matches anything, an invalid one nothing."""

    status: _Word = ""
    host: _Word = ""
    source: _Word = ""
    q: _Word = ""
    reason: _Word = ""
    kind: _Word = ""
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0

    @classmethod
    def of_form(cls, form: SubmittedForm) -> "PageFilterForm":
        """The filter from the fields of a form."""
        given: dict[str, Any] = {name: _printable(form.text(name))[:_LONGEST] for name in _NAMES}
        return cls(**given)

    @property
    def chosen(self) -> dict[str, str]:
        """The non-empty filter values by name."""
        return {name: value for name in _NAMES if (value := getattr(self, name))}

    @property
    def path(self) -> str:
        """The URL path of the filtered list."""
        return f"/pages?{urlencode(self.chosen)}" if self.chosen else "/pages"

    @property
    def pages_path(self) -> str:
        """The URL path of the filtered list, ready for an offset."""
        return f"{self.path}&" if self.chosen else "/pages?"

    @property
    def which(self) -> FrontierFilter:
        """The query for the frontier; an unknown status or kind means any."""
        return FrontierFilter(
            status=FrontierStatus(self.status) if self.status in set(FrontierStatus) else None,
            host=self.host.strip() or None,
            source_id=source_of(self.source),
            search=self.q.strip() or None,
            reason=self.reason or None,
            kind=PageKind(self.kind) if self.kind in set(PageKind) else None,
        )


#: the id of no source
_NOBODY = UUID(int=0)


def source_of(text: str) -> UUID | None:
    """The source id of the filter, None if empty; an invalid id becomes one that no source has."""
    if not text.strip():
        return None
    try:
        return UUID(text.strip())
    except ValueError:
        return _NOBODY


def _printable(text: str) -> str:
    """The text without control characters, which some databases refuse."""
    return "".join(character for character in text if character.isprintable())


Picking = Annotated[PageFilterForm, Depends()]
