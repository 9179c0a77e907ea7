"""Which of the schema.org items on a page are its records, in any syntax?"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.structured.schema_org import fields_of, kind_of, types_of
from lamplighter.extract.structured.schema_values import Index, Node, address, each, resolved, text
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

CONFIDENCE = 0.90

#: properties that may contain the things a page is about
_CONTAINERS = (
    "@graph mainEntity mainEntityOfPage mainContentOfPage item dataFeedElement blogPost blogPosts itemOffered "
    "makesOffer hasOfferCatalog"
).split()
#: properties that list things; there even an item of unknown type may be one of them
_LISTS = ("itemListElement", "hasPart")
#: properties whose items are never what the page is about
_NEVER = frozenset(
    "breadcrumblist breadcrumb sitenavigationelement wpheader wpfooter wpsidebar webpageelement question answer howto "
    "howtostep howtosection review aggregaterating imageobject".split()
)
#: types that leave open what an item is
_UNSPECIFIC = frozenset("listitem thing webpage itempage creativework url".split())
_FROM_LIST_ITEM = ("name", "url", "image", "description")
_DEEPEST = 8
_MOST_NODES = 5_000


class _Item(NamedTuple):
    node: Node
    #: one entry of a list
    listed: bool


def records_of(
    nodes: list[Any], *, page: HtmlPage, wanted: RecordKind | None, method: Method, have_ids: bool = True
) -> list[RawRecord]:
    """The records of these items, in their order; without `have_ids` no item has an @id, and none refers to another."""
    if not nodes:
        return []
    index = _index(nodes) if have_ids else {}
    items = list(islice(_walk(nodes, index, _DEEPEST, listed=False), _MOST_NODES))
    records = []
    for item in _without_repeats(items, index):
        kind = kind_of(item.node, wanted) or _kind_in_list(item, wanted)
        fields = fields_of(item.node, kind, resolver=page.resolver, index=index) if kind else {}
        if kind and _tells_enough(item, fields):
            if _is_told_here(item, fields):
                fields["url"] = page.canonical or page.url
            found = {name: Finding(value, method, CONFIDENCE) for name, value in fields.items()}
            records.append(RawRecord(kind=kind, fields=found))
    return records


def _tells_enough(item: _Item, fields: Node) -> bool:
    """An entry with only an address is a link; its own page, or another block, says what it is."""
    if not item.listed:
        return bool(fields)
    return "title" in fields and (kind_of(item.node) is not None or "url" in fields)


def _is_told_here(item: _Item, fields: Node) -> bool:
    """Is it a recipe with all its steps? Those are written out on its own page only."""
    return "url" not in fields and not item.listed and "recipe" in types_of(item.node)


def _kind_in_list(item: _Item, wanted: RecordKind | None) -> RecordKind | None:
    is_open = item.listed and _UNSPECIFIC.issuperset(types_of(item.node))
    return (wanted or RecordKind.OTHER) if is_open else None


def _index(nodes: list[Any]) -> Index:
    """Every item with an @id: the data of several blocks are merged, the first value wins."""
    index: dict[str, Node] = {}
    ambiguous: set[str] = set()
    for node in islice(_dicts_in(nodes), _MOST_NODES):
        name = node.get("@id")
        if len(node) < 2 or not isinstance(name, str) or name in ambiguous:
            continue
        if name in index and _differ(node, index[name]):
            # A template that gives every product of a list the same @id: then it refers to none.
            ambiguous.add(name)
            del index[name]
        else:
            index[name] = {**node, **index.get(name, {})}
    return index


def _dicts_in(nodes: list[Any]) -> Iterator[Node]:
    pending: list[Any] = [nodes]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            yield value
            value = list(value.values())
        # Reversed, so that the first of them is taken from the end next.
        pending += [inner for inner in reversed(value) if isinstance(inner, (dict, list))]


def _differ(node: Node, other: Node) -> bool:
    names = ("name", "headline", "title", "url", "sku")
    return any(name in node and name in other and node[name] != other[name] for name in names)


def _walk(value: Any, index: Index, depth: int, *, listed: bool) -> Iterator[_Item]:
    """Every item that may be what the page is about."""
    if depth == 0:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _walk(entry, index, depth - 1, listed=listed)
    elif isinstance(value, dict):
        node = _unfolded(resolved(value, index), index)
        types = types_of(node)
        if kind_of(node) is not None:
            yield _Item(node, listed)
        elif _NEVER.isdisjoint(types):
            yield _Item(node, listed)
            yield from _inside(node, index, depth)
        else:
            yield from _reversed(node, index, depth)


def _inside(node: Node, index: Index, depth: int) -> Iterator[_Item]:
    for name in _CONTAINERS:
        if name in node:
            yield from _walk(node[name], index, depth - 1, listed=False)
    for name in _LISTS:
        if name in node and not _is_trail(node[name]):
            yield from _walk(node[name], index, depth - 1, listed=True)
    yield from _reversed(node, index, depth)


def _reversed(node: Node, index: Index, depth: int) -> Iterator[_Item]:
    """Items that point to this one: {"@reverse": {"hiringOrganization": [jobs]}} at the organisation."""
    pointing = node.get("@reverse")
    if not isinstance(pointing, dict):
        return
    owner = {name: value for name, value in node.items() if name != "@reverse"}
    for name, value in pointing.items():
        others = [{name: owner, **other} for other in each(value) if isinstance(other, dict)]
        yield from _walk(others, index, depth - 1, listed=False)


def _unfolded(node: Node, index: Index) -> Node:
    """The subject of a list entry or an offer, with what the entry or the offer says about it."""
    if "itemOffered" in node and isinstance(offered := next(iter(each(node["itemOffered"])), None), dict):
        offer = {name: value for name, value in node.items() if name != "itemOffered"}
        return {"offers": offer, **_given(node, ("name", "url")), **resolved(offered, index)}
    if "item" not in node:
        return node
    inner = next(iter(each(node["item"])), None)
    if isinstance(inner, dict):
        inner = resolved(inner, index)
        return {**_given(node, _FROM_LIST_ITEM), **(_unfolded(inner, index) if "itemOffered" in inner else inner)}
    # Its address is all that is said about it besides its name.
    return {**_given(node, _FROM_LIST_ITEM), "url": inner} if isinstance(inner, str) else node


def _given(node: Node, names: Iterable[str]) -> Node:
    return {name: node[name] for name in names if name in node}


def _is_trail(entries: Any) -> bool:
    """Is the list a breadcrumb trail that only calls itself a list?"""
    urls = []
    for entry in each(entries):
        if isinstance(entry, dict):
            item = entry.get("item")
            inner = item if isinstance(item, dict) else entry
            if kind_of(inner) is not None:
                return False
            urls.append(address(item if isinstance(item, str) else inner.get("url") or inner.get("@id")) or "")
    # What follows the host, or the whole of a relative address: nothing but slashes is the home page.
    paths = (url.partition("://")[2].partition("/")[2] if "://" in url else url.strip("/") for url in urls if url)
    return "" in paths


def _without_repeats(items: Sequence[_Item], index: Index) -> Iterator[_Item]:
    """The items without duplicates; of the variants of one product only the group, or else the first."""
    seen: set[tuple[str, str]] = set()
    groups = {key for item in items if "productgroup" in types_of(item.node) for key in _names_of_group(item.node)}
    for item in items:
        name = item.node.get("@id")
        variant = None if "productgroup" in types_of(item.node) else _group_of(item.node)
        if variant is not None and variant in groups:
            continue
        keys = {("@id", name)} if isinstance(name, str) and name in index else set()
        if variant is not None:
            keys.add(("variant", variant))
        if seen.isdisjoint(keys):
            yield item
        seen |= keys


def _names_of_group(group: Node) -> list[str]:
    return [name for key in ("@id", "productGroupID") if (name := text(group.get(key)))]


def _group_of(product: Node) -> str | None:
    """The name by which a variant refers to its product."""
    group = next(iter(each(product.get("isVariantOf"))), None)
    if isinstance(group, dict):
        return next(iter(_names_of_group(group)), None)
    return text(group) or text(product.get("inProductGroupWithID"))
