"""What reading one page gave: records, links, and what the page asks of robots."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from lamplighter.model.record import RawRecord


class Role(StrEnum):
    """What a page is to its source."""

    SEED = "seed"  # the source's own URL
    LISTING = "listing"  # a further page of a listing, reached by "next"
    LINK = "link"  # anything else that was linked


class Directives(NamedTuple):
    """What a page asks of robots."""

    #: its records are not kept
    noindex: bool = False
    #: its links are not followed
    nofollow: bool = False
    #: its body is not kept once it was read
    noarchive: bool = False
    #: characters of its text that may be shown; None for all
    max_snippet: int | None = None
    #: the day after which it does not want to be known any more, as written
    unavailable_after: str | None = None

    def __or__(self, other: object) -> "Directives":
        """Both together: whatever either forbids."""
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


NOTHING_ASKED = Directives()


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A URL that the page points to, already absolute and normalised."""

    url: str
    role: Role = Role.LINK
    #: when it last changed, as a sitemap claims; None when nobody says
    changed_at: datetime | None = None


class Reading(NamedTuple):
    """The result of the extraction ladder for one page; a tuple, because that is made in a third of the time."""

    #: the ladder's best rung that gave records; None when there were none
    method: str | None = None
    records: tuple[RawRecord, ...] = ()
    #: followable links only: rel=nofollow and page-level nofollow are already left out
    links: tuple[Link, ...] = ()
    #: also among the links, with role LISTING
    next_page: str | None = None
    #: feeds the page announces (link rel=alternate)
    feeds: tuple[str, ...] = ()
    #: rel=canonical when it stays on the same host
    canonical: str | None = None
    title: str | None = None
    language: str | None = None
    #: what the page asks of robots; nofollow has been heeded already
    asked: Directives = NOTHING_ASKED
    #: what its content may be used for, one line each (see rules.usage); None when it says nothing
    usage: str | None = None
    #: what stands in the way when this is no content at all: "a login page", "a bot challenge" …
    obstacle: str | None = None
    #: hash of the extracted, normalised content: equal while nothing a reader would notice changed
    content_hash: str = ""
    #: what was odd (broken XML, empty feed …), for the run's message
    warnings: tuple[str, ...] = ()
    #: why the recipe gave less than it promises; of no concern on pages that it was not written for
    recipe_warnings: tuple[str, ...] = ()
    #: the body is a feed, in whatever format
    is_feed: bool = False
    #: how long the feed asks to be left alone; None when it says nothing
    ttl: timedelta | None = None
