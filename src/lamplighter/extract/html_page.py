"""An HTML page, parsed once and shared by every rung, with the information of its head."""

from collections.abc import Callable, Iterable
from functools import wraps
from html import unescape
from typing import Any, NamedTuple, TypeVar, cast

from turbohtml import Document, Element

from lamplighter.extract.bounds import excess
from lamplighter.extract.directives import AGENT, from_meta
from lamplighter.extract.elements import parent_of, parsed, select, spaced_text
from lamplighter.model.reading import NO_DIRECTIVES, Directives
from lamplighter.rules.robots import usage
from lamplighter.rules.urls.urls import LinkResolver

_JSON_LD = "application/ld+json"
#: elements that are never removed, whatever a selector matches
_WHOLE_PAGE = frozenset({"html", "head", "body"})
_INVISIBLE = "script, style, template, noscript"
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"})
#: domains at the top whose sites in English are of one country; others are in use everywhere
_SPEAKING_ENGLISH = {
    **dict.fromkeys(("gov", "mil", "edu", "us"), "US"), "uk": "GB", "ie": "IE", "au": "AU", "nz": "NZ", "in": "IN",
}  # fmt: skip

#: characters of one value that are read
_LONGEST = 200_000

_T = TypeVar("_T")


class HtmlPage(NamedTuple):
    """One parsed page; a tuple, because that is made in a third of the time."""

    #: the address it was fetched from
    url: str
    #: base of its relative links
    base: str
    #: makes absolute what is relative to `base`
    resolver: LinkResolver
    tree: Document
    #: None on a page of frames
    body: Element | None
    #: elements that link to somewhere, in document order
    anchors: list[Element]
    #: the JSON-LD blocks, in document order
    data_blocks: list[Element]
    #: the other inline scripts, in document order
    scripts: list[Element]
    #: every meta element, in document order
    metas: list[Element]
    title: str | None
    language: str | None
    #: rel=canonical when it stays on this host
    canonical: str | None
    #: where rel=next in the head points
    next_in_head: str | None
    feeds: tuple[str, ...]
    directives: Directives
    #: what its meta elements say about using its content (see rules.usage)
    usage: str | None
    #: what was computed from the page, by the function that computed it
    computed: dict[Callable[["HtmlPage"], Any], Any]


def once_a_page(compute: Callable[[HtmlPage], _T]) -> Callable[[HtmlPage], _T]:
    """The function, computed when it is first asked about a page. What it returns must not be changed."""

    @wraps(compute)
    def computed(page: HtmlPage) -> _T:
        known = page.computed
        if compute not in known:
            known[compute] = compute(page)
        return cast(_T, known[compute])

    return computed


def parse_page(
    html: str,
    url: str,
    *,
    header_directives: Directives = NO_DIRECTIVES,
    agent: str = AGENT,
    ignore: Iterable[str] = (),
    tags: int | None = None,
) -> HtmlPage:
    """The parsed page without what `ignore` matches; call `bounds.excess` first."""
    tree = parsed(html, tags)
    for selector in ignore:
        # Inner elements first: one that was removed with its parent must not be touched again.
        for node in reversed(select(tree, selector)):
            if node.tag not in _WHOLE_PAGE:
                node.decompose()
    resolver = LinkResolver(url)
    bases = _having(tree, "base", "href")
    base = (resolver.resolve(bases[0].attr("href") or "") if bases else None) or url
    if base != url:
        resolver = LinkResolver(base)
    canonical, next_in_head, feeds = _links(_having(tree, "link", "rel"), resolver)
    data_blocks, scripts = _scripts(tree.find_all("script"))
    metas = tree.find_all("meta")
    directives, terms = _asked(metas, agent)
    return HtmlPage(
        url=url,
        base=base,
        resolver=resolver,
        tree=tree,
        body=tree.find("body"),
        anchors=tree.select("a[href], area[href]") if tree.find("area") is not None else _having(tree, "a", "href"),
        data_blocks=data_blocks,
        scripts=scripts,
        metas=metas,
        title=_title(tree),
        language=_language((tree.root.attr("lang") or None) if tree.root else None, host_of(url)),
        canonical=canonical if canonical and host_of(canonical) == host_of(url) else None,
        next_in_head=next_in_head,
        feeds=feeds,
        directives=header_directives if directives is NO_DIRECTIVES else header_directives | directives,
        usage=terms,
        computed={},
    )


