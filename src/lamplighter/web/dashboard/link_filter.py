"""Which discovered links a list shows, as its address says it."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query

from lamplighter.operations.discovered_links import LinkState
from lamplighter.operations.frontier import Which
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard.page_filter import source_of

_NAMES = ("state", "host", "source", "q")
_Word = Annotated[Line, Query(max_length=500)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFilter:
    """What was chosen, as it was written; what is empty may be anything."""

    state: _Word = ""
    host: _Word = ""
    source: _Word = ""
    q: _Word = ""
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0

    @property
    def chosen(self) -> dict[str, str]:
        """What was chosen, by name."""
        return {name: value for name in _NAMES if (value := getattr(self, name))}

    @property
    def path(self) -> str:
        """Where the list stands that shows this."""
        return f"/links?{urlencode(self.chosen)}" if self.chosen else "/links"

    @property
    def pages_path(self) -> str:
        """The same, ready for an offset."""
        return f"{self.path}&" if self.chosen else "/links?"

    @property
    def which(self) -> Which:
        """As the frontier is asked for it."""
        return Which(
            host=self.host.strip() or None,
            source_id=source_of(self.source),
            search=self.q.strip() or None,
            is_found=True,
        )

    @property
    def link_state(self) -> LinkState | None:
        """What became of the links; None for all."""
        return LinkState(self.state) if self.state in set(LinkState) else None


Picking = Annotated[LinkFilter, Depends()]
