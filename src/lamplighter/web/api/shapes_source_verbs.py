"""Models that both source APIs share: filters, bulk actions, imports and other actions."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, Strict

from lamplighter.model.schedule import OrganisationType
from lamplighter.model.source import SourceStatus
from lamplighter.operations.sources.source_bulk import MOST_IDS, BulkAction, BulkOrder
from lamplighter.operations.sources.source_import import ImportReport, RowStatus
from lamplighter.operations.sources.source_input import LONGEST_NAME
from lamplighter.operations.sources.source_list import priorities
from lamplighter.operations.sources.source_words import priority_number
from lamplighter.store.sources.source_lists import SourceFilter
from lamplighter.web.api.envelope import taken_from
from lamplighter.web.values import Given, Line, Text

PriorityName = Literal["low", "normal", "high", "critical"]
Priority = PriorityName | Annotated[int, Strict(), Field(ge=0, le=100)]
Kind = Literal["auto", "job", "article", "product", "other"]
Minutes = Annotated[float, Field(ge=1, le=527_040, allow_inf_nan=False)]
Url = Annotated[Line, Field(min_length=1, max_length=4096)]
Tag = Annotated[Line, Field(min_length=1, max_length=100)]
Reason = Annotated[Text, Field(max_length=1000)]


class ToggleIn(Given):
    """Reason, and actor."""

    reason: Reason | None = None
    toggled_by: Annotated[Line, Field(max_length=200)] | None = None
    disabled_by: Annotated[Line, Field(max_length=200)] | None = Field(
        default=None, description="Another word for toggled_by."
    )

    @property
    def by(self) -> str | None:
        """The actor."""
        return self.toggled_by or self.disabled_by


class CloneIn(Given):
    """The URL and name of a clone."""

    url: Url
    name: Annotated[Line, Field(max_length=LONGEST_NAME)] | None = None


class SimulateIn(Given):
    """A recipe to try instead of the stored one."""

    recipe: dict[str, Any] | None = None


class SourceFilterIn(Given):
    """A filter."""

    search: Annotated[Line, Field(max_length=200, description="Part of the name or the URL.")] | None = None
    status: SourceStatus | None = None
    enabled: bool | None = None
    priority: PriorityName | Annotated[int, Field(ge=0, le=100)] | None = None
    kind: Kind | None = None
    tag: Tag | None = None
    host: Annotated[Line, Field(max_length=300)] | None = None
    organisation_type: OrganisationType | None = None
    has_failures: bool | None = None
    deleted: bool = Field(default=False, description="Those that were deleted, instead of those that were not.")

    def which(self) -> SourceFilter:
        """The source filter."""
        least, most = priorities(self.priority) if self.priority is not None else (None, None)
        same = ("search", "status", "enabled", "kind", "tag", "host", "organisation_type", "has_failures", "deleted")
        return SourceFilter(least_priority=least, most_priority=most, **{name: getattr(self, name) for name in same})


class SourceBulkIn(Given):
    """One action for many sources: those named, or all that match a filter."""

    action: BulkAction
    ids: Annotated[list[UUID], Field(max_length=MOST_IDS)] | None = None
    filter: SourceFilterIn | None = None
    preview: bool = Field(default=False, description="Only say how many it would concern.")
    tag: Tag | None = None
    priority: Priority | None = None
    reason: Reason | None = None
    toggled_by: Annotated[Line, Field(max_length=200)] | None = None

    def order(self) -> BulkOrder:
        """The bulk order."""
        return BulkOrder(
            action=self.action,
            ids=[str(public_id) for public_id in self.ids] if self.ids is not None else None,
            which=self.filter.which() if self.filter is not None else None,
            tag=self.tag or "",
            priority=priority_number(self.priority) if self.priority is not None else None,
        )


class ImpactOut(BaseModel):
    """Counts of source data."""

    pages: int
    records: int
    runs: int


class SourceDeletedOut(BaseModel):
    """A deleted source, and how much it has."""

    id: UUID
    status: SourceStatus = SourceStatus.DELETED
    impact: ImpactOut


class RefusalOut(BaseModel):
    """A source that was refused, and why."""

    id: str
    code: str = Field(examples=["source_deleted"])
    message: str


class SourceBulkOut(BaseModel):
    """The result of a bulk action."""

    action: BulkAction
    preview: bool
    matched: int
    changed: int
    unchanged: int
    failed: int = taken_from("refused")
    errors: list[RefusalOut] = taken_from("refusals")


class RowOut(BaseModel):
    """The result for one row of a file."""

    line: int
    status: RowStatus
    url: str | None
    id: str | None
    field: str | None = Field(examples=["priority"])
    value: str | None = Field(examples=["urgent"])
    message: str | None = Field(examples=["priority 'urgent' is unknown; use low, normal, high, critical, or 0 to 100"])


class ImportOut(BaseModel):
    """An import result."""

    dry_run: bool
    total: int
    created: int
    valid: int
    duplicates: int = taken_from("duplicate")
    invalid: int
    rows: list[RowOut]


def import_out(report: ImportReport) -> dict[str, Any]:
    """An import result."""
    counts = {str(status): report.count(status) for status in RowStatus}
    return counts | {"dry_run": report.dry_run, "total": len(report.rows), "rows": report.rows}
