"""The records of a source and their changes."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from fastapi import Query, Response

from lamplighter.model.record_search import Presence, RecordFilter, RecordOrder, SortKey
from lamplighter.operations.records import record_search
from lamplighter.operations.sources import source_changes
from lamplighter.operations.sources.source_changes import STATE, RecordChange
from lamplighter.rules.change.differences import as_text
from lamplighter.rules.records import search_query
from lamplighter.store.records import sightings
from lamplighter.store.sources.source_changes import MOST_COUNTED, MOST_LINES
from lamplighter.web.dashboard.page_request import ThisRequest
from lamplighter.web.dashboard.pages import diff_view
from lamplighter.web.dashboard.pages.diff_view import VIEWS, DiffView
from lamplighter.web.dashboard.records.record_lines import brief_columns_for, only_kind
from lamplighter.web.dashboard.sources.source_head import head_of, source_page
from lamplighter.web.routes import Pages
from lamplighter.web.values import Line, Offset

ROUTES = Pages()
_SHOWN_CHANGES = 25
SHOWN_RECORDS = 50
#: how far back changes are counted
_PERIODS = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
_USUAL_PERIOD = "7d"


class FieldDiff(NamedTuple):
    """The diff of one field of a record."""

    name: str
    diff: DiffView


class ShownChange(NamedTuple):
    """A change of a record with the diffs of its fields."""

    change: RecordChange
    fields: list[FieldDiff]


@ROUTES.get("/sources/{source_id}/changes")
async def changes(
    source_id: UUID,
    request: ThisRequest,
    view: str = "",
    period: str = _USUAL_PERIOD,
    run: Line | None = None,
    offset: Offset = 0,
) -> Response:
    """The record changes of a source, newest first."""
    head = await head_of(request, source_id)
    period = period if period in _PERIODS else _USUAL_PERIOD
    async with request.view.db.read() as db:
        finds = await source_changes.counts(db, head.source.id, since=request.now - _PERIODS[period])
        found = await source_changes.latest(db, head.source.id, run=run or None, limit=_SHOWN_CHANGES, offset=offset)
    chosen = diff_view.view_of(view)
    # Comparing long values is slow: a thread keeps the event loop free.
    shown = await asyncio.to_thread(_all_shown, found.changes, chosen)
    return source_page(
        request,
        "sources/changes/changes.html",
        head=head,
        finds=finds,
        periods=tuple(_PERIODS),
        period=period,
        changes=shown,
        views=VIEWS,
        view=chosen,
        run=run or "",
        offset=offset,
        limit=_SHOWN_CHANGES,
        total=found.total,
        is_whole=found.is_whole,
        most_lines=MOST_LINES,
        most_counted=MOST_COUNTED,
    )


@ROUTES.get("/sources/{source_id}/records")
async def records_found(
    source_id: UUID,
    request: ThisRequest,
    search: Annotated[str, Query(max_length=300)] = "",
    presence: str = Presence.PRESENT,
    offset: Offset = 0,
) -> Response:
    """The records of a source, newest first."""
    head = await head_of(request, source_id)
    which = Presence(presence) if presence in set(Presence) else Presence.PRESENT
    wanted = RecordFilter(source_id=str(head.source.public_id), presence=which, text=search_query.parse(search.strip()))
    order = RecordOrder(by=SortKey.FIRST_SEEN, descending=True, limit=SHOWN_RECORDS, offset=offset)
    found = await record_search.search_with(request.view.db, request.view.search.finder, wanted, order)
    shown: dict[str, Any] = {"offset": offset, "limit": SHOWN_RECORDS, "total": found.total}
    async with request.view.db.read() as db:
        shown["found_first"] = await sightings.found_first(db, head.source.id) if not found.records else []
    return source_page(
        request,
        "sources/changes/records.html",
        head=head,
        records=[_with_times(record) for record in found.records],
        columns=brief_columns_for(only_kind(found.records)),
        search=search,
        presence=which,
        presences=tuple(Presence),
        **shown,
    )


def _with_times(record: dict[str, Any]) -> dict[str, Any]:
    """A record with parsed times."""
    times = {name: record[name] for name in ("first_seen_at", "gone_at")}
    return record | {name: datetime.fromisoformat(text) if text else None for name, text in times.items()}


def _all_shown(changes: Sequence[RecordChange], view: str) -> list[ShownChange]:
    return [_shown(change, view) for change in changes]


def _shown(change: RecordChange, view: str) -> ShownChange:
    fields = [
        FieldDiff(
            each.field.removeprefix("fields."), diff_view.of_value(as_text(each.before), as_text(each.after), view=view)
        )
        for each in change.fields
        if each.field != STATE
    ]
    return ShownChange(change, fields)
