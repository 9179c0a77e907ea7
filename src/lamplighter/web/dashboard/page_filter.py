"""Which pages a list shows, as its address and its forms say it."""

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Depends, Query

from lamplighter.operations.frontier import PageKind, Status, Which
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard.forms import Form

_LONGEST = 500
_NAMES = ("status", "host", "source", "q", "reason", "kind")
_Word = Annotated[Line, Query(max_length=_LONGEST)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """What was chosen, as it was written; what is empty may be anything, and what cannot be used finds nothing."""

    status: _Word = ""
    host: _Word = ""
    source: _Word = ""
    q: _Word = ""
    reason: _Word = ""
    kind: _Word = ""
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0

    @classmethod
    def of_form(cls, form: Form) -> "PageFilter":
        """The same from the fields of a form."""
        given: dict[str, Any] = {name: _printable(form.text(name))[:_LONGEST] for name in _NAMES}
        return cls(**given)

    @property
    def chosen(self) -> dict[str, str]:
        """What was chosen, by name."""
        return {name: value for name in _NAMES if (value := getattr(self, name))}

    @property
    def path(self) -> str:
        """Where the list stands that shows this."""
        return f"/pages?{urlencode(self.chosen)}" if self.chosen else "/pages"

    @property
    def pages_path(self) -> str:
        """The same, ready for an offset."""
        return f"{self.path}&" if self.chosen else "/pages?"

    @property
    def which(self) -> Which:
        """As the frontier is asked for it; a status or kind that there is not means any."""
        return Which(
            status=Status(self.status) if self.status in set(Status) else None,
            host=self.host.strip() or None,
            source_id=source_of(self.source),
            search=self.q.strip() or None,
            reason=self.reason or None,
            kind=PageKind(self.kind) if self.kind in set(PageKind) else None,
        )


#: a source that nobody has
_NOBODY = UUID(int=0)


def source_of(text: str) -> UUID | None:
    """The source that an id stands for; one that nobody has when it is no id at all, None when it is empty."""
    if not text.strip():
        return None
    try:
        return UUID(text.strip())
    except ValueError:
        return _NOBODY


def _printable(text: str) -> str:
    """The text without what no address holds and some database refuses."""
    return "".join(character for character in text if character.isprintable())


Picking = Annotated[PageFilter, Depends()]
