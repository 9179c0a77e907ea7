"""The filter of the discovered links, read from the URL."""

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query

from lamplighter.operations.pages.discovered_links import LinkState
from lamplighter.operations.pages.frontier import FrontierFilter
from lamplighter.web.dashboard.pages.page_filter import source_of
from lamplighter.web.values import Line

_NAMES = ("state", "host", "source", "q")
_Word = Annotated[Line, Query(max_length=500)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFilter:
    """The filter values; an empty one matches anything."""

    state: _Word = ""
    host: _Word = ""
    source: _Word = ""
    q: _Word = ""
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0

    @property
    def chosen(self) -> dict[str, str]:
        """The non-empty filter values by name."""
        return {name: value for name in _NAMES if (value := getattr(self, name))}

    @property
    def path(self) -> str:
        """The URL path of the filtered list."""
        return f"/links?{urlencode(self.chosen)}" if self.chosen else "/links"

    @property
    def pages_path(self) -> str:
        """The URL path of the filtered list, ready for an offset."""
        return f"{self.path}&" if self.chosen else "/links?"

    @property
    def which(self) -> FrontierFilter:
        """The query for the frontier."""
        return FrontierFilter(
            host=self.host.strip() or None,
            source_id=source_of(self.source),
            search=self.q.strip() or None,
            is_found=True,
        )

    @property
    def link_state(self) -> LinkState | None:
        """The link state to show, None for all."""
        return LinkState(self.state) if self.state in set(LinkState) else None


Picking = Annotated[LinkFilter, Depends()]
