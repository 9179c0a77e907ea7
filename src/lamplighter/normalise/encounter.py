"""Where and when a record was seen: the context that the meaning of its texts depends on."""

from datetime import datetime
from typing import NamedTuple


class PageContext(NamedTuple):
    """The context of one page visit."""

    page_url: str
    #: BCP 47 tag of the page; None when unknown
    language: str | None
    #: when the body was fetched, aware
    seen_at: datetime
    #: whether the page's dates show that it writes 12/31, not 31/12; None when they do not show it
    month_first: bool | None = None

    @property
    def main_language(self) -> str:
        """The language without script and region, in lower case; empty when unknown."""
        return (self.language or "").partition("-")[0].lower()

    @property
    def regions(self) -> tuple[str, ...]:
        """The countries that the page seems made for, in lower case: its language's region, its host's country."""
        region = (self.language or "").rpartition("-")[2] if "-" in (self.language or "") else ""
        host = self.page_url.partition("://")[2].partition("/")[0].partition(":")[0]
        country = host.rpartition(".")[2]
        return tuple(code.lower() for code in (region, country) if len(code) == 2)
