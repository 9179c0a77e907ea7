"""Where a recipe's rules are applied: an element of a page, or a value of a JSON response."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from turbohtml import Element

from lamplighter.extract.answers.json_path import at, shape_of, texts_at
from lamplighter.extract.elements import spaced_text
from lamplighter.extract.selectors import select
from lamplighter.model.recipe import FieldRule

#: fields whose value is an address: resolved when relative, and read from the link, not from its text
_URL_FIELDS = frozenset({"url", "apply_url", "image"})
_URL_ATTRIBUTES = ("href", "src")


class RecipeScope(Protocol):
    """Something in which rules find texts and parts."""

    def texts(self, name: str, rule: FieldRule) -> Iterable[str]:
        """What the rule of the field `name` finds, untransformed, in its order."""
        ...

    def parts(self, selector: str) -> "Sequence[RecipeScope]":
        """What the selector finds, as scopes to search in."""
        ...

    def hint(self) -> str:
        """What there is instead of something that was not found."""
        ...


def is_address(name: str) -> bool:
    """Is the value of this field an address?"""
    return name in _URL_FIELDS


@dataclass(frozen=True, slots=True)
class HtmlScope:
    """An element."""

    node: Element

    def texts(self, name: str, rule: FieldRule) -> Iterable[str]:
        for node in self._found(rule.selector):
            if rule.attribute is not None:
                yield node.attr(rule.attribute) or ""
            elif is_address(name) and (address := _address(node)):
                yield address
            else:
                yield spaced_text(node)

    def parts(self, selector: str) -> Sequence[RecipeScope]:
        return [HtmlScope(node) for node in self._found(selector)]

    def hint(self) -> str:
        return ""

    def _found(self, selector: str) -> list[Element]:
        return select(self.node, selector) if selector else [self.node]


@dataclass(frozen=True, slots=True)
class JsonScope:
    """A JSON value."""

    value: Any

    def texts(self, name: str, rule: FieldRule) -> Iterable[str]:
        return texts_at(self.value, rule.selector)

    def parts(self, selector: str) -> Sequence[RecipeScope]:
        found = at(self.value, selector)
        return [JsonScope(item) for item in (found if isinstance(found, list) else [found])]

    def hint(self) -> str:
        return f"; the first {shape_of(self.value)}"


def _address(node: Element) -> str | None:
    return next((value for name in _URL_ATTRIBUTES if (value := node.attr(name))), None)