def _language(declared: str | None, host: str) -> str | None:
    """The language that the page declares; English of no country is that of the host's country."""
    if declared is None or declared.strip().lower() != "en":
        return declared
    country = _SPEAKING_ENGLISH.get(host.partition(":")[0].rpartition(".")[2])
    return f"en-{country}" if country else declared


def host_of(normalised_url: str) -> str:
    """The host, with its port when it is not the scheme's default."""
    return normalised_url.split("/", 3)[2]


def folded(text: str | None) -> str:
    """The text with every run of white space replaced by one space."""
    return " ".join(text.split()) if text else ""


def take_visible_text(tree: Document) -> str:
    """The visible text of the page. Removes the rest from the tree, so it must be the last query."""
    body = tree.remove(_INVISIBLE).find("body")
    return folded(spaced_text(body)) if body is not None else ""


def _having(tree: Document, tag: str, attribute: str) -> list[Element]:
    # The parser has an index of elements by name; for a selector it would walk the whole tree.
    return [node for node in tree.find_all(tag) if node.attr(attribute) is not None]


def _title(tree: Document) -> str | None:
    """The title of the page, not of a picture in it."""
    titles = tree.find_all("title")
    own = (node for node in titles if (around := parent_of(node)) is not None and around.tag == "head")
    return next((folded(node.text) or None for node in own), None)


def _links(links: Iterable[Element], resolver: LinkResolver) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Where the first rel=canonical, the first rel=next and the announced feeds point."""
    first: dict[str, str | None] = {}
    feeds: dict[str, None] = {}
    for node in links:
        rel, href = (node.attr("rel") or "").lower().split(), node.attr("href") or ""
        for name in ("canonical", "next"):
            if name in rel and name not in first:
                first[name] = resolver.resolve(href)
        if "alternate" in rel and node.attr("type") in _FEED_TYPES and (feed := resolver.resolve(href)):
            feeds[feed] = None
    return first.get("canonical"), first.get("next"), tuple(feeds)


def _scripts(scripts: Iterable[Element]) -> tuple[list[Element], list[Element]]:
    """Of the inline scripts, the JSON-LD blocks, and the rest."""
    data_blocks: list[Element] = []
    others: list[Element] = []
    for node in scripts:
        if node.attr("src") is not None:
            continue
        given = node.attr("type")
        # Some add "; charset=utf-8", some a space, some write it in capitals.
        is_data = given is not None and given.strip()[: len(_JSON_LD)].lower() == _JSON_LD
        (data_blocks if is_data else others).append(node)
    return data_blocks, others


def _asked(metas: Iterable[Element], agent: str) -> tuple[Directives, str | None]:
    """The directives of the meta elements for us, and what they say about using the content."""
    to_us: list[str] = []
    terms: list[str] = []
    for node in metas:
        name = (node.attr("name") or "").strip().lower()
        if name in ("robots", agent):
            to_us.append(node.attr("content") or "")
        elif name in usage.META_NAMES:
            terms.append(usage.line("meta", name, node.attr("content") or ""))
    return from_meta(to_us) if to_us else NO_DIRECTIVES, usage.joined(*terms) if terms else None


def plain(value: str) -> str:
    """The visible text, white space folded."""
    value = value[:_LONGEST]
    if "<" not in value and "&" not in value:
        return folded(value)
    if "<" not in value and "&lt;" in value:
        # A description that was escaped once too often is common, and tags are never meant to be shown.
        value = unescape(value)
    if "<" not in value:
        return folded(unescape(value))
    # A lone surrogate, which JSON can write, is invisible.
    value = value.encode(errors="ignore").decode()
    return "" if excess(value) else take_visible_text(parsed(value))
