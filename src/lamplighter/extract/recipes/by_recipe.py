"""Extracts the records of a page or a JSON response with its source's recipe."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from turbohtml import Element

from lamplighter.extract.answers.json_path import at, shape_of, texts_at, where_it_ends
from lamplighter.extract.elements import select, spaced_text
from lamplighter.extract.html_page import HtmlPage, folded
from lamplighter.extract.recipes import patterns
from lamplighter.extract.recipes.transforms import transformed
from lamplighter.model.recipe import FieldRule, Recipe
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind
from lamplighter.rules.urls.urls import join

CONFIDENCE = 0.95
MAX_ITEMS = 10_000
#: parts of one item that a rule with `many` collects
_MOST_PARTS = 1_000
#: fields whose value is an address: resolved when relative, and read from the link, not from its text
_URL_FIELDS = frozenset({"url", "apply_url", "image"})


def is_address(name: str) -> bool:
    """Is the value of this field an address?"""
    return name in _URL_FIELDS


@dataclass(frozen=True, slots=True)
class HtmlScope:
    """An element."""

    node: Element

    def texts(self, name: str, rule: FieldRule) -> Iterable[str]:
        """What the rule of the field `name` finds, untransformed, in its order."""
        for node in self._found(rule.selector):
            if rule.attribute is not None:
                yield node.attr(rule.attribute) or ""
            elif is_address(name) and (address := node.attr("href") or node.attr("src")):
                yield address
            else:
                yield spaced_text(node)

    def parts(self, selector: str) -> "Sequence[RecipeScope]":
        """What the selector finds, as scopes to search in."""
        return [HtmlScope(node) for node in self._found(selector)]

    def hint(self) -> str:
        """What there is instead of something that was not found."""
        return ""

    def _found(self, selector: str) -> list[Element]:
        return select(self.node, selector) if selector else [self.node]


@dataclass(frozen=True, slots=True)
class JsonScope:
    """A JSON value."""

    value: Any

    def texts(self, name: str, rule: FieldRule) -> Iterable[str]:
        return texts_at(self.value, rule.selector)

    def parts(self, selector: str) -> "Sequence[RecipeScope]":
        found = at(self.value, selector)
        return [JsonScope(item) for item in (found if isinstance(found, list) else [found])]

    def hint(self) -> str:
        return f"; the first {shape_of(self.value)}"


RecipeScope = HtmlScope | JsonScope


class RecipeResult(NamedTuple):
    """The result of a recipe, and where it found nothing although it should."""

    records: list[RawRecord]
    warnings: tuple[str, ...] = ()


def apply(page: HtmlPage, recipe: Recipe, kind: RecordKind) -> RecipeResult:
    """The records of an HTML page: one for each item, or one for the whole page."""
    root = page.tree.root
    if root is None or not recipe.fields:
        return RecipeResult([])
    if recipe.items is None:
        return _read([HtmlScope(root)], recipe, kind, page.base)
    items = select(page.tree, recipe.items)[:MAX_ITEMS]
    if not items:
        return RecipeResult([], (f"recipe: items selector {recipe.items!r} matched nothing",))
    return _read([HtmlScope(item) for item in items], recipe, kind, page.base)


def apply_json(data: Any, recipe: Recipe, *, kind: RecordKind, base: str) -> RecipeResult:
    """The records of a JSON response, whose recipe has dotted paths instead of selectors."""
    if not recipe.fields:
        return RecipeResult([])
    found = data if recipe.items is None else at(data, recipe.items)
    if found is None and recipe.items is not None:
        return RecipeResult(
            [], (f"recipe: nothing at the items path {recipe.items!r}: {where_it_ends(data, recipe.items)}",)
        )
    items = found if isinstance(found, list) else [found]
    return _read([JsonScope(item) for item in items[:MAX_ITEMS]], recipe, kind, base)


def _read(items: Sequence[RecipeScope], recipe: Recipe, kind: RecordKind, base: str) -> RecipeResult:
    matched = dict.fromkeys(recipe.fields, 0)
    records = []
    for item in items:
        values = _values(item, recipe.fields, base)
        for name in values:
            matched[name] += 1
        if values:
            found = {name: Finding(value, Method.RECIPE, CONFIDENCE) for name, value in values.items()}
            records.append(RawRecord(kind=kind, fields=found))
    unmatched = [name for name, times in matched.items() if not times] if items else []
    return RecipeResult(records, tuple(_unmatched(name, recipe.fields[name], items) for name in unmatched))


def _unmatched(name: str, rule: FieldRule, items: Sequence[RecipeScope]) -> str:
    tried = " or ".join(repr(one.selector) for one in (rule, *rule.otherwise))
    return f"recipe: field {name!r} ({tried}) matched in 0 of {len(items)} items{items[0].hint()}"


def _values(scope: RecipeScope, rules: Mapping[str, FieldRule], base: str) -> dict[str, Any]:
    """The fields that have a value."""
    values = ((name, _first_value(scope, name, rule, base)) for name, rule in rules.items())
    return {name: value for name, value in values if not _is_nothing(value)}


def _first_value(scope: RecipeScope, name: str, rule: FieldRule, base: str) -> Any:
    """The value of the rule, or of the first alternative that finds anything."""
    for tried in (rule, *rule.otherwise):
        value = _object(scope, tried, base) if tried.fields else _text(scope, name, tried, base)
        if not _is_nothing(value):
            return value
    return None


def _object(scope: RecipeScope, rule: FieldRule, base: str) -> Any:
    parts = scope.parts(rule.selector)[: _MOST_PARTS if rule.many else 1]
    objects = [found for part in parts if (found := _values(part, rule.fields, base))]
    return objects if rule.many else next(iter(objects), None)


def _text(scope: RecipeScope, name: str, rule: FieldRule, base: str) -> Any:
    texts = _refined(scope.texts(name, rule), rule)
    value: Any = list(dict.fromkeys(texts))[:_MOST_PARTS] if rule.many else next(iter(texts), None)
    value = transformed(value, rule.transform, base=base)
    return _resolved(value, base) if is_address(name) else value


def _refined(texts: Iterable[str], rule: FieldRule) -> Iterable[str]:
    for text in texts:
        value = folded(text)
        if value and rule.pattern is not None:
            value = folded(patterns.search(rule.pattern, value))
        if value:
            yield value


def _resolved(value: Any, base: str) -> Any:
    if isinstance(value, list):
        return [url for item in value if (url := _resolved(item, base))]
    return join(base, value) if isinstance(value, str) else value


def _is_nothing(value: Any) -> bool:
    """Zero is a value, unlike what has no content."""
    return value is None or value == "" or value == [] or value == {}
