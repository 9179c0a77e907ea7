"""Parses broken or unusual feeds with feedparser: tolerant, but so slow that `strict` is tried first."""

import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from lamplighter.extract.feeds.entry import FeedEntry, ParsedFeed, full_text

#: input that crashes feedparser: characters beyond Unicode, addresses that start like IPv6 and are not
_UNBEARABLE = re.compile(r"&#x?[0-9a-f]{6,};?|//\[", re.IGNORECASE)
#: problems that feedparser reports, but that lose nothing
_HARMLESS = frozenset({"CharacterEncodingOverride", "NonXMLContentType"})


def parse_loose(xml: str) -> ParsedFeed:
    """The feed, however broken. May raise whatever feedparser raises at hostile text."""
    try:
        parsed = _parsed(xml)
    except (ValueError, OverflowError):
        # One impossible character or address must not cost the whole feed: without them it is parsed once more.
        parsed = _parsed(_UNBEARABLE.sub(" ", xml))
    channel = parsed["feed"]
    writers = (_text(author, "name") for author in _list(channel, "authors"))
    flaw = parsed["bozo_exception"] if parsed["bozo"] else None
    return ParsedFeed(
        entries=[_entry(entry) for entry in parsed["entries"]],
        title=_text(channel, "title"),
        language=_text(channel, "language"),
        ttl=_text(channel, "ttl"),
        period=_text(channel, "sy_updateperiod"),
        frequency=_text(channel, "sy_updatefrequency"),
        authors=tuple(filter(None, writers)) if _text(parsed, "version").startswith("atom") else (),
        flaw=None if flaw is None or type(flaw).__name__ in _HARMLESS else str(flaw),
    )


def _parsed(xml: str) -> Mapping[str, Any]:
    """feedparser's result. It gets a stream, for it would open a text that looks like an address or a file name."""
    import feedparser  # few pages are feeds, fewer are broken ones: a reader process starts without it

    headers = {"content-type": "application/xml; charset=utf-8"}
    stream = BytesIO(xml.encode("utf-8", "replace"))
    parsed: Mapping[str, Any] = feedparser.parse(
        stream, response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )
    return parsed


def _entry(entry: Mapping[str, Any]) -> FeedEntry:
    return FeedEntry(
        title=_text(entry, "title"),
        link=_text(entry, "link"),
        guid=_text(entry, "id"),
        published=_text(entry, "published"),
        updated=_text(entry, "updated"),
        summary=_text(entry, "summary"),
        content=full_text([_text(content, "value") for content in _list(entry, "content")]),
        authors=_authors(entry),
        tags=tuple(_text(tag, "term") or _text(tag, "label") for tag in _list(entry, "tags")),
        image=_image(entry),
    )


def _authors(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """A single author as the feed writes it, for feedparser splits longer mail addresses; else all names."""
    authors = _list(entry, "authors")
    if len(authors) == 1:
        return (_text(entry, "author"),)
    return tuple(_text(author, "name") or _text(author, "email") for author in authors)


def _image(entry: Mapping[str, Any]) -> str:
    pictures = [item for item in _list(entry, "media_content") if _shows(item)]
    enclosures = [item for item in _list(entry, "links") if _text(item, "rel") == "enclosure" and _shows(item)]
    addresses = [
        *(_text(item, "url") for item in [*pictures, *_list(entry, "media_thumbnail")]),
        *(_text(item, "href") for item in [*enclosures, _get(entry, "image")]),
    ]
    return next(filter(None, addresses), "")


def _shows(item: Mapping[str, Any]) -> bool:
    return _text(item, "medium") == "image" or _text(item, "type").startswith("image/")


def _text(values: Any, name: str) -> str:
    value = _get(values, name)
    return value if isinstance(value, str) else ""


def _list(values: Any, name: str) -> list[Any]:
    value = _get(values, name)
    return value if isinstance(value, list) else []


def _get(values: Any, name: str) -> Any:
    # Not values.get: feedparser's dictionaries return other values for missing names, and warn about it.
    return dict.get(values, name) if isinstance(values, dict) else None
