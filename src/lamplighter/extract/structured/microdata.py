"""Extracts the records of microdata: itemscope, itemtype, itemprop, itemref."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from turbohtml import Element

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.structured.property_value import PropertyValues, Scopes
from lamplighter.extract.structured.schema_items import records_of
from lamplighter.extract.structured.schema_values import Node, add_value
from lamplighter.model.record import Method, RawRecord, RecordKind

_MARKED = "[itemscope], [itemprop]:not([itemscope])"
_MOST_ELEMENTS = 20_000
_DEEPEST = 12
_MOST_NAMES = 20
#: properties that name an item; what is named in a link has its page there
_TITLES = frozenset({"name", "headline", "title"})


class _Owner(NamedTuple):
    """The owner of a property: an item, or a part of the page that items may refer to by its id."""

    element: Element
    is_item: bool


def microdata_records(page: HtmlPage, wanted: RecordKind | None = None) -> list[RawRecord]:
    """The records that the page's elements are marked up as, in document order."""
    return records_of(microdata_nodes(page), page=page, wanted=wanted, method=Method.MICRODATA)


def microdata_nodes(page: HtmlPage) -> list[Node]:
    """The items that belong to no other, shaped like JSON-LD."""
    if page.tree.select_one("[itemscope]") is None:
        return []
    return _Items(page).outermost()


class _Items:
    """The items of one page."""

    def __init__(self, page: HtmlPage) -> None:
        marked = page.tree.select(_MARKED)[:_MOST_ELEMENTS]
        self._items = {element for element in marked if element.attr("itemscope") is not None}
        self._referred = _referred(page, self._items)
        self._parts = set(self._referred.values())
        self._scopes = Scopes(self._items | self._parts)
        #: in document order, the properties and the parts of items or other parts
        self._properties: dict[_Owner, list[Element]] = defaultdict(list)
        self._inner_parts: dict[_Owner, list[Element]] = defaultdict(list)
        self._outermost: list[Element] = []
        self._values = PropertyValues()
        self._arrange(marked)

    def outermost(self) -> list[Node]:
        """The items that are not a property of another."""
        return [self._built(element, ()) for element in self._outermost]

    def _arrange(self, marked: list[Element]) -> None:
        for element in self._referred.values():
            if (owner := self._owner_around(element)) is not None:
                self._inner_parts[owner].append(element)
        for element in marked:
            owner = _Owner(element, False) if element in self._parts else self._owner_around(element)
            if element.attr("itemprop") and owner is not None:
                self._properties[owner].append(element)
            elif element in self._items:
                self._outermost.append(element)

    def _owner_around(self, element: Element) -> _Owner | None:
        around = self._scopes.around(element)
        return None if around is None else _Owner(around, around in self._items)

    def _built(self, item: Element, around: tuple[Element, ...]) -> Node:
        """The item with everything in it; `around` are the items being built, for an itemref may be circular."""
        path = (*around, item)
        built: Node = {}
        linked: str | None = None
        if types := (item.attr("itemtype") or "").split()[:_MOST_NAMES]:
            built["@type"] = types[0] if len(types) == 1 else types
        if name := item.attr("itemid"):
            built["@id"] = name
        for element in self._belonging(item):
            if self._values.are_exhausted():
                break
            names = (element.attr("itemprop") or "").split()[:_MOST_NAMES]
            if element not in self._items:
                for name in names:
                    add_value(built, name, self._values.of(element, name))
                if linked is None and not _TITLES.isdisjoint(names):
                    linked = _link_in(element)
            elif element not in path and len(path) < _DEEPEST:
                value = self._built(element, path)
                for name in names:
                    add_value(built, name, value)
        if linked is not None and "@type" in built and "url" not in built:
            built["url"] = linked
        return built

    def _belonging(self, item: Element) -> Iterator[Element]:
        """The properties inside the item, and those in the parts of the page that it refers to."""
        pending = [_Owner(item, True)]
        for name in reversed((item.attr("itemref") or "").split()[:_MOST_NAMES]):
            if name in self._referred:
                pending.insert(1, _Owner(self._referred[name], False))
        seen: set[_Owner] = set()
        while pending:
            owner = pending.pop(0)
            if owner in seen:
                continue
            seen.add(owner)
            yield from self._properties.get(owner, ())
            pending += [_Owner(part, False) for part in self._inner_parts.get(owner, ())]


def _link_in(title: Element) -> str | None:
    """Where a title leads; None when it is not one link."""
    links = [title] if title.tag == "a" else title.select("a[href]")
    return links[0].attr("href") if len(links) == 1 else None


def _referred(page: HtmlPage, items: Iterable[Element]) -> dict[str, Element]:
    """The elements that some itemref names, by their id."""
    wanted = {name for item in items for name in (item.attr("itemref") or "").split()[:_MOST_NAMES]}
    found: dict[str, Element] = {}
    for node in page.tree.select("[id]") if wanted else ():
        name = node.attr("id")
        if name in wanted and name not in found:
            found[name] = node
    return found
