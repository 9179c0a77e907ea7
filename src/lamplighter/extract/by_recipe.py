"""Which records does a page or a JSON answer hold when it is read by its source's recipe?"""

from collections.abc import Iterable, Iterator
from typing import Any

from selectolax.lexbor import LexborNode

from lamplighter.extract import patterns
from lamplighter.extract.html_page import HtmlPage, folded, select
from lamplighter.extract.json_path import at, texts_at
from lamplighter.model.recipe import FieldRule, Recipe
from lamplighter.model.record import Found, Method, RawRecord, RecordKind
from lamplighter.rules.urls import join

CONFIDENCE = 0.95
MAX_ITEMS = 10_000

#: fields whose value is an address: resolved when relative, and read from the link, not from its text
_URL_FIELDS = frozenset({"url", "apply_url", "image"})
_URL_ATTRIBUTES = ("href", "src")


def apply(page: HtmlPage, recipe: Recipe, kind: RecordKind) -> list[RawRecord]:
    """The records of an HTML page: one for each item, or one for the whole page."""
    root = page.tree.root
    if root is None or not recipe.fields:
        return []
    items = [root] if recipe.items is None else select(page.tree, recipe.items)[:MAX_ITEMS]
    readings = (
        {name: _value(name, rule, _texts_in(item, name, rule), page.base) for name, rule in recipe.fields.items()}
        for item in items
    )
    return _records(readings, kind)


def apply_json(data: Any, recipe: Recipe, *, kind: RecordKind, base: str) -> list[RawRecord]:
    """The records of a JSON answer, whose recipe has dotted paths where others have selectors."""
    if not recipe.fields:
        return []
    found = data if recipe.items is None else at(data, recipe.items)
    items = found if isinstance(found, list) else [found]
    readings = (
        {name: _value(name, rule, texts_at(item, rule.selector), base) for name, rule in recipe.fields.items()}
        for item in items[:MAX_ITEMS]
    )
    return _records(readings, kind)


def _records(readings: Iterable[dict[str, Any]], kind: RecordKind) -> list[RawRecord]:
    records = []
    for values in readings:
        found = {name: Found(value, Method.RECIPE, CONFIDENCE) for name, value in values.items() if value}
        if found:
            records.append(RawRecord(kind=kind, fields=found))
    return records


def _texts_in(item: LexborNode, name: str, rule: FieldRule) -> Iterator[str]:
    for node in select(item, rule.selector) if rule.selector else [item]:
        if rule.attribute is not None:
            yield node.attributes.get(rule.attribute) or ""
        elif name in _URL_FIELDS and (address := _address(node)):
            yield address
        else:
            yield node.text(separator=" ")


def _address(node: LexborNode) -> str | None:
    attributes = node.attributes
    return next((value for name in _URL_ATTRIBUTES if (value := attributes.get(name))), None)


def _value(name: str, rule: FieldRule, texts: Iterable[str], base: str) -> str | list[str] | None:
    values = (_refined(name, rule, text, base) for text in texts)
    present = (value for value in values if value)
    return list(dict.fromkeys(present)) if rule.many else next(present, None)


def _refined(name: str, rule: FieldRule, text: str, base: str) -> str | None:
    value: str | None = folded(text)
    if value and rule.pattern is not None:
        value = folded(patterns.search(rule.pattern, value))
    return join(base, value) if value and name in _URL_FIELDS else value
