"""Entries of the Redis mirror about a crawl. Jobs and sources go by their public ids."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorVisit:
    """A page that was fetched."""

    job: str
    url_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingPages:
    """The first pages that a job still has to fetch, in their order."""

    job: str
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPage:
    """A source's start page when it was last parsed."""

    source: str
    url_key: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorPace:
    """The interval and changes of a source."""

    source: str
    #: of all its start pages together; None before any was parsed
    last_hash: str | None
    #: None when no change was seen yet
    last_change_at: datetime | None
    #: runs in a row that found nothing new
    unchanged_count: int
    interval: timedelta


MirrorEntry = MirrorVisit | PendingPages | StartPage | MirrorPace
