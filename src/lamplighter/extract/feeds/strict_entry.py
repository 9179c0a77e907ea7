"""Parses one well-formed entry, element by element in order."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from lxml.etree import _Element

from lamplighter.extract.feeds.entry import FeedEntry, full_text
from lamplighter.extract.feeds.names import HTML_TYPES, IGNORED, FeedNames, Unusual, attribute_of, marked_up, text_in

_RDF_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"

_SEMICOLON_TOO_MUCH = re.compile(r"&([A-Za-z0-9_]+);")


class _Author(NamedTuple):
    """An author as shown when it is the only one, and when it is one of several."""

    alone: str
    among_others: str
    in_parts: bool = False


class EntryReader:
    """Parses one entry; where elements say the same thing twice, the same one wins as in feedparser."""

    def __init__(self, names: FeedNames) -> None:
        self._names = names
        self._title: str | None = None
        self._title_depth = 0
        self._link: str | None = None
        self._guid: str | None = None
        self._published = self._updated = ""
        self._summary: str | None = None
        self._summary_depth = 0
        self._contents: list[str] = []
        self._has_content = False
        self._authors: list[_Author] = []
        self._tags: list[str] = []
        self._source_seen = False
        self._picture = self._thumbnail = self._enclosure = self._poster = ""

    def read(self, entry: _Element) -> FeedEntry:
        about = entry.get(_RDF_ABOUT)
        for element in entry:
            name = self._names.of(element)
            if read := _READERS.get(name):
                read(self, element, 1)
            elif len(element):
                self._read_box(element, name, 2)
        return FeedEntry(
            title=self._title or "",
            link=self._link or "",
            guid=(about or "") if self._guid is None else self._guid,
            published=self._published,
            updated=self._updated,
            summary=self._summary or "",
            content=full_text(self._contents),
            authors=self._all_authors(),
            tags=tuple(self._tags),
            image=self._picture or self._thumbnail or self._enclosure or self._poster,
        )

    def _read_box(self, box: _Element, name: str, depth: int) -> None:
        """Elements inside another: those of media groups belong to the entry, any other core element is unusual."""
        if not name.startswith("media:") and name != IGNORED:
            raise Unusual
        for element in box:
            name = self._names.of(element)
            if name != IGNORED and not name.startswith("media:"):
                raise Unusual
            if read := _READERS.get(name):
                read(self, element, depth)
            elif len(element):
                self._read_box(element, name, depth + 1)

    def title(self, element: _Element, depth: int) -> None:
        if self._title_depth:
            raise Unusual
        self._title = marked_up(element)
        self._title_depth = depth

    def media_title(self, element: _Element, depth: int) -> None:
        """Used as the title until there is one."""
        if self._title is None:
            self._title = marked_up(element)
        elif self._source_seen or not self._title_depth or not self._title:
            raise Unusual

    def link(self, element: _Element, _: int) -> None:
        attributes = element.attrib
        if len(element) or "url" in attributes or "uri" in attributes:
            raise Unusual
        address = attributes.get("href")
        if address is None:
            address = text_in(element).replace("&amp;", "&")
            self._link = _SEMICOLON_TOO_MUCH.sub(r"&\1", address) if "&" in address else address
        _check_address(address)
        match attribute_of(element, "rel", "alternate"):
            case "alternate" if "href" in attributes and attribute_of(element, "type", "html") in HTML_TYPES:
                self._link = address
            case "enclosure":
                self._enclose(element, address)

    def guid(self, element: _Element, _: int) -> None:
        if self._guid is not None:
            raise Unusual
        self._guid = text_in(element)
        _check_address(self._guid)
        is_permalink = {key.lower(): value for key, value in element.attrib.items()}.get("ispermalink", "true")
        if is_permalink == "true" and self._link is None:
            self._link = self._guid

    def published(self, element: _Element, _: int) -> None:
        self._published = text_in(element)

    def updated(self, element: _Element, _: int) -> None:
        self._updated = text_in(element)

    def summary(self, element: _Element, depth: int) -> None:
        value = marked_up(element)
        if self._summary is not None and not self._has_content:
            self._has_content = True
            self._contents.append(value)
        elif not self._summary_depth or depth <= self._summary_depth:
            self._summary = value
            self._summary_depth = depth

    def content(self, element: _Element, _: int) -> None:
        if "src" in element.attrib:
            raise Unusual
        value = marked_up(element)
        self._has_content = True
        self._contents.append(value)
        if self._summary is None:
            self._summary = value

    def author(self, element: _Element, _: int) -> None:
        if not len(element):
            text = text_in(element)
            self._authors.append(_Author(alone=text, among_others=text))
            return
        said: dict[str, str] = {}
        for part in element:
            part_name = self._names.of(part).removeprefix("itunes:")
            if len(part) or part_name in said:
                raise Unusual
            said[part_name] = (part.text or "").strip()
        if not said.keys() <= {"name", "email", "uri", "url", IGNORED} or (element.text or "").strip():
            raise Unusual
        name, email = said.get("name"), said.get("email")
        if not name:
            raise Unusual
        self._authors.append(_Author(alone=f"{name} ({email})" if email else name, among_others=name, in_parts=True))

    def _all_authors(self) -> tuple[str, ...]:
        if len(self._authors) == 1:
            return (self._authors[0].alone,)
        if len({author.in_parts for author in self._authors}) > 1 or any(
            "@" in author.among_others for author in self._authors
        ):
            raise Unusual
        return tuple(author.among_others for author in self._authors)

    def category(self, element: _Element, _: int) -> None:
        value, attributes = text_in(element), element.attrib
        term = attributes.get("term")
        if not (term or value) and attributes:
            raise Unusual
        self._tags += [tag for tag in (term, value) if tag]

    def keywords(self, element: _Element, _: int) -> None:
        if not element.attrib:
            self._tags += [word.strip() for word in text_in(element).split(",")]

    def media_content(self, element: _Element, depth: int) -> None:
        if not self._picture and _shows(element):
            self._picture = element.get("url", "")
        self._read_box(element, "media:content", depth + 1)

    def media_thumbnail(self, element: _Element, _: int) -> None:
        if "url" not in element.attrib:
            raise Unusual
        self._thumbnail = self._thumbnail or element.get("url", "")

    def enclosure(self, element: _Element, _: int) -> None:
        if "uri" in element.attrib or len(element):
            raise Unusual
        self._enclose(element, element.get("url") or element.get("href") or "")

    def _enclose(self, element: _Element, address: str) -> None:
        if not self._enclosure and _shows(element):
            self._enclosure = address

    def poster(self, element: _Element, _: int) -> None:
        self._poster = element.get("href") or element.get("url") or self._poster

    def source(self, element: _Element, depth: int) -> None:
        self._source_seen = True
        self.skip(element, depth)

    def skip(self, element: _Element, _: int) -> None:
        """Elements that describe something other than the entry."""
        inside = {self._names.of(part) for part in element.iterdescendants()}
        if "source" in inside or any(_READERS.get(name) is EntryReader.unusual for name in inside):
            raise Unusual

    def unusual(self, element: _Element, _: int) -> None:
        raise Unusual


_Reader = Callable[[EntryReader, _Element, int], None]
_NAMES_BY_READER: Mapping[_Reader, str] = {
    EntryReader.title: "title dc:title",
    EntryReader.media_title: "media:title",
    EntryReader.link: "link",
    EntryReader.guid: "guid id",
    EntryReader.published: "pubdate published issued dcterms:issued",
    EntryReader.updated: "updated modified lastbuilddate dc:date dcterms:modified",
    EntryReader.summary: "description summary itunes:summary media:description dc:description",
    EntryReader.content: "content content:encoded",
    EntryReader.author: "author dc:creator dc:author itunes:author",
    EntryReader.category: "category dc:subject media:category",
    EntryReader.keywords: "itunes:keywords media:keywords",
    EntryReader.media_content: "media:content",
    EntryReader.media_thumbnail: "media:thumbnail",
    EntryReader.enclosure: "enclosure",
    EntryReader.poster: "itunes:image",
    EntryReader.source: "source",
    EntryReader.skip: "contributor language dc:contributor dc:publisher dc:language media:credit",
    EntryReader.unusual: "item entry image textinput body fullitem tags keywords abstract managingeditor channel "
    "svg math div itunes:category itunes:link",
}
_READERS: Mapping[str, _Reader] = {name: read for read, names in _NAMES_BY_READER.items() for name in names.split()}


def _shows(element: _Element) -> bool:
    return element.get("medium") == "image" or attribute_of(element, "type", "").startswith("image/")


def _check_address(address: str) -> None:
    """Addresses that parsers read differently are left to feedparser."""
    if "///" in address or "//[" in address:
        raise Unusual
