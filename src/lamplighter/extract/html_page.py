"""An HTML page, parsed once and shared by every rung, with what its head says about it."""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from lamplighter.extract.directives import AGENT, NOTHING_ASKED, Directives, from_meta
from lamplighter.rules.urls import join

_HEAD = "base[href], link[rel], meta[name]"
_INVISIBLE = "script, style, noscript, template"
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlPage:
    """One parsed page."""

    #: the address it was fetched from
    url: str
    #: what its relative links are relative to
    base: str
    tree: LexborHTMLParser
    title: str | None
    language: str | None
    #: rel=canonical when it stays on this host
    canonical: str | None
    #: where rel=next in the head points
    next_in_head: str | None
    feeds: tuple[str, ...]
    directives: Directives


def parse_page(html: str, url: str, *, asked: Directives = NOTHING_ASKED) -> HtmlPage:
    """The page, ready to be read; `asked` is what its response header wants. Call `bounds.excess` first."""
    tree = LexborHTMLParser(html)
    head = tree.css(_HEAD)
    base = _base(head, url)
    links = [(node.attributes, _words(node, "rel")) for node in head if node.tag == "link"]
    canonical = next((_joined(base, found) for found, rel in links if "canonical" in rel), None)
    feeds = (
        _joined(base, found) for found, rel in links if "alternate" in rel and (found.get("type") or "") in _FEED_TYPES
    )
    return HtmlPage(
        url=url,
        base=base,
        tree=tree,
        title=_title(tree),
        language=(tree.root.attributes.get("lang") or None) if tree.root else None,
        canonical=canonical if canonical and host_of(canonical) == host_of(url) else None,
        next_in_head=next((_joined(base, found) for found, rel in links if "next" in rel), None),
        feeds=tuple(dict.fromkeys(feed for feed in feeds if feed)),
        directives=asked | _directives(head),
    )


def host_of(normalised_url: str) -> str:
    """The host, with its port when it is not the scheme's own."""
    return normalised_url.split("/", 3)[2]


def select(node: LexborHTMLParser | LexborNode, selector: str) -> list[LexborNode]:
    """The nodes a selector finds; none when it is no selector (a recipe's JSON path, say)."""
    try:
        return node.css(selector)
    except (SelectolaxError, UnicodeEncodeError):
        return []


def folded(text: str | None) -> str:
    """The text with every run of white space made one space."""
    return " ".join(text.split()) if text else ""


def take_visible_text(tree: LexborHTMLParser) -> str:
    """What a reader sees of the page. Removes the rest from the tree: the last thing to ask of it."""
    for node in tree.css(_INVISIBLE):
        node.decompose()
    return folded(tree.body.text(separator=" ")) if tree.body else ""


def _title(tree: LexborHTMLParser) -> str | None:
    node = tree.head.css_first("title") if tree.head else None
    return (folded(node.text()) or None) if node else None


def _base(head: list[LexborNode], url: str) -> str:
    found = next((node for node in head if node.tag == "base"), None)
    return (_joined(url, found.attributes) or url) if found else url


def _joined(base: str, attributes: dict[str, str | None]) -> str | None:
    return join(base, attributes.get("href") or "")


def _words(node: LexborNode, attribute: str) -> list[str]:
    return (node.attributes.get(attribute) or "").lower().split()


def _directives(head: list[LexborNode]) -> Directives:
    metas = (node.attributes for node in head if node.tag == "meta")
    return from_meta(
        found.get("content") or "" for found in metas if (found["name"] or "").strip().lower() in ("robots", AGENT)
    )
