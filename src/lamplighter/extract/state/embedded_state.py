"""Extracts the records in the JSON state of a page's scripts."""

from collections.abc import Iterable
from typing import Any

from lamplighter.extract.answers.json_fields import fields_of_item
from lamplighter.extract.answers.json_links import PageLinks
from lamplighter.extract.answers.json_words import KIND_WORDS, words_in
from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.state.script_json import script_values
from lamplighter.extract.state.state_lists import ItemList, shown_list
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

CONFIDENCE = 0.75

#: fields that only one kind has
_SIGNS = {
    RecordKind.JOB: frozenset({"deadline", "salary", "career_type", "work_modality", "level", "apply_url"}),
    RecordKind.PRODUCT: frozenset({"price", "availability", "sku"}),
    RecordKind.ARTICLE: frozenset({"author", "section", "text"}),
}


def state_records(page: HtmlPage, wanted: RecordKind | None = None) -> list[RawRecord]:
    """The items of the one list that the page is about, each with a title and an address."""
    links = PageLinks(page)
    found = (
        shown_list(value, name=name, links=links, wanted=wanted, language=page.language)
        for name, value in script_values(page)
    )
    best = max((items for items in found if items is not None), key=lambda items: items.score, default=None)
    return _records(best, page, links, wanted) if best is not None else []


def _records(best: ItemList, page: HtmlPage, links: PageLinks, wanted: RecordKind | None) -> list[RawRecord]:
    told = [
        {**fields, "url": url}
        for item in best.items
        if (url := links.link_of(item))
        and "title" in (fields := fields_of_item(item, language=page.language, resolve=page.resolver.resolve))
    ]
    kind = wanted or _kind(best.path, told)
    return [
        RawRecord(kind=kind, fields={name: Finding(value, Method.STATE, CONFIDENCE) for name, value in fields.items()})
        for fields in told
    ]


def _kind(path: Iterable[str], told: list[dict[str, Any]]) -> RecordKind:
    """The kind of the items: by the name of their list, else by the fields of most of them."""
    for key in reversed(list(path)[-4:]):
        for kind, words in KIND_WORDS.items():
            if not words.isdisjoint(words_in(key)):
                return kind
    for kind, signs in _SIGNS.items():
        if 2 * sum(not signs.isdisjoint(fields) for fields in told) > len(told):
            return kind
    return RecordKind.OTHER
