"""What outside readers are shown of a crawl, one piece at a time. Jobs and sources go by their public ids."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """A page that was asked for."""

    job: str
    url_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The first of the pages that a job has yet to ask for, next ones first."""

    job: str
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPage:
    """What a source's start page said when it was last read."""

    source: str
    url_key: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often a source is visited, and why."""

    source: str
    #: of all its start pages together; None before any was read
    last_hash: str | None
    #: None when no change was seen yet
    last_change_at: datetime | None
    #: runs in a row that found nothing new
    unchanged_count: int
    interval: timedelta


Sight = Visited | Waiting | StartPage | Pace
