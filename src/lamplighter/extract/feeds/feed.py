"""Extracts the entries of a feed: RSS, Atom and RDF, however broken, and JSON Feed."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from lamplighter.extract.answers.json_path import at, text_of, texts_at
from lamplighter.extract.feeds.dates import moment, ttl
from lamplighter.extract.feeds.entry import FeedEntry, ParsedFeed, author_in
from lamplighter.extract.feeds.loose import parse_loose
from lamplighter.extract.feeds.names import Unusual
from lamplighter.extract.feeds.strict import parse_strict
from lamplighter.extract.html_page import plain
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind
from lamplighter.rules.urls.urls import LinkResolver

CONFIDENCE = 0.85
#: for a title that is only the start of the description
_TITLE_BY_DESCRIPTION = 0.40
_LONGEST_MADE_TITLE = 100
MAX_ENTRIES = 10_000

_ROOT = re.compile(r"<(?:\w+:)?(rss|feed|rdf)[\s>]", re.IGNORECASE)
_JSON_FEED = re.compile(r"https?://jsonfeed\.org/version/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A parsed feed."""

    title: str | None = None
    language: str | None = None
    #: how long the feed says that it need not be fetched again; None when it does not say
    ttl: timedelta | None = None
    records: tuple[RawRecord, ...] = ()
    warnings: tuple[str, ...] = ()


def read_feed(xml: str, *, url: str, kind: RecordKind) -> Feed:
    """The entries of an RSS, Atom or RDF feed, however broken; a feed that declares entities is refused."""
    if "<!entity" in xml.lower():
        return Feed(warnings=("feed refused: it declares XML entities",))
    xml = xml.lstrip()
    try:
        parsed = _parsed(xml)
    except Exception as error:  # feedparser gets arbitrary text here, and its own bugs must not become ours
        return Feed(warnings=(f"feed unreadable: {type(error).__name__}",))
    root = _ROOT.search(xml)
    return _feed(parsed, url=url, kind=kind, is_atom=root is not None and root[1].lower() == "feed")


def is_json_feed(data: Any) -> bool:
    """Does this JSON value call itself a JSON Feed?"""
    version = data.get("version") if isinstance(data, dict) else None
    return isinstance(version, str) and _JSON_FEED.match(version) is not None


def read_json_feed(data: Mapping[str, Any], *, url: str, kind: RecordKind) -> Feed:
    """The items of a JSON Feed."""
    items = data.get("items")
    parsed = ParsedFeed(
        entries=[_json_entry(item) for item in items if isinstance(item, dict)] if isinstance(items, list) else [],
        title=_text(data, "title"),
        language=_text(data, "language"),
        authors=tuple(_json_authors(data)),
    )
    return _feed(parsed, url=url, kind=kind, is_atom=True)


def _parsed(xml: str) -> ParsedFeed:
    try:
        return parse_strict(xml)
    except Unusual:
        return parse_loose(xml)


def _feed(parsed: ParsedFeed, *, url: str, kind: RecordKind, is_atom: bool) -> Feed:
    entries = [
        entry if entry.authors else entry._replace(authors=parsed.authors) for entry in parsed.entries if any(entry)
    ]
    warnings: tuple[str, ...] = () if parsed.flaw is None else (f"feed is not well-formed: {parsed.flaw}",)
    if not entries:
        warnings += ("feed has no entries",)
    if len(entries) > MAX_ENTRIES:
        warnings += (f"feed has {len(entries)} entries; the first {MAX_ENTRIES} were read",)
    times_seen = Counter(entry.guid for entry in entries)
    resolver = LinkResolver(url)
    records = [
        _record(
            # An id that two entries share identifies neither.
            entry._replace(guid="") if times_seen[entry.guid] > 1 else entry,
            kind=kind,
            resolver=resolver,
            is_atom=is_atom,
        )
        for entry in entries[:MAX_ENTRIES]
    ]
    return Feed(
        title=plain(parsed.title) or None,
        language=parsed.language or None,
        ttl=ttl(minutes=parsed.ttl, period=parsed.period, frequency=parsed.frequency),
        records=tuple(records),
        warnings=warnings,
    )


def _record(entry: FeedEntry, *, kind: RecordKind, resolver: LinkResolver, is_atom: bool) -> RawRecord:
    values = {
        "title": plain(entry.title),
        "url": resolver.resolve(entry.link) if entry.link else None,
        "guid": entry.guid,
        **_dates(entry, is_atom=is_atom),
        **_texts(entry, kind),
        "author": ", ".join(dict.fromkeys(author_in(plain(author)) for author in entry.authors if author)),
        "tags": list(dict.fromkeys(filter(None, map(plain, entry.tags)))),
        "image": resolver.resolve(entry.image) if entry.image else None,
    }
    found = {name: Finding(value, Method.FEED, CONFIDENCE) for name, value in values.items() if value}
    if "title" not in found and "description" in found:
        found["title"] = Finding(_beginning(str(values["description"])), Method.FEED, _TITLE_BY_DESCRIPTION)
    return RawRecord(kind=kind, fields=found)


def _dates(entry: FeedEntry, *, is_atom: bool) -> dict[str, str]:
    """Atom says which date is which; elsewhere a single date (such as dc:date) is that of publication."""
    published, updated = moment(entry.published), moment(entry.updated)
    if updated and not published and not is_atom:
        return {"published_at": updated}
    return {"published_at": published, "updated_at": updated}


def _texts(entry: FeedEntry, kind: RecordKind) -> dict[str, str]:
    """A summary and, for articles, the full text; for other kinds the longer of both is the description."""
    summary = plain(entry.summary)
    content = summary if entry.content == entry.summary else plain(entry.content)
    if kind is not RecordKind.ARTICLE:
        return {"description": max(summary, content, key=len)}
    return {"description": summary or content, "text": content if len(content) >= len(summary) else ""}


def _beginning(text: str) -> str:
    if len(text) <= _LONGEST_MADE_TITLE:
        return text
    start = text[:_LONGEST_MADE_TITLE]
    return (start.rpartition(" ")[0] or start).rstrip(" ,;:.-") + "…"


def _json_entry(item: Mapping[str, Any]) -> FeedEntry:
    content = _text(item, "content_html") or _text(item, "content_text")
    return FeedEntry(
        title=_text(item, "title"),
        link=_text(item, "url") or _text(item, "external_url"),
        guid=text_of(item.get("id")) or "",
        published=_text(item, "date_published"),
        updated=_text(item, "date_modified"),
        summary=_text(item, "summary") or content,
        content=content,
        authors=tuple(_json_authors(item)),
        tags=tuple(texts_at(item, "tags")),
        image=_text(item, "image") or _text(item, "banner_image"),
    )


def _json_authors(item: Mapping[str, Any]) -> list[str]:
    """Version 1.1 has a list of authors, 1.0 a single one."""
    several = item.get("authors")
    authors = several if isinstance(several, list) else [item.get("author")]
    return [name for author in authors if (name := text_of(at(author, "name")))]


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""
