"""Parses the elements of an XML sitemap in pieces, with constant memory."""

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree
from lxml.etree import _Element

from lamplighter.extract.guarded_xml import GUARDS

_NEWS = {
    "title": "title",
    "publication_date": "published_at",
    "keywords": "tags",
    "name": "organisation",
    "language": "language",
}
_NO_NEWS: Mapping[str, str] = MappingProxyType({})
_BARE_AMPERSAND = re.compile(rb"&(?!#?\w{1,10};)")
#: an entity cut in two by the end of a piece
_CUT_ENTITY = re.compile(rb"&#?\w{0,10}\Z")


class Node(NamedTuple):
    """One `url` or `sitemap` element, as written."""

    location: str
    lastmod: str | None = None
    is_sitemap: bool = False
    #: of the news extension, in our field names
    news: Mapping[str, str] = _NO_NEWS


def nodes(pieces: Iterable[bytes]) -> Generator[Node, None, str | None]:
    """The `url` and `sitemap` elements in order; returns why the document is not well-formed, if it is not."""
    parser = etree.XMLPullParser(events=("end",), tag=("{*}url", "{*}sitemap"), recover=True, **GUARDS)
    try:
        for piece in _with_escaped_ampersands(pieces):
            parser.feed(piece)
            yield from _read(parser)
        parser.close()
        yield from _read(parser)
    except etree.XMLSyntaxError as error:
        return error.msg
    return parser.feed_error_log[0].message if len(parser.feed_error_log) else None


def _read(parser: etree.XMLPullParser) -> Iterator[Node]:
    for _, element in parser.read_events():
        if not isinstance(element, _Element):
            continue
        node = _node(element)
        _forget(element)
        if node is not None:
            yield node


def _node(element: _Element) -> Node | None:
    location, lastmod, news = "", None, _NO_NEWS
    for child in element:
        name = _local(child.tag)
        if name == "loc":
            location = (child.text or "").strip()
        elif name == "lastmod":
            lastmod = child.text
        elif name == "news":
            news = _news(child)
    if not location:
        return None
    return Node(location, lastmod, _local(element.tag) == "sitemap", news)


def _news(news: _Element) -> Mapping[str, str]:
    said = {}
    for element in news.iterdescendants():
        name = _NEWS.get(_local(element.tag))
        if name is not None and (text := " ".join((element.text or "").split())):
            said[name] = text
    return said


@lru_cache(maxsize=256)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _forget(element: _Element) -> None:
    """Frees the element and those before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _with_escaped_ampersands(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Escapes bare "&" in addresses, which are common: the parser would drop what follows."""
    rest = b""
    for piece in pieces:
        piece = rest + piece
        cut = _CUT_ENTITY.search(piece)
        piece, rest = (piece[: cut.start()], piece[cut.start() :]) if cut else (piece, b"")
        if piece:
            yield _BARE_AMPERSAND.sub(b"&amp;", piece) if b"&" in piece else piece
    if rest:
        yield _BARE_AMPERSAND.sub(b"&amp;", rest)
