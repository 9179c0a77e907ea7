"""Items as RSS 2.0, Atom 1.0 or JSON Feed 1.1."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from enum import StrEnum
from xml.etree import ElementTree

#: what XML 1.0 has no way to say, escaped or not
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATOM, _DUBLIN_CORE = "http://www.w3.org/2005/Atom", "http://purl.org/dc/elements/1.1/"
ElementTree.register_namespace("atom", _ATOM)
ElementTree.register_namespace("dc", _DUBLIN_CORE)


class FeedFormat(StrEnum):
    """Formats of a feed, by the end of its address."""

    RSS = "rss"
    ATOM = "atom"
    JSON = "json"

    @property
    def media_type(self) -> str:
        """As in a Content-Type."""
        return _MEDIA_TYPES[self]


_MEDIA_TYPES = {
    FeedFormat.RSS: "application/rss+xml; charset=utf-8",
    FeedFormat.ATOM: "application/atom+xml; charset=utf-8",
    FeedFormat.JSON: "application/feed+json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    """An item of a feed."""

    id: str
    url: str
    title: str
    #: empty when there is nothing to say but the title
    text: str
    published_at: datetime
    #: as the site wrote it; None if unknown
    updated_at: str | None = None
    author: str | None = None
    tags: tuple[str, ...] = ()
    image: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedHead:
    """What a feed says of itself."""

    title: str
    description: str
    own_url: str
    home_url: str
    #: when its newest item was found; None while it has none
    newest_at: datetime | None


def written(form: FeedFormat, head: FeedHead, items: Sequence[FeedItem]) -> bytes:
    """The feed as it is sent."""
    return _WRITERS[form](head, items)


def _rss(head: FeedHead, items: Sequence[FeedItem]) -> bytes:
    root = ElementTree.Element("rss", version="2.0")
    channel = ElementTree.SubElement(root, "channel")
    _add(channel, "title", head.title)
    _add(channel, "link", head.home_url)
    _add(channel, "description", head.description)
    link = {"href": _clean(head.own_url), "rel": "self", "type": "application/rss+xml"}
    ElementTree.SubElement(channel, f"{{{_ATOM}}}link", link)
    if head.newest_at is not None:
        _add(channel, "lastBuildDate", format_datetime(head.newest_at, usegmt=True))
    for item in items:
        _add_rss_item(channel, item)
    return _as_bytes(root)


def _add_rss_item(channel: ElementTree.Element, item: FeedItem) -> None:
    element = ElementTree.SubElement(channel, "item")
    _add(element, "title", item.title)
    _add(element, "link", item.url)
    if item.text:
        _add(element, "description", item.text)
    ElementTree.SubElement(element, "guid", isPermaLink="false").text = item.id
    _add(element, "pubDate", format_datetime(item.published_at, usegmt=True))
    if item.author:
        _add(element, f"{{{_DUBLIN_CORE}}}creator", item.author)
    for tag in item.tags:
        _add(element, "category", tag)


def _atom(head: FeedHead, items: Sequence[FeedItem]) -> bytes:
    root = ElementTree.Element(f"{{{_ATOM}}}feed")
    for name, text in (("id", head.own_url), ("title", head.title), ("subtitle", head.description)):
        _add(root, f"{{{_ATOM}}}{name}", text)
    newest = head.newest_at.isoformat() if head.newest_at is not None else "1970-01-01T00:00:00+00:00"
    _add(root, f"{{{_ATOM}}}updated", newest)
    for relation, url in (("self", head.own_url), ("alternate", head.home_url)):
        ElementTree.SubElement(root, f"{{{_ATOM}}}link", rel=relation, href=_clean(url))
    # An entry without an author takes that of its feed, which must have one.
    _add(ElementTree.SubElement(root, f"{{{_ATOM}}}author"), f"{{{_ATOM}}}name", "Lamplighter")
    for item in items:
        entry = ElementTree.SubElement(root, f"{{{_ATOM}}}entry")
        _add(entry, f"{{{_ATOM}}}id", f"urn:uuid:{item.id}" if _is_uuid(item.id) else f"urn:lamplighter:{item.id}")
        _add(entry, f"{{{_ATOM}}}title", item.title)
        _add(entry, f"{{{_ATOM}}}updated", item.published_at.isoformat())
        ElementTree.SubElement(entry, f"{{{_ATOM}}}link", rel="alternate", href=_clean(item.url))
        if item.text:
            _add(entry, f"{{{_ATOM}}}content", item.text)
        if item.author:
            _add(ElementTree.SubElement(entry, f"{{{_ATOM}}}author"), f"{{{_ATOM}}}name", item.author)
        for tag in item.tags:
            ElementTree.SubElement(entry, f"{{{_ATOM}}}category", term=_clean(tag))
    return _as_bytes(root)


def _json(head: FeedHead, items: Sequence[FeedItem]) -> bytes:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": head.title,
        "home_page_url": head.home_url,
        "feed_url": head.own_url,
        "items": [_json_item(item) for item in items],
    }
    return json.dumps(feed, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _json_item(item: FeedItem) -> dict[str, object]:
    said = {
        "id": item.id,
        "url": item.url,
        "title": item.title,
        "content_text": item.text or item.title,
        "image": item.image,
        "date_published": item.published_at.isoformat(),
        "date_modified": item.updated_at,
        "authors": [{"name": item.author}] if item.author else None,
        "tags": list(item.tags) or None,
        "language": item.language,
    }
    return {name: value for name, value in said.items() if value is not None}


_WRITERS: dict[FeedFormat, Callable[[FeedHead, Sequence[FeedItem]], bytes]] = {
    FeedFormat.RSS: _rss,
    FeedFormat.ATOM: _atom,
    FeedFormat.JSON: _json,
}


def _as_bytes(root: ElementTree.Element) -> bytes:
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    ElementTree.SubElement(parent, name).text = _clean(text)


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("", text)


def _is_uuid(text: str) -> bool:
    return len(text) == 36 and text.count("-") == 4
