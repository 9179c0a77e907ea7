"""Records as files and feeds, for other programs.

Feeds take the same credentials as everything else. A token in a URL would end up in logs, histories and other
people's feed lists, so there is none.
"""

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Annotated

from fastapi import Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.datastructures import Headers

from lamplighter.operations.records import record_export, record_feeds
from lamplighter.operations.records.record_export import ExportFormat
from lamplighter.operations.records.record_feeds import RecordFeed
from lamplighter.web.api.v1.records.shapes_records import RecordExportIn
from lamplighter.web.record_filter import RecordFilterIn
from lamplighter.web.routes import Routes
from lamplighter.web.view import View

_MEDIA_TYPES = {
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.JSON_LINES: "application/x-ndjson",
    ExportFormat.JSON: "application/json",
}


def declare(routes: Routes) -> None:
    """Adds these routes to the record routes."""
    routes.get("/export", response_class=Response, success="The file.")(export)
    routes.get("/feed.rss", response_class=Response, success="RSS 2.0.")(feed_rss)
    routes.get("/feed.json", response_class=Response, success="JSON Feed 1.1.")(feed_json)


async def export(view: View, asked: Annotated[RecordExportIn, Query()]) -> Response:
    """All records that match the filter, in the order in which they were first seen."""
    pieces = record_export.export(view.db, asked.wanted(), asked.format)
    headers = {"Content-Disposition": f'attachment; filename="records.{asked.format}"', "Cache-Control": "no-store"}
    return StreamingResponse(pieces, media_type=_MEDIA_TYPES[asked.format], headers=headers)


async def feed_rss(view: View, request: Request, asked: Annotated[RecordFilterIn, Query()]) -> Response:
    """The newest 50 records that match, as RSS."""
    async with view.db.read() as db:
        feed = await record_feeds.rss(db, asked.wanted(), own_url=str(request.url), home_url=str(request.base_url))
    return _sent(feed, request.headers)


async def feed_json(view: View, request: Request, asked: Annotated[RecordFilterIn, Query()]) -> Response:
    """The newest 50 records that match, as JSON."""
    feed = await view.read(
        lambda db: record_feeds.json_feed(db, asked.wanted(), own_url=str(request.url), home_url=str(request.base_url))
    )
    return _sent(feed, request.headers)


def _sent(feed: RecordFeed, asked: Headers) -> Response:
    """The feed, or 304 if the client has it."""
    headers = {"ETag": feed.etag, "Cache-Control": "private, no-cache"}
    if feed.last_modified is not None:
        headers["Last-Modified"] = format_datetime(feed.last_modified, usegmt=True)
    if _is_known(feed, asked):
        return Response(status_code=304, headers=headers)
    return Response(feed.body, media_type=feed.media_type, headers=headers)


def _is_known(feed: RecordFeed, asked: Headers) -> bool:
    tags = asked.get("if-none-match")
    if tags is not None:
        return any(tag.strip().removeprefix("W/") in (feed.etag, "*") for tag in tags.split(","))
    since = _moment(asked.get("if-modified-since"))
    return since is not None and feed.last_modified is not None and feed.last_modified <= since


def _moment(text: str | None) -> datetime | None:
    """An HTTP date; None for anything else."""
    try:
        moment = parsedate_to_datetime(text) if text else None
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
