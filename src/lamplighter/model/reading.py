"""The result of parsing one page: records, links, and its directives for robots."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from lamplighter.model.record import RawRecord

#: how the note begins of a page that says that it has nothing to list
EMPTY_LIST = "empty list: "


class PageRole(StrEnum):
    """The role of a page for its source."""

    SEED = "seed"  # the source's own URL
    LISTING = "listing"  # another page of a listing, reached by "next"
    LINK = "link"  # any other linked page


class Directives(NamedTuple):
    """A page's directives for robots."""

    #: its records are not kept
    noindex: bool = False
    #: its links are not followed
    nofollow: bool = False
    #: its body is not kept once it was parsed
    noarchive: bool = False
    #: characters of its text that may be shown; None for all
    max_snippet: int | None = None
    #: the day after which the page should be removed, as written
    unavailable_after: str | None = None

    def __or__(self, other: object) -> "Directives":
        """Combines both: what either forbids is forbidden."""
        if not isinstance(other, Directives):
            return NotImplemented
        limits = [limit for limit in (self.max_snippet, other.max_snippet) if limit is not None]
        return Directives(
            noindex=self.noindex or other.noindex,
            nofollow=self.nofollow or other.nofollow,
            noarchive=self.noarchive or other.noarchive,
            max_snippet=min(limits, default=None),
            unavailable_after=self.unavailable_after or other.unavailable_after,
        )


NO_DIRECTIVES = Directives()


class RowPosition(NamedTuple):
    """Where the list is on pages of one template, so that the next page of it is read in the same way."""

    #: the addresses of these pages, without what distinguishes them
    template: str
    #: how the rows were grouped
    grouped_by: str
    #: the tags from the body of the page to a row
    path: str
    #: the addresses of the rows, without what distinguishes them
    links: str
    #: how likely it was the list when it was chosen
    sure: float
    #: of the weights that chose it: others may choose otherwise
    edition: int

    def __str__(self) -> str:
        return self.path.replace(" ", " > ")


NO_LISTS: Mapping[str, RowPosition] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A URL that the page points to, already absolute and normalised."""

    url: str
    role: PageRole = PageRole.LINK
    #: when it last changed, according to a sitemap; None when it does not say
    changed_at: datetime | None = None


class Reading(NamedTuple):
    """The result of the extraction ladder for one page; a tuple, because it is created three times as fast."""

    #: the ladder's best rung that gave records; None when there were none
    method: str | None = None
    records: tuple[RawRecord, ...] = ()
    #: only links that may be followed: rel=nofollow and page-level nofollow are already left out
    links: tuple[Link, ...] = ()
    #: also among the links, with role LISTING
    next_page: str | None = None
    #: the highest page number among its links to other pages of the same list; 0 when it has none
    list_pages: int = 0
    #: feeds the page announces (link rel=alternate)
    feeds: tuple[str, ...] = ()
    #: rel=canonical when it stays on the same host
    canonical: str | None = None
    title: str | None = None
    language: str | None = None
    #: its directives for robots; nofollow has already been obeyed
    directives: Directives = NO_DIRECTIVES
    #: what its content may be used for, one line each (see rules.usage); None when the page does not say
    usage: str | None = None
    #: what the page is instead of content: "a login page", "a bot challenge" …
    obstacle: str | None = None
    #: hash of the extracted, normalised content: equal while no visible content changed
    content_hash: str = ""
    #: hash of all that reading could use, before it was read; empty for what is no HTML
    seen_hash: str = ""
    #: nothing has changed that reading could use: nothing was read
    is_same: bool = False
    #: oddities (broken XML, empty feed …), for the run's message
    warnings: tuple[str, ...] = ()
    #: why the recipe extracted less than it should; irrelevant on pages that it was not written for
    recipe_warnings: tuple[str, ...] = ()
    #: why the page was read as this list, for people; empty when it was not read by its form
    because: str = ""
    #: where the list is; None when the page was not read by its form, or when that was a close choice
    list_at: RowPosition | None = None
    #: the body is a feed, in whatever format
    is_feed: bool = False
    #: least time between fetches according to the feed; None when it does not say
    ttl: timedelta | None = None
