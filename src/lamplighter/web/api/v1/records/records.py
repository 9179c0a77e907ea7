"""Records that were found, also as files and feeds for other programs. Nothing here sends requests to a site.

Feeds also take an API token as the password of HTTP Basic, because feed readers can send nothing else. A token in a URL
would end up in logs, histories and other people's feed lists, so there is none.
"""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from lamplighter.operations.records import record_export, record_feeds, record_search, records
from lamplighter.operations.records.record_export import ExportFormat
from lamplighter.rules.formats.feeds import FeedFormat
from lamplighter.web.api.envelope import listed
from lamplighter.web.api.v1.records import shapes_records as shapes
from lamplighter.web.feed_response import feed_response
from lamplighter.web.record_filter import RecordFilterIn, RemovalIn
from lamplighter.web.routes import Routes
from lamplighter.web.view import Asking, ServiceView, View

ROUTES = Routes("/api/v1/records", tag="records")
Hash = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
_MEDIA_TYPES = {
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.JSON_LINES: "application/x-ndjson",
    ExportFormat.JSON: "application/json",
}


@ROUTES.get("", response_model=shapes.RecordListOut)
async def list_records(view: View, query: Annotated[shapes.RecordListIn, Query()]) -> Any:
    """Records, searched, filtered, sorted and counted."""
    wanted = query.wanted()
    facets = await record_search.facets(view.db, view.search.finder, wanted, query.counted_by())
    found, total, engine = await record_search.search_with(view.db, view.search.finder, wanted, query.sorting())
    if query.highlight:
        found = record_search.highlighted(found, wanted.text)
    page = listed("records", found, total=total, limit=query.limit, offset=query.offset)
    return page | {"facets": facets, "engine": engine}


# Before the routes with an id, which would match "export".
@ROUTES.get("/export", response_class=Response, success="The file.")
async def export(view: View, query: Annotated[shapes.RecordExportIn, Query()]) -> Response:
    """All records that match the filter, in the order in which they were first seen."""
    pieces = record_export.export(view.db, query.wanted(), query.format)
    headers = {"Content-Disposition": f'attachment; filename="records.{query.format}"', "Cache-Control": "no-store"}
    return StreamingResponse(pieces, media_type=_MEDIA_TYPES[query.format], headers=headers)


@ROUTES.feed("/feed.rss", success="RSS 2.0.")
async def feed_rss(view: View, request: Request, query: Annotated[RecordFilterIn, Query()]) -> Response:
    """The newest 50 records that match, as RSS."""
    return await _feed(view, request, query, FeedFormat.RSS)


@ROUTES.feed("/feed.atom", success="Atom 1.0.")
async def feed_atom(view: View, request: Request, query: Annotated[RecordFilterIn, Query()]) -> Response:
    """The newest 50 records that match, as Atom."""
    return await _feed(view, request, query, FeedFormat.ATOM)


@ROUTES.feed("/feed.json", success="JSON Feed 1.1.")
async def feed_json(view: View, request: Request, query: Annotated[RecordFilterIn, Query()]) -> Response:
    """The newest 50 records that match, as JSON."""
    return await _feed(view, request, query, FeedFormat.JSON)


async def _feed(view: ServiceView, request: Request, query: RecordFilterIn, form: FeedFormat) -> Response:
    where = {"own_url": str(request.url), "home_url": str(request.base_url)}
    feed = await view.read(lambda db: record_feeds.feed(db, query.wanted(), form, **where))
    return feed_response(feed, request.headers)


@ROUTES.get("/{record_id}", response_model=shapes.RecordDetailOut)
async def show(record_id: UUID, view: View) -> Any:
    """A record with its pages and its history."""
    return await view.read(lambda db: records.show(db, str(record_id)))


@ROUTES.get("/{record_id}/history", response_model=shapes.HistoryOut)
async def history(record_id: UUID, view: View) -> Any:
    """A record's changes."""
    return {"history": await view.read(lambda db: records.history(db, str(record_id)))}


@ROUTES.delete("/{record_id}", response_model=shapes.TombstoneOut)
async def remove(record_id: UUID, view: View, caller: Asking, body: RemovalIn) -> Any:
    """Removes a record and its history, and never stores it again."""
    stamp = view.stamp(caller)
    return await view.db.write(lambda db: records.remove(db, str(record_id), reason=body.reason, stamp=stamp))


@ROUTES.post("/{canonical_hash}/restore", response_model=shapes.TombstoneOut)
async def restore(canonical_hash: Hash, view: View, caller: Asking) -> Any:
    """Allows a removed record to be stored again when next found."""
    return await view.db.write(lambda db: records.restore(db, canonical_hash, stamp=view.stamp(caller)))
