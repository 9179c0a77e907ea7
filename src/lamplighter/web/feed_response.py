"""Sends a feed, unless the reader has it already."""

from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime

from fastapi import Response
from starlette.datastructures import Headers

from lamplighter.operations.records.record_feeds import SentFeed


def feed_response(feed: SentFeed, query: Headers) -> Response:
    """The feed, or 304 if the client has it; `query` are the headers of the request."""
    headers = {"ETag": feed.etag, "Cache-Control": "private, no-cache"}
    if feed.last_modified is not None:
        headers["Last-Modified"] = format_datetime(feed.last_modified, usegmt=True)
    if _is_known(feed, query):
        return Response(status_code=304, headers=headers)
    return Response(feed.body, media_type=feed.media_type, headers=headers)


def _is_known(feed: SentFeed, query: Headers) -> bool:
    tags = query.get("if-none-match")
    if tags is not None:
        return any(tag.strip().removeprefix("W/") in (feed.etag, "*") for tag in tags.split(","))
    since = _moment(query.get("if-modified-since"))
    return since is not None and feed.last_modified is not None and feed.last_modified <= since


def _moment(text: str | None) -> datetime | None:
    """An HTTP date; None for anything else."""
    try:
        moment = parsedate_to_datetime(text) if text else None
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
