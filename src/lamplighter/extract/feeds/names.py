"""The names and the texts of elements of a well-formed feed."""

import re
from collections.abc import Mapping
from contextlib import suppress

from lxml import etree
from lxml.etree import _Element

_CORE = (
    "http://www.w3.org/2005/atom http://purl.org/atom/ns# http://purl.org/rss/1.0/ "
    "http://my.netscape.com/rdf/simple/0.9/ http://backend.userland.com/rss http://backend.userland.com/rss2 "
    "http://blogs.law.harvard.edu/tech/rss"
)
#: namespace in lower case -> its usual prefix; "" is the feed's own vocabulary
_PREFIXES: Mapping[str, str] = {
    **dict.fromkeys(_CORE.split(), ""),
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://purl.org/rss/1.0/modules/content/": "content:",
    "http://purl.org/rss/1.0/modules/syndication/": "sy:",
    "http://search.yahoo.com/mrss": "media:",
    "http://search.yahoo.com/mrss/": "media:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
}
#: namespaces that feedparser reads besides; none of them reaches a record
_OF_NO_INTEREST = frozenset(
    "http://purl.org/rss/1.0/modules/slash/ http://wellformedweb.org/commentapi/ http://www.georss.org/georss "
    "http://www.w3.org/2003/01/geo/wgs84_pos# http://purl.org/syndication/thread/1.0 http://webns.net/mvcb/ "
    "http://rssnamespace.org/feedburner/ext/1.0 com-wordpress:feed-additions:1".split()
)
_PREFIXES_IN_USE = frozenset({prefix.rstrip(":") for prefix in _PREFIXES.values()} | {"xhtml", "psc", "cc"})

IGNORED = ""

#: the characters of windows-1252 at the code points of control characters
_MEANT = {code: char for code in range(0x80, 0xA0) if (char := bytes([code]).decode("cp1252", "ignore"))}
_CONTROLS = re.compile(r"[\x80-\x9f]")

_TEXT_TYPES = frozenset({"text", "html", "text/html", "text/plain", "plain"})
_XHTML_TYPES = frozenset({"xhtml", "application/xhtml+xml"})
HTML_TYPES = _XHTML_TYPES | {"html", "text/html"}


class Unusual(Exception):
    """This feed has something that only feedparser can parse."""


class FeedNames:
    """The names of one feed's elements; each tag is resolved once.

    The namespace of the root is the feed's own, whatever its author called it, unless it is a known one.
    """

    __slots__ = ("_known", "_own")

    def __init__(self, root: _Element) -> None:
        self._known: dict[str, str] = {}
        self._own = str(root.tag)[1:].rpartition("}")[0].lower()

    def of(self, element: _Element) -> str:
        """Such as "title" or "dc:creator", in lower case; IGNORED for elements that no record uses."""
        tag = str(element.tag)
        name = self._known.get(tag)
        if name is None:
            name = self._known[tag] = _name(tag, element.prefix, self._own)
        return name


def _name(tag: str, given_prefix: str | None, own: str) -> str:
    namespace, _, local = tag[1:].rpartition("}") if tag.startswith("{") else ("", "", tag)
    local = local.lower()
    if not namespace:
        return local
    namespace = namespace.lower()
    prefix = _PREFIXES.get(namespace)
    if prefix is not None:
        return prefix + local
    if namespace == own and given_prefix is not None:
        return local
    if namespace not in _OF_NO_INTEREST and (given_prefix is None or given_prefix.lower() in _PREFIXES_IN_USE):
        # Without a prefix of its own it might mean the feed's vocabulary.
        raise Unusual
    return IGNORED


def text_in(element: _Element) -> str:
    """The text of an element without children; repaired as feedparser repairs it."""
    if len(element):
        raise Unusual
    return _mended((element.text or "").strip())


def _mended(text: str) -> str:
    """Repairs UTF-8 that was read as latin-1 and encoded once more, and windows-1252: both are common mistakes."""
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("latin-1").decode()
    return text.translate(_MEANT) if _CONTROLS.search(text) else text


def marked_up(element: _Element) -> str:
    """A text that may contain markup, as markup."""
    kind = attribute_of(element, "type", "text")
    if element.get("mode", "escaped").lower() not in ("escaped", "xml"):
        raise Unusual
    if kind in _XHTML_TYPES:
        return _xhtml(element)
    if kind not in _TEXT_TYPES:
        raise Unusual
    return text_in(element)


def _xhtml(element: _Element) -> str:
    inner = [etree.tostring(child, encoding="unicode", method="html") for child in element]
    if (element.text or "").strip() or any("&lt;" in markup for markup in inner):
        raise Unusual
    return _mended("".join(inner).strip())


def attribute_of(element: _Element, name: str, otherwise: str) -> str:
    """The attribute in lower case."""
    value = element.get(name)
    return otherwise if value is None else value.lower()
