"""Messages to and from a reader process: plain tuples, because they cross a process boundary.

Separate from `digest`, which parses: the service uses these messages without loading the parsers.
"""

import struct
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.extract.teaching.lesson import TITLE, Example, Learned, OutlineLine, ReadMark, TextExample
from lamplighter.model.reading import NO_LISTS, PageRole, RowPosition
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import Record, RecordKind, RejectedRecord
from lamplighter.rules.urls.scope import LinkScope

#: length of the message that follows
HEADER = struct.Struct(">Q")
NO_TIMES: Mapping[str, datetime] = {}


class PageWork(NamedTuple):
    """A body to parse, with the settings of its source."""

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
    scope: LinkScope
    #: of the page in its run
    role: PageRole = PageRole.SEED
    #: of job postings on pages that name none
    organisation: str | None = None
    #: where the lists of the source's pages are, by template
    lists: Mapping[str, RowPosition] = NO_LISTS
    #: what the page said when it was last read; None when it is to be read whatever it says
    seen: str | None = None


class Effort(NamedTuple):
    """Time and memory to parse a page, measured by the reader."""

    cpu_ms: float
    #: the peak memory of the process so far
    peak_kb: int
    #: when it began, in seconds since 1970
    began_at: float
    took_ms: float


class Digest(NamedTuple):
    """The result of parsing."""

    page_id: int
    content_hash: str
    records: list[Record]
    skipped: list[RejectedRecord]
    #: followable links in scope, in the order of the page
    links: list[str]
    #: "next" pages
    listings: list[str]
    warnings: tuple[str, ...]
    #: what was in place of the content: "a login page", "a bot challenge" …; None without an obstacle
    obstacle: str | None = None
    #: what the content may be used for, one line each
    usage: str | None = None
    #: the body must not be kept
    noarchive: bool = False
    #: how long a feed says it is fresh; None when it says nothing
    ttl: timedelta | None = None
    #: link -> when it last changed, as the page claims
    changed_at: Mapping[str, datetime] = NO_TIMES
    #: only new items were requested
    is_partial: bool = False
    #: what the source's API says of the same records counts, not this page
    yields: bool = False
    #: feeds that it announces
    feeds: tuple[str, ...] = ()
    #: the highest page number that a page of a list names; 0 when it names none
    list_pages: int = 0
    #: links that are not followed: too far from the start page, or elsewhere (another site, a trap)
    too_deep: int = 0
    elsewhere: int = 0
    #: why the page was read as this list; empty when it was not read by its form
    because: str = ""
    #: where the list is, if that is not known yet
    list_at: RowPosition | None = None
    #: what the page says, as a hash; empty for what is no HTML
    seen_hash: str = ""
    #: it says the same as when it was last read, so it was not read
    is_same: bool = False
    #: None if not measured
    effort: Effort | None = None


class LessonWork(NamedTuple):
    """A page on which somebody points at examples."""

    #: with the recipe as it was before the lesson
    page: PageWork
    examples: tuple[Example, ...] = ()
    #: further examples, by their texts
    texts: tuple[TextExample, ...] = ()
    #: the element that is pressed now; None for none
    press: int | None = None
    #: what it means; empty to guess
    meaning: str = ""
    #: bodies of the page's versions, on which the recipe is tried, the newest first
    versions: tuple[bytes, ...] = ()
    #: the first of them that is older than the page
    older: int = 0
    #: learn from what the last good version had and the page still shows
    from_last_good: bool = False


class LastGood(NamedTuple):
    """The last version of a page from which the recipe read what it no longer reads."""

    #: its number among the older versions of the lesson, the newest is 0
    number: int
    records: int
    #: where the page now shows what was read then
    was: tuple[ReadMark, ...] = ()
    #: what was read, by the places of that version
    marks: tuple[ReadMark, ...] = ()

    @property
    def titles(self) -> int:
        """How many of its titles the page still shows."""
        return sum(mark.meaning == TITLE for mark in self.was)


class LessonDigest(NamedTuple):
    """The state of a lesson."""

    examples: tuple[Example, ...] = ()
    #: the texts of the examples
    said: tuple[str, ...] = ()
    learned: Learned = Learned()
    #: what the page gives under the learned recipe, or under the one before; None if it was not read
    digest: Digest | None = None
    marks: tuple[ReadMark, ...] = ()
    outline: tuple[OutlineLine, ...] = ()
    #: records on each of the versions
    counts: tuple[int, ...] = ()
    #: where a lesson begins; None while the recipe before it reads the page as well as earlier versions
    last_good: LastGood | None = None
    #: why nothing was learned
    trouble: str | None = None
    #: the example that cannot be used
    field: str | None = None


class ShownWork(NamedTuple):
    """A page to be shown to people."""

    body: bytes
    content_type: str | None
    #: our own parts of the document
    head: str
    foot: str
    with_styles: bool = True
