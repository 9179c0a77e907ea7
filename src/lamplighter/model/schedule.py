"""Parts of a schedule: policies, what was learnt about a source, windows of the week."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class PolicyName(StrEnum):
    """How the interval between runs is chosen."""

    FIXED = "fixed"
    YIELD_DAYS = "yield_days"
    HASH_BACKOFF = "hash_backoff"
    PRIORITY = "priority"
    LEARNED = "learned"


class OrganisationType(StrEnum):
    """The kind of publisher; each has a default interval."""

    UN = "un"
    INGO = "ingo"
    NGO = "ngo"
    ACADEMIC = "academic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """The belief about a change rate: a Gamma distribution of changes per hour, felt or plain."""

    #: shape: roughly, changes seen
    a: float
    #: hours: roughly, time observed
    b: float

    @property
    def rate(self) -> float:
        """Expected changes per hour."""
        return self.a / self.b


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What was learnt about how often a page changes; a few numbers, however long it is observed."""

    belief: Belief
    #: what was believed before the second visit; None: what its interval alone tells
    prior: Belief | None = None
    #: whether the beliefs are about felt hours or about plain ones (see `rules.change.recency`)
    is_felt: bool = True
    #: for neighbours: changes seen, and the hours observed as the beliefs count them
    evidence_changes: float = 0.0
    evidence_hours: float = 0.0
    #: probability, from announcements, that it has changed since the last visit
    signal: float = 0.0
    #: evidence that it now changes far more often, and far less often, than believed
    rise: float = 0.0
    fall: float = 0.0
    visit_count: int = 0
    #: visits that found a change
    change_count: int = 0
    visited_at: datetime | None = None
    #: when it last changed: its own date, else the middle between two visits, else assumed to be long ago
    changed_at: datetime | None = None
    #: about the last month, decaying: hours observed, hours our copy was expected to be stale, hours it was stale
    watched_hours: float = 0.0
    expected_stale_hours: float = 0.0
    seen_stale_hours: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalBounds:
    """The least and the most time between two runs."""

    least: timedelta
    most: timedelta


class WindowKind(StrEnum):
    """What a window does."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of the week, in the local time of a zone."""

    kind: WindowKind
    #: Monday is 0; the day on which the window begins
    days: frozenset[int]
    #: minutes after midnight; an end before the start lies on the next day
    start: int
    end: int
    #: IANA name
    zone: str
