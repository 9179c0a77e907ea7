"""How is a page parsed, and its tree asked, where the parser's own ways are not ours?"""

from collections.abc import Iterator

from turbohtml import Document, Element, Text, parse

from lamplighter.extract.shallow import shallow


def parsed(html: str, tags: int | None = None) -> Document:
    """The tree of a page or of a piece of one. Call `bounds.excess` first; `tags` is as there."""
    tree = parse(shallow(html, tags), positions=False, allow_declarative_shadow_roots=False)
    # What is in a template is no part of the page until a script says so, but the parser finds elements in it.
    for template in tree.find_all("template"):
        template.clear()
    return tree


def holds(node: Element, selector: str) -> bool:
    """Is there such an element, or is this one?"""
    return node.matches(selector) or node.select_one(selector) is not None


def parent_of(node: Element) -> Element | None:
    """The element around this one."""
    parent = node.parent
    return parent if isinstance(parent, Element) else None


def self_and_above(node: Element | None) -> Iterator[Element]:
    """The element and those around it, the nearest first."""
    while node is not None:
        yield node
        node = parent_of(node)


def spaced_text(node: Element, separator: str = " ") -> str:
    """All texts in an element, parted where elements part them."""
    return separator.join(node.strings)


def own_text(node: Element) -> str:
    """The texts that stand in an element itself, not in those inside it."""
    return "".join([child.data for child in node if isinstance(child, Text)])
