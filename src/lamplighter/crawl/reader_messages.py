"""What goes to a reader process and what comes back: plain tuples, because they cross a process boundary.

Apart from `digest`, which does the reading: the service sends and receives these without loading what reads.
"""

import struct
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.model.reading import Role
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import Record, RecordKind, Skipped
from lamplighter.rules.scope import Scope

#: length of the message that follows
HEADER = struct.Struct(">Q")
NO_TIMES: Mapping[str, datetime] = {}


class PageWork(NamedTuple):
    """A body to be read, and what its source says about reading it."""

    page_id: int
    url: str
    source_url: str
    depth: int
    body: bytes
    content_type: str | None
    robots_tag: str | None
    #: what response and robots.txt say about using the content
    usage: str | None
    #: the name by which pages address this robot
    agent: str
    kind: RecordKind | None
    recipe: Recipe
    scope: Scope
    #: of the page in its run
    role: Role = Role.SEED


class Effort(NamedTuple):
    """What it took to read a page, as the reader process measured it."""

    cpu_ms: float
    #: the most memory that the process ever had by then
    peak_kb: int
    #: when it began, in seconds since 1970
    began_at: float
    took_ms: float


class Digest(NamedTuple):
    """What reading a page gave."""

    page_id: int
    content_hash: str
    records: list[Record]
    skipped: list[Skipped]
    #: followable links in scope, in the order of the page
    links: list[str]
    #: "next" pages
    listings: list[str]
    warnings: tuple[str, ...]
    #: what stood where the content should be: "a login page", "a bot challenge" …; None when nothing did
    obstacle: str | None = None
    #: what the content may be used for, one line each
    usage: str | None = None
    #: the body must not be kept
    noarchive: bool = False
    #: how long a feed asks to be left alone; None when it says nothing
    ttl: timedelta | None = None
    #: link -> when it last changed, as the page claims
    changed_at: Mapping[str, datetime] = NO_TIMES
    #: the page was asked only for what is new
    is_partial: bool = False
    #: feeds that it announces
    feeds: tuple[str, ...] = ()
    #: links that are not followed: too far from the start page, or elsewhere (another site, a trap)
    too_deep: int = 0
    elsewhere: int = 0
    #: None when nobody measured it
    effort: Effort | None = None
