"""Records as requests ask for them, and as answers show them."""

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import Order, Presence, RecordFilter, SortKey
from lamplighter.operations.record_export import Format
from lamplighter.rules import search_query
from lamplighter.web.api.paging import DEEPEST, MOST
from lamplighter.web.api.values import Line, Moment, Text

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_Word = Annotated[Line, Field(min_length=1, max_length=300)]
_Amount = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


def _from_midnight(value: Any) -> Any:
    return f"{value}T00:00:00Z" if isinstance(value, str) and _DAY.fullmatch(value) else value


#: a moment, or a day, which begins at midnight in UTC
_When = Annotated[Moment, BeforeValidator(_from_midnight)]


class RecordFilterIn(BaseModel):
    """Which records; what is not given is not asked for. `_after` means from then on, `_before` up to then."""

    model_config = ConfigDict(extra="forbid")

    #: not refused whatever it is: only its words are looked for
    q: str = Field("", max_length=500, description='Words, "phrases", -exclusions, prefixes*; any case or accent.')
    kind: RecordKind | None = None
    source_id: UUID | None = None
    host: _Word | None = Field(None, description="The host that the source is at.")
    tag: _Word | None = Field(None, description="A tag of the source.")
    country: Annotated[str, Field(pattern="^[A-Za-z]{2}$")] | None = None
    language: Annotated[str, Field(pattern="^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=20)] | None = None
    organisation: _Word | None = None
    state: Presence = Presence.PRESENT
    published_after: _When | None = None
    published_before: _When | None = None
    first_seen_after: _When | None = None
    first_seen_before: _When | None = None
    changed_after: _When | None = None
    deadline_after: date | None = None
    deadline_before: date | None = None
    level: _Word | None = None
    modality: _Word | None = None
    career_type: _Word | None = None
    mission_tag: _Word | None = None
    international_eligible: bool | None = None
    price_min: _Amount | None = None
    price_max: _Amount | None = None
    currency: Annotated[str, Field(pattern="^[A-Za-z]{3}$")] | None = None
    availability: _Word | None = None
    brand: _Word | None = None

    def wanted(self) -> RecordFilter:
        """The filter that this asks for."""
        given = {name: getattr(self, name) for name in RecordFilterIn.model_fields}
        text, presence, source_id = given.pop("q"), given.pop("state"), given.pop("source_id")
        return RecordFilter(
            text=search_query.parse(text),
            presence=presence,
            source_id=str(source_id) if source_id is not None else None,
            **given,
        )


class RecordListIn(RecordFilterIn):
    """A page of records."""

    sort: Literal["relevance", "first_seen", "published", "deadline", "title", "price"] | None = Field(
        None, description="By relevance when words are given, else by first_seen."
    )
    order: Literal["asc", "desc"] = "desc"
    limit: int = Field(50, ge=1, le=MOST)
    offset: int = Field(0, ge=0, le=DEEPEST)
    highlight: bool = Field(False, description="With the finds between <mark> and </mark>, all else escaped as HTML.")
    facets: str = Field("", max_length=200, description="What to count by, with commas between.")

    def sorting(self) -> Order:
        """The order that this asks for."""
        by = SortKey(self.sort) if self.sort else SortKey.RELEVANCE if self.q else SortKey.FIRST_SEEN
        return Order(by=by, descending=self.order == "desc", limit=self.limit, offset=self.offset)

    def counted_by(self) -> list[str]:
        """The facets that this asks for."""
        return [name.strip() for name in self.facets.split(",") if name.strip()]


class RecordExportIn(RecordFilterIn):
    """A file of records."""

    format: Format = Format.CSV


class RemovalIn(BaseModel):
    """Why a record is removed."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[Text, Field(min_length=1, max_length=2000)]


class Evidence(BaseModel):
    """How a value was found."""

    method: str
    confidence: float


class Highlight(BaseModel):
    """The finds in a record's texts, as HTML."""

    title: str
    description: str | None


class RecordOut(BaseModel):
    """A record."""

    id: UUID
    kind: RecordKind
    url: str
    source_id: UUID
    source_name: str
    canonical_hash: str
    title: str
    organisation: str | None
    location_raw: str | None
    country_iso: str | None
    deadline: date | None
    published_at: datetime | None
    updated_at: datetime | None
    description: str | None
    language: str | None
    tags: list[str]
    fields: dict[str, Any]
    quality: float
    provenance: dict[str, Evidence]
    first_seen_at: datetime
    last_seen_at: datetime
    gone_at: datetime | None
    state: Literal["present", "gone"]


class FoundRecord(RecordOut):
    """A record in a list."""

    #: how well it matches, when records are sorted by that
    score: float | None
    #: None unless it was asked for
    highlight: Highlight | None = None


class FacetValue(BaseModel):
    """How many records have a value."""

    value: str
    #: what a source is called
    label: str | None = None
    count: int


class RecordListOut(BaseModel):
    """A page of records, and how many there are in all."""

    records: list[FoundRecord]
    total: int
    limit: int
    offset: int
    facets: dict[str, list[FacetValue]]
    #: who found them: the search server, or the database when there is none, it is away or cannot say it
    engine: str


class ChangeOut(BaseModel):
    """One field that changed."""

    at: datetime
    field: str
    before: Any
    after: Any


class HistoryOut(BaseModel):
    """How a record changed, the latest change first."""

    history: list[ChangeOut]


class ShownOn(BaseModel):
    """A page that shows a record."""

    url: str
    is_own: bool
    since: datetime


class RecordDetailOut(RecordOut):
    """A record with all that is known of it."""

    revision: int
    expires_at: datetime | None
    told_by: str | None
    shown_on: list[ShownOn]
    history: list[ChangeOut]


class TombstoneOut(BaseModel):
    """What keeps a record from being stored again, or did."""

    canonical_hash: str
    title: str
    reason: str
