"""Parses well-formed feeds fast, with the result that `loose` would have; raises Unusual for whatever is not plain."""

import re
from collections.abc import Iterable

from lxml import etree
from lxml.etree import _Element

from lamplighter.extract.feeds.entry import FeedEntry, ParsedFeed
from lamplighter.extract.feeds.names import FeedNames, Unusual, marked_up, text_in
from lamplighter.extract.feeds.strict_entry import EntryReader
from lamplighter.extract.guarded_xml import GUARDS

#: an attribute that changes the base of relative addresses
_BASE = re.compile(r"base\s*=")
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"

_ROOTS = frozenset({"rss", "feed", "rdf:rdf"})
_ENTRIES = frozenset({"item", "entry"})
#: elements of a channel whose children say nothing about the channel itself
_CLOSED = frozenset(
    "author contributor image textinput skiphours skipdays items itunes:owner itunes:category cloud".split()
)
_CHANNEL_FIELDS = {
    "title": "title",
    "language": "language",
    "dc:language": "language",
    "ttl": "ttl",
    "sy:updateperiod": "period",
    "sy:updatefrequency": "frequency",
}


def parse_strict(xml: str) -> ParsedFeed:
    """The feed; Unusual when it is not well-formed or has anything out of the ordinary."""
    if "<!DOCTYPE" in xml or _BASE.search(xml.lower()):
        raise Unusual
    root = _tree(xml)
    names = FeedNames(root)
    name = names.of(root)
    if name not in _ROOTS:
        raise Unusual
    reader = _FeedReader(names)
    if name != "rdf:rdf" and (language := root.get(_LANGUAGE) or root.get("lang")):
        reader.channel["language"] = language.replace("_", "-")
    if name == "feed":
        reader.read_channel(root)
    else:
        reader.read_root(root)
    return ParsedFeed(entries=reader.entries, authors=tuple(reader.authors) if name == "feed" else (), **reader.channel)


def _tree(xml: str) -> _Element:
    parser = etree.XMLParser(encoding="utf-8", **GUARDS)
    try:
        return etree.fromstring(xml.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        raise Unusual from None


class _FeedReader:
    """Collects channel and entries in the order of the document."""

    __slots__ = ("_names", "authors", "channel", "entries")

    def __init__(self, names: FeedNames) -> None:
        self._names = names
        self.channel: dict[str, str] = {}
        self.authors: list[str] = []
        self.entries: list[FeedEntry] = []

    def read_root(self, root: Iterable[_Element]) -> None:
        """The channel of an RSS or RDF feed, and the items beside it."""
        for element in root:
            name = self._names.of(element)
            if name in _ENTRIES:
                self._read_entry(element)
            elif name == "channel":
                if self.channel.get("title") or self.entries or element.get("href"):
                    raise Unusual
                self.read_channel(element)
            elif len(element) and name not in _CLOSED:
                raise Unusual

    def read_channel(self, channel: Iterable[_Element]) -> None:
        for element in channel:
            name = self._names.of(element)
            if name in _ENTRIES:
                self._read_entry(element)
            elif field := _CHANNEL_FIELDS.get(name):
                self._read_field(element, field)
            elif name == "author":
                self.authors += [text for part in element if self._names.of(part) == "name" and (text := text_in(part))]
            elif name in ("dc:title", "media:title", "source", "channel") or (len(element) and name not in _CLOSED):
                raise Unusual

    def _read_field(self, element: _Element, field: str) -> None:
        if len(element) or (field == "title" and "title" in self.channel):
            raise Unusual
        if field in ("title", "language") or not element.attrib:
            self.channel[field] = marked_up(element) if field == "title" else text_in(element)

    def _read_entry(self, element: _Element) -> None:
        if element.get("href") or element.get("lastmod"):
            raise Unusual
        self.entries.append(EntryReader(self._names).read(element))
