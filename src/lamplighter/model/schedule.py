"""What a schedule is made of: policies, what was learnt of a source, windows of the week."""

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
    """Who publishes; each has a usual rhythm."""

    UN = "un"
    INGO = "ingo"
    NGO = "ngo"
    ACADEMIC = "academic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """What we believe of a change rate: a Gamma distribution, of changes per felt hour (see `rules.recency`)."""

    #: shape: roughly, changes seen
    a: float
    #: felt hours: roughly, time watched
    b: float

    @property
    def rate(self) -> float:
        """Expected changes per felt hour."""
        return self.a / self.b


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What visits taught about how often something changes; a handful of numbers, however long it is watched."""

    belief: Belief
    #: probability, from announcements, that it has changed since the last visit
    signal: float = 0.0
    #: evidence gathered that it now changes far more often, and far more seldom, than believed
    rise: float = 0.0
    fall: float = 0.0
    visit_count: int = 0
    #: of the visits, those that found a change
    change_count: int = 0
    visited_at: datetime | None = None
    #: when it last changed: as it says itself, else in the middle between two visits, else assumed to be long ago
    changed_at: datetime | None = None
    #: the last month or so, fading: hours watched, hours our copy was expected to be stale, hours it was
    watched_hours: float = 0.0
    expected_stale_hours: float = 0.0
    seen_stale_hours: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The least and the most time between two runs."""

    least: timedelta
    most: timedelta


class WindowKind(StrEnum):
    """What a window does."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of the week, on the clocks of a place."""

    kind: WindowKind
    #: Monday is 0; the day on which it begins
    days: frozenset[int]
    #: minutes after midnight; an end before the start lies on the next day
    start: int
    end: int
    #: IANA name
    zone: str
