"""Request and response models of records."""

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.model.record import RecordKind
from lamplighter.model.record_search import RecordOrder, SortKey
from lamplighter.operations.records.record_export import ExportFormat
from lamplighter.rules.formats.typed_text import DEEPEST
from lamplighter.web.record_filter import RecordFilterIn
from lamplighter.web.values import MOST


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

    def sorting(self) -> RecordOrder:
        """The order of the list."""
        by = SortKey(self.sort) if self.sort else SortKey.RELEVANCE if self.q else SortKey.FIRST_SEEN
        return RecordOrder(by=by, descending=self.order == "desc", limit=self.limit, offset=self.offset)

    def counted_by(self) -> list[str]:
        """The facets to count."""
        return [name.strip() for name in self.facets.split(",") if name.strip()]


class RecordExportIn(RecordFilterIn):
    """A file of records."""

    format: ExportFormat = ExportFormat.CSV


class FieldEvidence(BaseModel):
    """A value's provenance."""

    method: str = Field(examples=["jsonld"])
    confidence: float = Field(examples=[0.95])


class Highlight(BaseModel):
    """Matches in a record's texts, as HTML."""

    title: str = Field(examples=["<mark>Water</mark> engineer"])
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
    country_iso: str | None = Field(examples=["KE"])
    deadline: date | None
    published_at: datetime | None
    updated_at: datetime | None
    description: str | None
    language: str | None = Field(examples=["en"])
    tags: list[str]
    fields: dict[str, Any] = Field(examples=[{"level_norm": "mid", "work_modality": "onsite"}])
    quality: float
    provenance: dict[str, FieldEvidence]
    first_seen_at: datetime
    last_seen_at: datetime
    gone_at: datetime | None
    state: Literal["present", "gone"]


class FoundRecord(RecordOut):
    """A record in a list."""

    #: how well it matches, when sorted by relevance
    score: float | None
    #: None unless requested
    highlight: Highlight | None = None


class FacetValue(BaseModel):
    """How many records have a value."""

    value: str
    #: the name of a source
    label: str | None = None
    count: int


class RecordListOut(BaseModel):
    """A page of records, and the total."""

    records: list[FoundRecord]
    total: int
    limit: int
    offset: int
    facets: dict[str, list[FacetValue]] = Field(examples=[{"country": [{"value": "KE", "label": None, "count": 1}]}])
    #: what searched: the search server, or the database when there is none, it is down or lacks the feature
    engine: str = Field(examples=["database"])


class ChangeOut(BaseModel):
    """One field that changed."""

    at: datetime
    field: str = Field(examples=["deadline"])
    before: Any = Field(examples=["2026-05-15"])
    after: Any = Field(examples=["2026-05-31"])


class HistoryOut(BaseModel):
    """A record's changes, the latest first."""

    history: list[ChangeOut]


class ShownOn(BaseModel):
    """A page that shows a record."""

    url: str
    is_own: bool
    since: datetime


class RecordDetailOut(RecordOut):
    """A record with all its fields."""

    revision: int
    expires_at: datetime | None
    told_by: str | None
    shown_on: list[ShownOn]
    history: list[ChangeOut]


class TombstoneOut(BaseModel):
    """A tombstone, present or removed."""

    canonical_hash: str
    title: str
    reason: str
