"""Extracts the records and the next page of a JSON response that has no recipe."""

import re
from collections.abc import Iterator
from typing import Any

from lamplighter.extract.answers.json_fields import fields_of_item
from lamplighter.extract.answers.json_lists import best_list, own_address, unwrapped
from lamplighter.extract.answers.json_path import at
from lamplighter.extract.recipes.by_recipe import MAX_ITEMS
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind
from lamplighter.rules.urls.urls import LinkResolver, join

CONFIDENCE = 0.70

_NOT_IN_KEYS = re.compile(r"[\W_]+")
#: keys under which APIs name their next page, in lower case and without "_", "-" and blanks
_NEXT = frozenset("next nextpage nexturl nextpageurl nextlink nexthref nextpagelink odatanextlink".split())
_INSIDE = ("href", "url", "link")
#: how deep a response is searched for its next page, and in how many objects
_DEEPEST, _MOST_OBJECTS = 4, 200


def json_records(data: Any, *, kind: RecordKind, base: str) -> list[RawRecord]:
    """The records of the list that most looks like records; none when no list does."""
    resolver = LinkResolver(base)
    records = (_record(item, kind, resolver) for item in best_list(data)[:MAX_ITEMS])
    return [record for record in records if record is not None]


def json_next(data: Any, path: str | None, base: str) -> str | None:
    """The next page that the response names, at the recipe's path or where APIs usually put it."""
    given = (at(data, path),) if path is not None else _said_next(data)
    # A mere number or cursor is not an address.
    urls = (join(base, value) for value in given if isinstance(value, str) and ("/" in value or "?" in value))
    return next((url for url in urls if url is not None and url != base), None)


def _said_next(data: Any) -> Iterator[Any]:
    """The values under the keys for a next page, the outermost first; items of lists are skipped."""
    waiting: list[tuple[Any, int]] = [(data, 0)]
    for value, depth in waiting:
        if not isinstance(value, dict):
            continue
        for key, inner in value.items():
            if _NOT_IN_KEYS.sub("", key[:60]).lower() in _NEXT:
                yield (
                    next((inner[name] for name in _INSIDE if name in inner), None) if isinstance(inner, dict) else inner
                )
            elif isinstance(inner, dict) and depth < _DEEPEST and len(waiting) < _MOST_OBJECTS:
                waiting.append((inner, depth + 1))


def _record(item: dict[str, Any], kind: RecordKind, resolver: LinkResolver) -> RawRecord | None:
    item = unwrapped(item)
    values = fields_of_item(item, resolve=resolver.resolve)
    address = own_address(item)
    url = resolver.resolve(address) if address else None
    if "title" not in values or not (url or "guid" in values):
        return None
    if url:
        values["url"] = url
    return RawRecord(kind=kind, fields={name: Finding(value, Method.API, CONFIDENCE) for name, value in values.items()})
