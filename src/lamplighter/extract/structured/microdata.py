"""Which records does a page describe by microdata: itemscope, itemtype, itemprop, itemref?"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.structured.property_value import PropertyValues
from lamplighter.extract.structured.schema_items import records_of
from lamplighter.extract.structured.schema_values import Node, add_value
from lamplighter.extract.structured.scopes import Scopes
from lamplighter.model.record import Method, RawRecord, RecordKind

_MARKED = "[itemscope], [itemprop]:not([itemscope])"
_MOST_ELEMENTS = 20_000
_DEEPEST = 12
_MOST_NAMES = 20


class _Element(NamedTuple):
    node: LexborNode
    attributes: dict[str, str | None]
    place: int


class _Owner(NamedTuple):
    """What a property belongs to: an item, or a part of the page that items may refer to by its id."""

    place: int
    is_item: bool


def microdata_records(page: HtmlPage, wanted: RecordKind | None = None) -> list[RawRecord]:
    """The records that the page's elements are marked up as, in document order."""
    return records_of(microdata_nodes(page), page=page, wanted=wanted, method=Method.MICRODATA)


def microdata_nodes(page: HtmlPage) -> list[Node]:
    """The items that belong to no other, shaped like JSON-LD."""
    if page.tree.css_first("[itemscope]") is None:
        return []
    return _Items(page).outermost()


class _Items:
    """The items of one page."""

    def __init__(self, page: HtmlPage) -> None:
        marked = [_element(node) for node in page.tree.css(_MARKED)[:_MOST_ELEMENTS]]
        self._items = {element.place: element for element in marked if "itemscope" in element.attributes}
        self._referred = _referred(page, self._items)
        self._parts = {element.place for element in self._referred.values()}
        self._scopes = Scopes(self._items.keys() | self._parts)
        #: in document order, the properties and the parts that items or other parts hold
        self._properties: dict[_Owner, list[_Element]] = defaultdict(list)
        self._inner_parts: dict[_Owner, list[int]] = defaultdict(list)
        self._outermost: list[_Element] = []
        self._values = PropertyValues()
        self._arrange(marked)

    def outermost(self) -> list[Node]:
        """The items that are no property of another."""
        return [self._built(element, ()) for element in self._outermost]

    def _arrange(self, marked: list[_Element]) -> None:
        for element in self._referred.values():
            if (owner := self._owner_around(element)) is not None:
                self._inner_parts[owner].append(element.place)
        for element in marked:
            owner = _Owner(element.place, False) if element.place in self._parts else self._owner_around(element)
            if element.attributes.get("itemprop") and owner is not None:
                self._properties[owner].append(element)
            elif element.place in self._items:
                self._outermost.append(element)

    def _owner_around(self, element: _Element) -> _Owner | None:
        place = self._scopes.around(element.node)
        return None if place is None else _Owner(place, place in self._items)

    def _built(self, item: _Element, around: tuple[int, ...]) -> Node:
        """The item with everything in it; `around` are the items being built, for an itemref may lead back."""
        path = (*around, item.place)
        built: Node = {}
        if types := (item.attributes.get("itemtype") or "").split()[:_MOST_NAMES]:
            built["@type"] = types[0] if len(types) == 1 else types
        if name := item.attributes.get("itemid"):
            built["@id"] = name
        for element in self._belonging(item):
            if self._values.are_exhausted():
                break
            names = (element.attributes["itemprop"] or "").split()[:_MOST_NAMES]
            if element.place not in self._items:
                for name in names:
                    add_value(built, name, self._values.of(element.node, element.attributes, name))
            elif element.place not in path and len(path) < _DEEPEST:
                value = self._built(element, path)
                for name in names:
                    add_value(built, name, value)
        return built

    def _belonging(self, item: _Element) -> Iterator[_Element]:
        """The properties inside the item, and those in the parts of the page that it refers to."""
        pending = [_Owner(item.place, True)]
        for name in reversed((item.attributes.get("itemref") or "").split()[:_MOST_NAMES]):
            if name in self._referred:
                pending.insert(1, _Owner(self._referred[name].place, False))
        seen: set[_Owner] = set()
        while pending:
            owner = pending.pop(0)
            if owner in seen:
                continue
            seen.add(owner)
            yield from self._properties.get(owner, ())
            pending += [_Owner(place, False) for place in self._inner_parts.get(owner, ())]


def _element(node: LexborNode) -> _Element:
    return _Element(node, node.attributes, node.mem_id)


def _referred(page: HtmlPage, items: dict[int, _Element]) -> dict[str, _Element]:
    """The elements that some itemref names, by their id."""
    wanted = {name for item in items.values() for name in (item.attributes.get("itemref") or "").split()[:_MOST_NAMES]}
    found: dict[str, _Element] = {}
    for node in page.tree.css("[id]") if wanted else ():
        name = node.attributes.get("id")
        if name in wanted and name not in found:
            found[name] = _element(node)
    return found
