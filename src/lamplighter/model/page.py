"""A page: one URL we know of a source, and where it stands."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lamplighter.model.reading import Role
from lamplighter.model.schedule import Belief
from lamplighter.model.visit import Validators


class Phase(StrEnum):
    """Where a page stands. Only the durable phases are ever written.

    What is in flight is derived from leases: a pending page of a leased host is queued or crawling, a downloaded page
    under a parse lease is queued_parse or parsing. A crash therefore needs no repair.
    """

    #: submitted, and not yet in a run
    WAITING = "waiting"
    PENDING = "pending"
    DOWNLOADED = "downloaded"
    COMPLETED = "completed"
    FAILED = "failed"
    PAUSED = "paused"
    CANCELLED = "cancelled"


class Stage(StrEnum):
    """Where a page stands as people see it: its phase, and what leases tell of it."""

    WAITING = "waiting"
    PENDING = "pending"
    #: its host is being asked, and other pages come first
    QUEUED = "queued"
    #: its host is being asked, and it comes first
    CRAWLING = "crawling"
    DOWNLOADED = "downloaded"
    #: a reader has it, or is about to
    PARSING = "parsing"
    COMPLETED = "completed"
    FAILED = "failed"
    PAUSED = "paused"
    CANCELLED = "cancelled"


#: why a paused page was paused: what is to be done when it is resumed
PAUSED_UNASKED, PAUSED_UNREAD = "paused_unasked", "paused_unread"
#: why a discovered link is left alone: somebody said that it leads nowhere
IGNORED = "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBody:
    """A body we have, with the validators that came with it: enough to ask "has it changed?"."""

    #: sha256 of the body
    hash: str
    #: where the archive keeps it
    key: str
    validators: Validators
    content_type: str | None
    #: X-Robots-Tag, one line each
    robots_tag: str | None
    #: what its content may be used for, one line each (see rules.usage)
    usage: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What visits left behind of a linked page: how often it seems to change, and how long it is left alone."""

    #: of changes per plain hour, not felt ones; None before the second visit
    belief: Belief | None = None
    #: not asked for before this just because it is linked; None when no visit has said yet
    until: datetime | None = None
    #: times in a row that it was not there
    missing_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the fetch phase needs to know of a page."""

    id: int
    source_id: int
    run_id: int
    host_id: int
    url: str
    depth: int
    role: Role
    #: redirects that led here within this run
    hops: int = 0
    #: page retries used in this run
    retry_count: int = 0
    #: page retries it may have; None leaves it to the installation
    max_retries: int | None = None
    #: the body as last fetched, by this source or another that knows the same URL; None before the first time
    body: HeldBody | None = None
    #: whether that body was read to the end for this source; only then may "unchanged" mean "nothing to do"
    was_read: bool = False
    #: when that body is read again for the sake of its links, unchanged as it is; None when it leads nowhere
    links_due_at: datetime | None = None
    fetched_at: datetime | None = None
