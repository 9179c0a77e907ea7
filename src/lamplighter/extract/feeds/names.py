"""Resolves the names of a feed's elements, whatever prefix its author chose."""

from collections.abc import Mapping

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


class Unusual(Exception):
    """This feed has something that only feedparser can parse."""


class FeedNames:
    """The names of one feed's elements; each tag is resolved once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, element: _Element) -> str:
        """Such as "title" or "dc:creator", in lower case; IGNORED for elements that no record uses."""
        tag = str(element.tag)
        name = self._known.get(tag)
        if name is None:
            name = self._known[tag] = _name(tag, element.prefix)
        return name


def _name(tag: str, given_prefix: str | None) -> str:
    namespace, _, local = tag[1:].rpartition("}") if tag.startswith("{") else ("", "", tag)
    local = local.lower()
    if not namespace:
        return local
    namespace = namespace.lower()
    prefix = _PREFIXES.get(namespace)
    if prefix is not None:
        return prefix + local
    if namespace not in _OF_NO_INTEREST and (given_prefix is None or given_prefix.lower() in _PREFIXES_IN_USE):
        # Without a prefix of its own it might mean the feed's vocabulary.
        raise Unusual
    return IGNORED
