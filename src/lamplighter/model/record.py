"""Records: raw findings with their evidence, and the clean record made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from lamplighter.model.fields import compact


class RecordKind(StrEnum):
    """What a record is about."""

    JOB = "job"
    ARTICLE = "article"
    PRODUCT = "product"
    OTHER = "other"


class Method(StrEnum):
    """The rung of the extraction ladder on which a value was found."""

    RECIPE = "recipe"  # the source's own recipe
    JSONLD = "jsonld"
    MICRODATA = "microdata"
    RDFA = "rdfa"
    FEED = "feed"
    META = "meta"  # OpenGraph and other head elements
    STATE = "state"  # JSON that the page's scripts start from
    API = "api"  # a JSON response parsed without a recipe
    LISTING = "listing"  # a repeated region of the page
    LABELS = "labels"  # headings, labelled values, definition lists of a detail page
    ARTICLE = "article"  # the running text
    HTML = "html"  # the address of the page itself
    SOURCE = "source"  # what is known of the source


#: a record that is less sure than this to be there at all is a guess
LEAST_CONFIDENCE = 0.5
#: the fields that name a record: as sure as the surest of them, it is there
_NAMING = ("title", "url", "guid")


class Finding(NamedTuple):
    """One value with its evidence."""

    value: Any
    method: Method
    #: 0-1, how reliable this evidence is
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRecord:
    """A record found on a page, as the page wrote it."""

    kind: RecordKind
    #: title, url, organisation, location, country, deadline, published_at, updated_at, description, language, tags,
    #: guid, and kind-specific names: level, career_type, work_modality, salary, apply_url; price, currency,
    #: availability, brand, sku, category, rating, review_count; author, section, text; image, images. All as the page
    #: wrote them
    fields: Mapping[str, Finding]


@compact
@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A clean record: a job posting, an article, a product."""

    kind: RecordKind
    #: the record's own page, or the page it was found on
    url: str
    #: identity: equal for the same thing seen again, whatever else changed
    canonical_hash: str
    #: equal while no visible content has changed
    content_hash: str
    title: str
    organisation: str | None = None
    location_raw: str | None = None
    country_iso: str | None = None
    deadline: date | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    #: when it expires according to its page; None for never
    expires_at: datetime | None = None
    description: str | None = None
    language: str | None = None
    tags: tuple[str, ...] = ()
    #: kind-specific values, JSON-ready
    fields: Mapping[str, Any] = field(default_factory=dict)
    #: 0-1, how complete the record is
    quality: float = 0.0
    #: field -> [method, confidence]
    provenance: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    @property
    def confidence(self) -> float:
        """0-1, how sure it is that the page has this record: as sure as what names it."""
        return max((self.provenance[name][1] for name in _NAMING if name in self.provenance), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedRecord:
    """A raw record that was not kept, and why: nothing is dropped silently."""

    reason: str
    #: None when it had none
    title: str | None = None
    #: the record as it would be, if only doubt keeps it out
    guess: Record | None = None
