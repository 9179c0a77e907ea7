"""Parsing a page and querying its tree, where the parser's API needs help."""

from collections.abc import Iterator

from turbohtml import Document, Element, Text, parse

from lamplighter.extract.shallow import shallow


def parsed(html: str, tags: int | None = None) -> Document:
    """The tree of a page or of a piece of one. Call `bounds.excess` first; `tags` is as there."""
    tree = parse(shallow(html, tags), positions=False, allow_declarative_shadow_roots=False)
    # The content of a template is not part of the page until a script inserts it, but the parser finds elements in it.
    for template in tree.find_all("template"):
        template.clear()
    return tree


def holds(node: Element, selector: str) -> bool:
    """Does the element match the selector, or contain a match?"""
    return node.matches(selector) or node.select_one(selector) is not None


def parent_of(node: Element) -> Element | None:
    """The element around this one."""
    parent = node.parent
    return parent if isinstance(parent, Element) else None


def self_and_above(node: Element | None) -> Iterator[Element]:
    """The element and its ancestors, the nearest first."""
    while node is not None:
        yield node
        node = parent_of(node)


def spaced_text(node: Element, separator: str = " ") -> str:
    """All texts in an element, separated where elements separate them."""
    return separator.join(node.strings)


def own_text(node: Element) -> str:
    """The texts of an element itself, not of its children."""
    return "".join([child.data for child in node if isinstance(child, Text)])
