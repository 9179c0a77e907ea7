"""Extracts the records of RDFa Lite; only schema.org terms are read: bare inside vocab, behind a prefix, or in full."""

from collections import defaultdict

from turbohtml import Element

from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.structured.property_value import PropertyValues, Scopes
from lamplighter.extract.structured.schema_items import records_of
from lamplighter.extract.structured.schema_values import Node, add_value
from lamplighter.model.record import Method, RawRecord, RecordKind

_MARKED = "[typeof], [property]:not([typeof]), [resource]:not([typeof], [property]), [about]:not([typeof], [property])"
_MOST_ELEMENTS = 20_000
_DEEPEST = 12
_MOST_WORDS = 20
_SCHEMA = ("http://schema.org/", "https://schema.org/", "http://www.schema.org/", "https://www.schema.org/")


def rdfa_records(page: HtmlPage, wanted: RecordKind | None = None) -> list[RawRecord]:
    """The records that the page's elements are marked up as, in document order."""
    return records_of(rdfa_nodes(page), page=page, wanted=wanted, method=Method.RDFA)


def rdfa_nodes(page: HtmlPage) -> list[Node]:
    """The items that belong to no other, shaped like JSON-LD."""
    if page.tree.select_one("[typeof]") is None:
        return []
    return _Items(page).outermost()


class _Items:
    """The items of one page."""

    def __init__(self, page: HtmlPage) -> None:
        self._vocabulary = _Vocabulary(page)
        marked = page.tree.select(_MARKED)[:_MOST_ELEMENTS]
        # With a property, a resource alone is a value; without one it names the subject of the elements inside.
        starts = (node for node in marked if node.attr("typeof") is not None or node.attr("property") is None)
        self._items = set(starts)
        self._properties: dict[Element, list[Element]] = defaultdict(list)
        self._outermost: list[Element] = []
        self._values = PropertyValues()
        scopes = Scopes(self._items)
        for element in marked:
            around = scopes.around(element)
            if element.attr("property") and around is not None:
                self._properties[around].append(element)
            elif element in self._items:
                self._outermost.append(element)

    def outermost(self) -> list[Node]:
        """The items that are not a property of another."""
        return [self._built(element, _DEEPEST) for element in self._outermost]

    def _built(self, item: Element, depth: int) -> Node:
        built: Node = {}
        if types := self._vocabulary.terms(item, "typeof"):
            built["@type"] = types[0] if len(types) == 1 else types
        if name := item.attr("resource") or item.attr("about"):
            built["@id"] = name
        for element in self._properties.get(item, ()) if depth else ():
            if self._values.are_exhausted():
                break
            for term in self._vocabulary.terms(element, "property"):
                add_value(built, term, self._value(element, term, depth))
        return built

    def _value(self, element: Element, term: str, depth: int) -> str | Node:
        if element in self._items:
            return self._built(element, depth - 1)
        resource = element.attr("resource")
        if resource and element.attr("content") is None:
            return {"@id": resource}
        return self._values.of(element, term)


class _Vocabulary:
    """Which terms of the page are schema.org's?"""

    def __init__(self, page: HtmlPage) -> None:
        self._vocabularies = {node: node.attr("vocab") or "" for node in page.tree.select("[vocab]")}
        self._scopes = Scopes(self._vocabularies.keys())
        self._prefixes = {"schema": _SCHEMA[0]}
        for node in page.tree.select("[prefix]")[:_MOST_WORDS]:
            words = (node.attr("prefix") or "").split()
            self._prefixes |= {
                name.rstrip(":").lower(): uri for name, uri in zip(words[::2], words[1::2], strict=False)
            }

    def terms(self, element: Element, attribute: str) -> list[str]:
        """The schema.org terms in an attribute, bare."""
        words = (element.attr(attribute) or "").split()[:_MOST_WORDS]
        bare_words_count = any(":" not in word for word in words) and self._speaks_schema(element)
        terms = (self._term(word) if ":" in word else word if bare_words_count else None for word in words)
        return [term for term in terms if term]

    def _term(self, word: str) -> str | None:
        prefix, _, name = word.partition(":")
        known = self._prefixes.get(prefix.lower())
        uri = known + name if known else word
        return next((uri[len(start) :] for start in _SCHEMA if uri.startswith(start)), None)

    def _speaks_schema(self, element: Element) -> bool:
        """Where no vocabulary is declared at all, the author forgot it: types and properties still show it."""
        if not self._vocabularies:
            return True
        speaking = element if element in self._vocabularies else self._scopes.around(element)
        return speaking is not None and self._vocabularies[speaking].strip().rstrip("/") + "/" in _SCHEMA
