"""Which entries does a feed have? RSS, Atom and RDF through feedparser for its tolerance, JSON Feed directly."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import feedparser

from lamplighter.extract.json_path import at, text_of, texts_at
from lamplighter.extract.markup import plain
from lamplighter.model.record import Found, Method, RawRecord, RecordKind
from lamplighter.rules.urls import join

CONFIDENCE = 0.85
MAX_ENTRIES = 10_000

_ENTITY = re.compile(r"<!ENTITY", re.IGNORECASE)
#: what feedparser does not survive: characters beyond Unicode, addresses that start like IPv6 and are not
_UNBEARABLE = re.compile(r"&#x?[0-9a-f]{6,};?|//\[", re.IGNORECASE)
_JSON_FEED = re.compile(r"https?://jsonfeed\.org/version/")
#: feedparser frowns on these, but nothing is lost by them
_HARMLESS = (feedparser.CharacterEncodingOverride, feedparser.NonXMLContentType)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed as read."""

    title: str | None = None
    language: str | None = None
    records: tuple[RawRecord, ...] = ()
    warnings: tuple[str, ...] = ()


def read_feed(xml: str, *, url: str, kind: RecordKind) -> Feed:
    """The entries of an RSS, Atom or RDF feed, however broken; a feed that declares entities is refused."""
    if _ENTITY.search(xml):
        return Feed(warnings=("feed refused: it declares XML entities",))
    try:
        parsed = _parsed_with_patience(xml)
    except Exception as error:  # feedparser meets arbitrary text here, and its own slips must not become ours
        return Feed(warnings=(f"feed unreadable: {type(error).__name__}",))
    flaw = parsed["bozo_exception"] if parsed["bozo"] else None
    return _feed(
        channel=parsed["feed"],
        entries=[_xml_values(entry) for entry in parsed["entries"]],
        url=url,
        kind=kind,
        warnings=() if flaw is None or isinstance(flaw, _HARMLESS) else (f"feed is not well-formed: {flaw}",),
    )


def is_json_feed(data: Any) -> bool:
    """Does this JSON value call itself a JSON Feed?"""
    version = data.get("version") if isinstance(data, dict) else None
    return isinstance(version, str) and _JSON_FEED.match(version) is not None


def read_json_feed(data: Mapping[str, Any], *, url: str, kind: RecordKind) -> Feed:
    """The items of a JSON Feed."""
    items = data.get("items")
    entries = [_json_values(item) for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return _feed(channel=data, entries=entries, url=url, kind=kind, warnings=())


def _feed(
    *, channel: Mapping[str, Any], entries: list[dict[str, Any]], url: str, kind: RecordKind, warnings: tuple[str, ...]
) -> Feed:
    entries = [entry for entry in entries if any(entry.values())]
    if not entries:
        warnings += ("feed has no entries",)
    if len(entries) > MAX_ENTRIES:
        warnings += (f"feed has {len(entries)} entries; the first {MAX_ENTRIES} were read",)
    times_seen = Counter(entry["guid"] for entry in entries)
    for entry in entries:
        entry["url"] = join(url, entry["url"]) if entry["url"] else None
        if times_seen[entry["guid"]] > 1:
            entry["guid"] = None  # An identity that two entries share is none.
    return Feed(
        title=plain(_text(channel, "title")) or None,
        language=_text(channel, "language") or None,
        records=tuple(_record(entry, kind) for entry in entries[:MAX_ENTRIES]),
        warnings=warnings,
    )


def _record(values: Mapping[str, Any], kind: RecordKind) -> RawRecord:
    found = {name: Found(value, Method.FEED, CONFIDENCE) for name, value in values.items() if value}
    return RawRecord(kind=kind, fields=found)


def _parsed_with_patience(xml: str) -> Mapping[str, Any]:
    """One impossible character or address must not cost the whole feed: without them it is read once more."""
    try:
        return _parsed(xml)
    except (ValueError, OverflowError):
        return _parsed(_UNBEARABLE.sub(" ", xml))


def _parsed(xml: str) -> Mapping[str, Any]:
    """feedparser's reading. It gets a stream, for it would open a text that looks like an address or a file name."""
    headers = {"content-type": "application/xml; charset=utf-8"}
    stream = BytesIO(xml.encode("utf-8", "replace"))
    parsed: Mapping[str, Any] = feedparser.parse(
        stream, response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )
    return parsed


def _xml_values(entry: Mapping[str, Any]) -> dict[str, Any]:
    contents = entry.get("content") or [{}]
    return {
        "title": plain(_text(entry, "title")),
        "url": _text(entry, "link"),
        "guid": _text(entry, "id"),
        "published_at": _moment(entry, "published"),
        "updated_at": _moment(entry, "updated"),
        "description": plain(_text(entry, "summary") or _text(contents[0], "value")),
        "author": plain(_text(entry, "author")),
        "tags": [plain(tag["term"]) for tag in entry.get("tags") or () if tag.get("term")],
    }


def _json_values(item: Mapping[str, Any]) -> dict[str, Any]:
    summary = _text(item, "summary") or _text(item, "content_text") or _text(item, "content_html")
    return {
        "title": plain(_text(item, "title")),
        "url": _text(item, "url") or _text(item, "external_url"),
        "guid": text_of(item.get("id")),
        "published_at": _text(item, "date_published"),
        "updated_at": _text(item, "date_modified"),
        "description": plain(summary),
        "author": plain(text_of(at(item, "authors.0.name")) or text_of(at(item, "author.name")) or ""),
        "tags": [plain(tag) for tag in texts_at(item, "tags")],
    }


def _text(values: Mapping[str, Any], name: str) -> str:
    # Not values.get: feedparser's dictionaries answer for missing names with other ones, and warn about it.
    value = dict.get(values, name) if isinstance(values, dict) else None
    return value if isinstance(value, str) else ""


def _moment(entry: Mapping[str, Any], name: str) -> str:
    """The time as ISO 8601 where feedparser understood it, else as it stands."""
    understood = dict.get(entry, f"{name}_parsed") if isinstance(entry, dict) else None
    try:
        return datetime(*understood[:6]).replace(tzinfo=UTC).isoformat() if understood else _text(entry, name)
    except ValueError:
        return _text(entry, name)
