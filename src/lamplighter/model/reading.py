"""What reading one page gave: records, links, and what the page asks of robots."""

from dataclasses import dataclass
from enum import StrEnum

from lamplighter.model.record import RawRecord


class Role(StrEnum):
    """What a page is to its source."""

    SEED = "seed"  # the source's own URL
    LISTING = "listing"  # a further page of a listing, reached by "next"
    LINK = "link"  # anything else that was linked


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A URL that the page points to, already absolute and normalised."""

    url: str
    role: Role = Role.LINK


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The result of the extraction ladder for one page."""

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
    #: the page asks not to be indexed: its records are not kept
    noindex: bool = False
    #: hash of the extracted, normalised content: equal while nothing a reader would notice changed
    content_hash: str = ""
    #: what was odd (broken XML, empty feed …), for the run's message
    warnings: tuple[str, ...] = ()
