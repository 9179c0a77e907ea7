"""Record searches: filters, text queries, order and results; and change sets: what each run changed."""

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

from lamplighter.model.record import RecordKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One search term: a word, or several consecutive words."""

    #: in lower case, Latin letters without accents; only letters, digits and the marks of other scripts
    words: tuple[str, ...]
    #: whether the last word is a prefix
    is_prefix: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """All terms that a text must contain, and those that it must not contain."""

    wanted: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.wanted or self.unwanted)


class Presence(StrEnum):
    """Which records: present, gone or all."""

    PRESENT = "present"
    GONE = "gone"
    ALL = "all"


class SortKey(StrEnum):
    """The sort key of records; those without the value come last."""

    #: how well they match the text; the newest first when no text is given
    RELEVANCE = "relevance"
    FIRST_SEEN = "first_seen"
    PUBLISHED = "published"
    DEADLINE = "deadline"
    TITLE = "title"
    PRICE = "price"
    RATING = "rating"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """A filter of records; None does not filter. "after" is inclusive, "before" is exclusive."""

    text: TextQuery = field(default_factory=TextQuery)
    presence: Presence = Presence.PRESENT
    kind: RecordKind | None = None
    #: the public id of their source, or its URL
    source_id: str | None = None
    source_url: str | None = None
    #: a tag of their source
    tag: str | None = None
    #: the host of their source, by name or by id
    host: str | None = None
    host_id: int | None = None
    country: str | None = None
    #: "en" includes "en-GB"
    language: str | None = None
    organisation: str | None = None
    published_after: datetime | None = None
    published_before: datetime | None = None
    first_seen_after: datetime | None = None
    first_seen_before: datetime | None = None
    #: a field changed at this time or later
    changed_after: datetime | None = None
    deadline_after: date | None = None
    deadline_before: date | None = None
    level: str | None = None
    modality: str | None = None
    career_type: str | None = None
    mission_tag: str | None = None
    international_eligible: bool | None = None
    price_min: float | None = None
    price_max: float | None = None
    currency: str | None = None
    availability: str | None = None
    brand: str | None = None
    category: str | None = None
    rating_min: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOrder:
    """The order of results, and which part of them."""

    by: SortKey = SortKey.FIRST_SEEN
    descending: bool = True
    limit: int = 50
    offset: int = 0


class Hit(NamedTuple):
    """A record that was found."""

    id: int
    #: how well it matches, when results are sorted by that
    score: float | None


class Hits(NamedTuple):
    """One page of results, and the total."""

    page: list[Hit]
    total: int


class ChangeKind(StrEnum):
    """What became of a record."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"
    BACK = "back"


class ChangeCounts(NamedTuple):
    """How many records of a run are new, changed, gone, or there again."""

    new: int = 0
    changed: int = 0
    gone: int = 0
    back: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFilter:
    """Which change sets, and which of their records; None and no terms mean all."""

    #: a tag of the source
    tag: str | None = None
    #: public id of the source
    source_id: str | None = None
    kind: ChangeKind | None = None
    #: the record has one of these terms
    terms: tuple[Term, ...] = ()
    #: at this time or later
    since: datetime | None = None
    #: only this set
    set_id: int | None = None
    #: only sets that this reader has not read, or has starred
    unread_by: str | None = None
    starred_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """What one run changed."""

    id: int
    #: the public id and the name of the source
    source_id: str
    source_name: str
    #: the run, and its number among those of the source; None when it is deleted, or when pages asked for expiry
    run_id: str | None
    run_number: int | None
    at: datetime
    counts: ChangeCounts
    #: whether it is what the source's first complete run found
    is_baseline: bool
    is_read: bool
    is_starred: bool
