"""What changed over all sources, also as files and feeds for other programs."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import orjson
from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from lamplighter.model.record_search import ChangeFilter
from lamplighter.operations.records import change_stream
from lamplighter.operations.records.record_export import csv_lines
from lamplighter.rules.formats.feeds import FeedFormat
from lamplighter.store.engine.database import Database
from lamplighter.web.change_filter import ChangeFilterIn
from lamplighter.web.feed_response import feed_response
from lamplighter.web.routes import Routes
from lamplighter.web.values import BIGGEST
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/v1/changes", tag="records")
_MOST_SETS = 100
_MOST_RECORDS = 50


class ChangeListIn(ChangeFilterIn):
    """A part of the changes."""

    before: int | None = Field(None, ge=1, le=BIGGEST, description="The `next` of the part before.")
    limit: int = Field(25, ge=1, le=_MOST_SETS, description="How many runs at most.")
    records: int = Field(10, ge=0, le=_MOST_RECORDS, description="How many records of each run at most.")


class ChangeFileIn(ChangeFilterIn):
    """A file of changes."""

    format: Literal["csv", "jsonl"] = "csv"


class FieldChangeOut(BaseModel):
    """A changed field."""

    field: str = Field(examples=["fields.price"])
    before: Any
    after: Any


class ChangedRecordOut(BaseModel):
    """A record that is new, changed, gone or there again."""

    id: str
    change: str = Field(examples=["changed"])
    kind: str = Field(examples=["product"])
    title: str
    url: str
    fields: list[FieldChangeOut]


class ChangeSetOut(BaseModel):
    """What one run changed."""

    id: int
    at: str
    source_id: str
    source_name: str
    run_id: str | None
    is_baseline: bool
    is_read: bool
    is_starred: bool
    new: int
    changed: int
    gone: int
    back: int
    records: list[ChangedRecordOut]


class ChangeListOut(BaseModel):
    """A part of the changes."""

    changes: list[ChangeSetOut]
    #: `before` of the next part; null at the end
    next: int | None


@ROUTES.get("", response_model=ChangeListOut)
async def list_changes(view: View, caller: Asking, query: Annotated[ChangeListIn, Query()]) -> Any:
    """What changed, newest first, by run."""
    wanted = query.wanted(view.clock.now())
    sets = await view.read(
        lambda db: change_stream.page(
            db, wanted, reader=caller.name, before=query.before, limit=query.limit, records=query.records
        )
    )
    is_all = len(sets) < query.limit
    return {"changes": [_set(each) for each in sets], "next": None if is_all else sets[-1].change_set.id}


@ROUTES.get("/export", response_class=Response, success="The file.")
async def export_changes(view: View, query: Annotated[ChangeFileIn, Query()]) -> Response:
    """All changes that match, newest first: a row for each changed field, or for the record."""
    wanted = query.wanted(view.clock.now())
    pieces, media_type = _FILES[query.format]
    headers = {"Content-Disposition": f'attachment; filename="changes.{query.format}"', "Cache-Control": "no-store"}
    return StreamingResponse(pieces(view.db, wanted), media_type=media_type, headers=headers)


@ROUTES.feed("/feed.rss", success="RSS 2.0.")
async def changes_rss(view: View, request: Request, query: Annotated[ChangeFilterIn, Query()]) -> Response:
    """The newest 50 changed records that match, as RSS."""
    return await _feed(view, request, query, FeedFormat.RSS)


@ROUTES.feed("/feed.atom", success="Atom 1.0.")
async def changes_atom(view: View, request: Request, query: Annotated[ChangeFilterIn, Query()]) -> Response:
    """The newest 50 changed records that match, as Atom."""
    return await _feed(view, request, query, FeedFormat.ATOM)


@ROUTES.feed("/feed.json", success="JSON Feed 1.1.")
async def changes_json(view: View, request: Request, query: Annotated[ChangeFilterIn, Query()]) -> Response:
    """The newest 50 changed records that match, as JSON."""
    return await _feed(view, request, query, FeedFormat.JSON)


async def _feed(view: ServiceView, request: Request, query: ChangeFilterIn, form: FeedFormat) -> Response:
    where = {"own_url": str(request.url), "home_url": str(request.base_url)}
    wanted = query.wanted(view.clock.now())
    feed = await view.read(lambda db: change_stream.feed(db, wanted, form, **where))
    return feed_response(feed, request.headers)


def _set(shown: change_stream.ShownSet) -> dict[str, Any]:
    each = shown.change_set
    names = ("id", "source_id", "source_name", "run_id", "is_baseline", "is_read", "is_starred")
    records = [
        {
            "id": record.id,
            "change": record.kind,
            "kind": record.record_kind,
            "title": record.title,
            "url": record.url,
            "fields": [change._asdict() for change in record.fields],
        }
        for record in shown.records
    ]
    said = {name: getattr(each, name) for name in names} | each.counts._asdict()
    return said | {"at": each.at.isoformat(), "records": records}


async def _csv(db: Database, wanted: ChangeFilter) -> AsyncIterator[bytes]:
    yield csv_lines([change_stream.COLUMNS])
    async for rows in change_stream.rows(db, wanted):
        yield csv_lines([row[name] for name in change_stream.COLUMNS] for row in rows)


async def _json_lines(db: Database, wanted: ChangeFilter) -> AsyncIterator[bytes]:
    async for rows in change_stream.rows(db, wanted):
        yield b"".join(orjson.dumps(row) + b"\n" for row in rows)


_FILES = {"csv": (_csv, "text/csv; charset=utf-8"), "jsonl": (_json_lines, "application/x-ndjson")}
