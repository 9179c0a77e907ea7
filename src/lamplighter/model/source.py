"""A source: how it stands, in one word."""

from enum import StrEnum


class SourceStatus(StrEnum):
    """Whether a source is crawled, and if not, who stopped it."""

    ACTIVE = "active"
    #: by a person, or by failing again and again
    PAUSED = "paused"
    #: by its robots.txt or a takedown
    BLOCKED = "blocked"
    DELETED = "deleted"
