"""Routes and models that both source APIs share; each API shows a source in its own model."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field, Strict

from lamplighter.model.access import Role
from lamplighter.model.crawl import SourceState
from lamplighter.model.schedule import OrganisationType
from lamplighter.model.source import SourceStatus
from lamplighter.operations.sources import source_bulk, source_states
from lamplighter.operations.sources.source_bulk import MOST_IDS, BulkAction, BulkOrder
from lamplighter.operations.sources.source_import import ImportReport, RowStatus
from lamplighter.operations.sources.source_input import LONGEST_NAME, MOST_PAGES
from lamplighter.operations.sources.source_words import priorities, priority_number
from lamplighter.store.sources.source_lists import SourceFilter
from lamplighter.web import source_verbs
from lamplighter.web.api.envelope import taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.source_verbs import Work
from lamplighter.web.values import Given, Line, Text
from lamplighter.web.view import Asking, ServiceView, View

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
    health: SourceState | None = None
    enabled: bool | None = None
    priority: PriorityName | Annotated[int, Field(ge=0, le=100)] | None = None
    kind: Kind | None = None
    tag: Tag | None = None
    host: Annotated[Line, Field(max_length=300)] | None = None
    organisation_type: OrganisationType | None = None
    has_failures: bool | None = None
    deleted: bool = Field(default=False, description="Those that were deleted, instead of those that were not.")

    def which(self, now: datetime) -> SourceFilter:
        """The source filter, for this time."""
        least, most = priorities(self.priority) if self.priority is not None else (None, None)
        same = ("search", "status", "enabled", "kind", "tag", "host", "organisation_type", "has_failures", "deleted")
        same_values = {name: getattr(self, name) for name in same}
        return SourceFilter(least_priority=least, most_priority=most, state=self.health, at=now, **same_values)


class SourceBulkIn(Given):
    """One action for many sources: those named, or all that match a filter."""

    action: BulkAction
    ids: Annotated[list[UUID], Field(max_length=MOST_IDS)] | None = None
    filter: SourceFilterIn | None = None
    preview: bool = Field(default=False, description="Only say how many it would concern.")
    tag: Tag | None = None
    priority: Priority | None = None
    max_pages: Annotated[int, Field(ge=1, le=MOST_PAGES)] | None = None
    reason: Reason | None = None
    toggled_by: Annotated[Line, Field(max_length=200)] | None = None

    def order(self, now: datetime) -> BulkOrder:
        """The bulk order, for this time."""
        return BulkOrder(
            action=self.action,
            ids=[str(public_id) for public_id in self.ids] if self.ids is not None else None,
            which=self.filter.which(now) if self.filter is not None else None,
            tag=self.tag or "",
            priority=priority_number(self.priority) if self.priority is not None else None,
            max_pages=self.max_pages,
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


def declare(routes: Routes, shape: type[BaseModel]) -> None:
    """Adds the routes to an API; `shape` is its source model."""
    changed: dict[str, Any] = {"errors": (409,), "response_model": shape}
    routes.post("/bulk", response_model=SourceBulkOut)(bulk)
    routes.get("/{source_id}", response_model=shape)(show)
    routes.delete("/{source_id}", errors=(409,), response_model=SourceDeletedOut)(delete)
    routes.delete("/{source_id}/permanent", role=Role.ADMIN, response_model=SourceDeletedOut)(purge)
    routes.post("/{source_id}/enable", **changed)(enable)
    routes.post("/{source_id}/disable", **changed)(disable)
    routes.post("/{source_id}/restore", **changed)(restore)
    routes.post("/{source_id}/clone", status=201, **changed)(clone)


async def bulk(view: View, caller: Asking, body: SourceBulkIn) -> Any:
    """Applies one action to many sources: by ids, or by a filter."""
    order = body.order(view.clock.now())
    if body.preview:
        report = await source_bulk.preview(view.db, order)
    else:
        context = source_verbs.change_context(view, caller, reason=body.reason, by=body.toggled_by)
        report = await source_verbs.bulk(view, order, context)
    return asdict(report) | {"action": body.action, "preview": body.preview}


async def show(source_id: UUID, view: View) -> Any:
    """One source, deleted or not."""
    return await source_verbs.show(view, source_id)


async def delete(source_id: UUID, view: View, caller: Asking) -> Any:
    """Hides a source and cancels its job; its data stays until it is purged."""
    context = source_verbs.change_context(view, caller)
    return {"id": source_id, "impact": await source_verbs.delete(view, source_id, context)}


async def purge(source_id: UUID, view: View, caller: Asking) -> Any:
    """Removes a source and all of its data for good."""
    return {"id": source_id, "impact": await source_verbs.purge(view, caller, source_id)}


async def enable(source_id: UUID, view: View, caller: Asking, body: ToggleIn | None = None) -> Any:
    """Enables crawling of a source."""
    return await do(view, caller, source_id, source_states.enable, body)


async def disable(source_id: UUID, view: View, caller: Asking, body: ToggleIn | None = None) -> Any:
    """Disables a source until it is enabled; its current run ends."""
    return await do(view, caller, source_id, source_states.disable, body)


async def restore(source_id: UUID, view: View, caller: Asking) -> Any:
    """Restores a deleted source."""
    return await do(view, caller, source_id, source_states.restore)


async def clone(source_id: UUID, view: View, caller: Asking, body: CloneIn) -> Any:
    """Clones a source for another URL."""
    return await source_verbs.clone(view, caller, source_id, url=body.url, name=body.name)


async def simulate_extract(source_id: UUID, view: View, caller: Asking, body: SimulateIn | None = None) -> Any:
    """Extracts records from the source's page, by its own or another recipe; stores nothing."""
    return await source_verbs.simulate(view, caller, source_id, body.recipe if body is not None else None)


async def do(view: ServiceView, caller: Asking, source_id: UUID, work: Work, said: ToggleIn | None = None) -> Any:
    """Applies an action to a source, for the caller's reason."""
    reason, by = (said.reason, said.by) if said is not None else (None, None)
    return await source_verbs.do(view, source_id, work, source_verbs.change_context(view, caller, reason=reason, by=by))
