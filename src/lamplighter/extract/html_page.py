"""An HTML page, parsed once and shared by every rung, with what its head says about it."""

from collections.abc import Iterable
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from lamplighter.extract.directives import AGENT, NOTHING_ASKED, Directives, from_meta
from lamplighter.rules.urls import LinkResolver

#: Everything that is looked for on every page, found in one walk over the tree: a walk costs a fifth of the parsing.
_LOOKED_FOR = (
    'a[href], area[href], base[href], link[rel], meta[name], head > title, script[type="application/ld+json" i]'
)
_INVISIBLE = ("script", "style", "template", "noscript")
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlPage:
    """One parsed page."""

    #: the address it was fetched from
    url: str
    #: what its relative links are relative to
    base: str
    #: makes absolute what is relative to `base`
    resolver: LinkResolver
    tree: LexborHTMLParser
    #: elements that link to somewhere, in document order
    anchors: list[LexborNode]
    #: the JSON-LD blocks, in document order
    data_blocks: list[LexborNode]
    title: str | None
    language: str | None
    #: rel=canonical when it stays on this host
    canonical: str | None
    #: where rel=next in the head points
    next_in_head: str | None
    feeds: tuple[str, ...]
    directives: Directives


def parse_page(html: str, url: str, *, asked: Directives = NOTHING_ASKED, agent: str = AGENT) -> HtmlPage:
    """The page, ready to be read; `asked` is what its response header wants. Call `bounds.excess` first."""
    tree = LexborHTMLParser(html)
    anchors: list[LexborNode] = []
    found: dict[str, list[LexborNode]] = {"base": [], "link": [], "meta": [], "title": [], "script": []}
    for node in tree.css(_LOOKED_FOR):
        found.get(node.tag or "", anchors).append(node)
    resolver = LinkResolver(url)
    base = _base(found["base"], resolver) or url
    if base != url:
        resolver = LinkResolver(base)
    canonical, next_in_head, feeds = _links(found["link"], resolver)
    return HtmlPage(
        url=url,
        base=base,
        resolver=resolver,
        tree=tree,
        anchors=anchors,
        data_blocks=found["script"],
        title=(folded(found["title"][0].text()) or None) if found["title"] else None,
        language=(tree.root.attributes.get("lang") or None) if tree.root else None,
        canonical=canonical if canonical and host_of(canonical) == host_of(url) else None,
        next_in_head=next_in_head,
        feeds=feeds,
        directives=asked | _directives(found["meta"], agent),
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
    for name in _INVISIBLE:
        # By name, for a selector costs more to set up than a short text to parse. Inner elements first: one that went
        # with its parent must not be touched again.
        for node in reversed(tree.tags(name)):
            node.decompose()
    return folded(tree.body.text(separator=" ")) if tree.body else ""


def _base(bases: list[LexborNode], resolver: LinkResolver) -> str | None:
    return resolver.resolve(bases[0].attributes["href"] or "") if bases else None


def _links(links: Iterable[LexborNode], resolver: LinkResolver) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Where the first rel=canonical, the first rel=next and the announced feeds point."""
    first: dict[str, str | None] = {}
    feeds: dict[str, None] = {}
    for node in links:
        attributes = node.attributes
        rel, href = (attributes["rel"] or "").lower().split(), attributes.get("href") or ""
        for name in ("canonical", "next"):
            if name in rel and name not in first:
                first[name] = resolver.resolve(href)
        if "alternate" in rel and attributes.get("type") in _FEED_TYPES and (feed := resolver.resolve(href)):
            feeds[feed] = None
    return first.get("canonical"), first.get("next"), tuple(feeds)


def _directives(metas: Iterable[LexborNode], agent: str) -> Directives:
    found = (node.attributes for node in metas)
    to_us = [meta.get("content") or "" for meta in found if (meta["name"] or "").strip().lower() in ("robots", agent)]
    return from_meta(to_us) if to_us else NOTHING_ASKED
