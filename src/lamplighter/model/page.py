"""A page: one URL that we know of a source, and its state."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lamplighter.model.reading import PageRole
from lamplighter.model.schedule import Belief
from lamplighter.model.visit import Validators


class Phase(StrEnum):
    """The state of a page. Only the durable phases are ever written.

    What is in flight is derived from leases: a pending page of a leased host is queued, or crawling while its request
    is out, and a downloaded page under a parse lease is in line for a reader, or parsing while one has it. A crash
    therefore needs no repair.
    """

    #: a task that is not yet in a run, or a page that its run has no room for yet
    WAITING = "waiting"
    PENDING = "pending"
    DOWNLOADED = "downloaded"
    COMPLETED = "completed"
    FAILED = "failed"
    PAUSED = "paused"
    CANCELLED = "cancelled"


class PageStage(StrEnum):
    """The state of a page for operators: its phase, refined by leases."""

    WAITING = "waiting"
    PENDING = "pending"
    #: its host is being fetched, and it waits for its turn
    QUEUED = "queued"
    #: its request is in flight
    CRAWLING = "crawling"
    DOWNLOADED = "downloaded"
    #: a worker has it in line for a reader process
    QUEUED_PARSE = "queued_parse"
    #: a reader process is parsing it
    PARSING = "parsing"
    COMPLETED = "completed"
    FAILED = "failed"
    PAUSED = "paused"
    CANCELLED = "cancelled"


#: why a page was paused: what remains to be done when it is resumed
PAUSED_UNASKED, PAUSED_UNREAD = "paused_unasked", "paused_unread"
#: why a page waits: pages of the list come first, and the page budget of a run is limited
LEFT_FOR_LATER = "page_budget"
#: what a page is that is polled between runs: a feed that its source announces
POLLED_FEED = "feed"
#: why a discovered link is not followed: an operator chose to ignore it
IGNORED = "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBody:
    """A body we have, with its validators: enough for a conditional request."""

    #: sha256 of the body
    hash: str
    #: its key in the archive
    key: str
    validators: Validators
    content_type: str | None
    #: X-Robots-Tag, one line each
    robots_tag: str | None
    #: what its content may be used for, one line each (see rules.usage)
    usage: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisitState:
    """The revisit state of a linked page: how often it seems to change, and its revisit delay."""

    #: about changes per plain hour, not felt ones; None before the second visit
    belief: Belief | None = None
    #: not fetched before this just because it is linked; None when no visit has decided yet
    until: datetime | None = None
    #: times in a row that it was missing
    missing_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the fetch phase needs to know about a page."""

    id: int
    source_id: int
    run_id: int
    host_id: int
    url: str
    depth: int
    role: PageRole
    #: redirects that led here within this run
    hops: int = 0
    #: page retries used in this run
    retry_count: int = 0
    #: page retries it may have; None uses the installation's default
    max_retries: int | None = None
    #: the body as last fetched, by this source or another that knows the same URL; None before the first time
    body: HeldBody | None = None
    #: whether that body was fully parsed for this source; only then may "unchanged" mean "nothing to do"
    was_read: bool = False
    #: what the page said when it was last read, as a hash; None for what is no HTML
    seen_hash: str | None = None
    #: when that unchanged body is parsed again for its links; None when it has none to follow
    links_due_at: datetime | None = None
    fetched_at: datetime | None = None
