"""The newest records that match a filter as RSS 2.0 or JSON Feed 1.1."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree

import orjson

from lamplighter.model.record_search import RecordFilter, RecordOrder
from lamplighter.operations.records.record_search import search
from lamplighter.store.engine.database import Connection

_MOST_ITEMS = 50
_LONGEST_TEXT = 5_000
_TITLE = "Lamplighter: records"
#: what XML 1.0 has no way to say, escaped or not
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATOM, _DUBLIN_CORE = "http://www.w3.org/2005/Atom", "http://purl.org/dc/elements/1.1/"
ElementTree.register_namespace("atom", _ATOM)
ElementTree.register_namespace("dc", _DUBLIN_CORE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFeed:
    """A feed as it is sent, and what it is recognised by when it is asked for again."""

    body: bytes
    media_type: str
    etag: str
    #: when its newest record was found; None while it has none
    last_modified: datetime | None


async def rss(db: Connection, wanted: RecordFilter, *, own_url: str, home_url: str) -> RecordFeed:
    """The newest records as RSS 2.0."""
    return _feed(_rss(await _newest(db, wanted), own_url, home_url), "application/rss+xml; charset=utf-8")


async def json_feed(db: Connection, wanted: RecordFilter, *, own_url: str, home_url: str) -> RecordFeed:
    """The newest records as JSON Feed 1.1."""
    return _feed(_json(await _newest(db, wanted), own_url, home_url), "application/feed+json")


async def _newest(db: Connection, wanted: RecordFilter) -> list[dict[str, Any]]:
    records, _ = await search(db, wanted, RecordOrder(limit=_MOST_ITEMS))
    return records


def _feed(content: tuple[bytes, datetime | None], media_type: str) -> RecordFeed:
    body, newest = content
    return RecordFeed(body=body, media_type=media_type, etag=f'"{sha256(body).hexdigest()[:32]}"', last_modified=newest)


def _rss(records: Sequence[Mapping[str, Any]], own_url: str, home_url: str) -> tuple[bytes, datetime | None]:
    newest = _newest_of(records)
    root = ElementTree.Element("rss", version="2.0")
    channel = ElementTree.SubElement(root, "channel")
    _add(channel, "title", _TITLE)
    _add(channel, "link", home_url)
    _add(channel, "description", "The newest records.")
    link = {"href": _clean(own_url), "rel": "self", "type": "application/rss+xml"}
    ElementTree.SubElement(channel, f"{{{_ATOM}}}link", link)
    if newest is not None:
        _add(channel, "lastBuildDate", format_datetime(newest, usegmt=True))
    for record in records:
        _add_item(channel, record)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True), newest


def _add_item(channel: ElementTree.Element, record: Mapping[str, Any]) -> None:
    item = ElementTree.SubElement(channel, "item")
    _add(item, "title", record["title"])
    _add(item, "link", record["url"])
    if record["description"]:
        _add(item, "description", record["description"][:_LONGEST_TEXT])
    ElementTree.SubElement(item, "guid", isPermaLink="false").text = record["id"]
    _add(item, "pubDate", format_datetime(_published(record), usegmt=True))
    if by := _by(record):
        _add(item, f"{{{_DUBLIN_CORE}}}creator", by)
    for tag in record["tags"]:
        _add(item, "category", tag)


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    ElementTree.SubElement(parent, name).text = _clean(text)


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("", text)


def _json(records: Sequence[Mapping[str, Any]], own_url: str, home_url: str) -> tuple[bytes, datetime | None]:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": _TITLE,
        "home_page_url": home_url,
        "feed_url": own_url,
        "items": [_json_item(record) for record in records],
    }
    return orjson.dumps(feed), _newest_of(records)


def _json_item(record: Mapping[str, Any]) -> dict[str, Any]:
    by = _by(record)
    item = {
        "id": record["id"],
        "url": record["url"],
        "title": record["title"],
        "content_text": (record["description"] or record["title"])[:_LONGEST_TEXT],
        "image": record["fields"].get("image"),
        "date_published": _published(record).isoformat(),
        "date_modified": record["updated_at"],
        "authors": [{"name": by}] if by else None,
        "tags": record["tags"] or None,
        "language": record["language"],
    }
    return {name: value for name, value in item.items() if value is not None}


def _by(record: Mapping[str, Any]) -> str | None:
    author = record["fields"].get("author") or record["organisation"]
    return author if isinstance(author, str) else None


def _published(record: Mapping[str, Any]) -> datetime:
    """When the site published it, else when we found it; readers put what comes later on top."""
    return datetime.fromisoformat(record["published_at"] or record["first_seen_at"]).astimezone(UTC)


def _newest_of(records: Sequence[Mapping[str, Any]]) -> datetime | None:
    found = (datetime.fromisoformat(record["first_seen_at"]).astimezone(UTC) for record in records)
    newest = max(found, default=None)
    return newest.replace(microsecond=0) if newest is not None else None  # HTTP and RSS know whole seconds only
