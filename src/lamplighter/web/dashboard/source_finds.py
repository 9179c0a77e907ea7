"""What a source has brought: how its records changed, and which there are."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from fastapi import Query, Response

from lamplighter.model.record_search import Order, Presence, RecordFilter, SortKey
from lamplighter.operations import record_search, source_changes
from lamplighter.operations.source_changes import STATE, RecordChange
from lamplighter.rules import search_query
from lamplighter.rules.differences import as_text
from lamplighter.store.source_finds import MOST_COUNTED, MOST_LINES
from lamplighter.web.api.paging import DEEPEST
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard import diff_view
from lamplighter.web.dashboard.diff_view import VIEWS, DiffView
from lamplighter.web.dashboard.record_lines import brief_columns_for, only_kind
from lamplighter.web.dashboard.source_head import head_of, source_page
from lamplighter.web.dashboard.visit import Visiting

ROUTES = Routes("", tag="dashboard")
_SHOWN_CHANGES = 25
_SHOWN_RECORDS = 50
#: how far back changes are counted
_PERIODS = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
_USUAL_PERIOD = "7d"

Offset = Annotated[int, Query(ge=0, le=DEEPEST)]


class FieldDiff(NamedTuple):
    """One field of a record that reads differently."""

    name: str
    diff: DiffView


class ShownChange(NamedTuple):
    """A change with its fields ready to be looked at."""

    change: RecordChange
    fields: list[FieldDiff]


@ROUTES.get("/sources/{source_id}/changes", include_in_schema=False)
async def changes(
    source_id: UUID,
    visit: Visiting,
    view: str = "",
    period: str = _USUAL_PERIOD,
    run: Line | None = None,
    offset: Offset = 0,
) -> Response:
    """How the records of a source changed, field by field, the latest change first."""
    head = await head_of(visit, source_id)
    period = period if period in _PERIODS else _USUAL_PERIOD
    async with visit.view.db.read() as db:
        finds = await source_changes.counts(db, head.source.id, since=visit.now - _PERIODS[period])
        found = await source_changes.latest(db, head.source.id, run=run or None, limit=_SHOWN_CHANGES, offset=offset)
    chosen = diff_view.view_of(view)
    # Long values take a moment to compare: others are answered meanwhile.
    shown = await asyncio.to_thread(_all_shown, found.changes, chosen)
    return source_page(
        visit,
        "finds/changes.html",
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


@ROUTES.get("/sources/{source_id}/records", include_in_schema=False)
async def records_found(
    source_id: UUID,
    visit: Visiting,
    search: Annotated[str, Query(max_length=300)] = "",
    presence: str = Presence.PRESENT,
    offset: Offset = 0,
) -> Response:
    """The records of a source, the newest first."""
    head = await head_of(visit, source_id)
    which = Presence(presence) if presence in set(Presence) else Presence.PRESENT
    wanted = RecordFilter(source_id=str(head.source.public_id), presence=which, text=search_query.parse(search.strip()))
    order = Order(by=SortKey.FIRST_SEEN, descending=True, limit=_SHOWN_RECORDS, offset=offset)
    found = await record_search.search_with(visit.view.db, visit.view.finder, wanted, order)
    shown: dict[str, Any] = {"offset": offset, "limit": _SHOWN_RECORDS, "total": found.total}
    async with visit.view.db.read() as db:
        shown["found_first"] = await source_changes.found_first(db, head.source.id) if not found.records else []
    return source_page(
        visit,
        "finds/records.html",
        head=head,
        records=[_with_times(record) for record in found.records],
        columns=brief_columns_for(only_kind(found.records)),
        search=search,
        presence=which,
        presences=tuple(Presence),
        **shown,
    )


def _with_times(record: dict[str, Any]) -> dict[str, Any]:
    """A record in its JSON form whose times are times again."""
    times = {name: record[name] for name in ("first_seen_at", "gone_at")}
    return record | {name: datetime.fromisoformat(text) if text else None for name, text in times.items()}


def _all_shown(changes: Sequence[RecordChange], view: str) -> list[ShownChange]:
    return [_shown(change, view) for change in changes]


def _shown(change: RecordChange, view: str) -> ShownChange:
    fields = [
        FieldDiff(
            each.field.removeprefix("fields."),
            diff_view.of_value(as_text(each.before), as_text(each.after), view=view),
        )
        for each in change.fields
        if each.field != STATE
    ]
    return ShownChange(change, fields)
