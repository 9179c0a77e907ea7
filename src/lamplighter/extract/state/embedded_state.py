"""Extracts the records in the JSON state of a page's scripts: those of the list that the page shows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import Any, NamedTuple

import orjson

from lamplighter.extract.answers.json_fields import fields_of_item, meaning, title_of
from lamplighter.extract.answers.json_links import ASIDE, KIND_WORDS, MENU_KEYS, OTHER_LISTS, PageLinks, words_in
from lamplighter.extract.html_page import HtmlPage
from lamplighter.extract.state.script_json import script_values
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind

CONFIDENCE = 0.75

#: fields that only one kind has
_SIGNS = {
    RecordKind.JOB: frozenset({"deadline", "salary", "career_type", "work_modality", "level", "apply_url"}),
    RecordKind.PRODUCT: frozenset({"price", "availability", "sku"}),
    RecordKind.ARTICLE: frozenset({"author", "section", "text"}),
}

_FEWEST, _MOST = 3, 10_000
_SAMPLE = 30
_MOST_CONTAINERS = 100_000
_DEEPEST = 24
_MOST_TEXTS = 20
_SHORTEST_TEXT, _LONGEST_TEXT = 200, 1024 * 1024
_MOST_KEYS = 300

_ENOUGH_COMPLETE = 0.6
_ENOUGH_DISTINCT = 0.8
#: weighted length of titles from which a list needs no other facts to be more than a menu
_LONG_TITLE = 20
#: facts that menus and filters do not have
_FACTS = frozenset("organisation location deadline published_at description price salary career_type author".split())
#: an object around the item itself: GraphQL's edges, search engines' hits, content systems' entries
_WRAPPERS = ("node", "_source", "attributes", "fields", "item", "document", "job", "post", "article", "product", "data")
#: an object with a title and more keys than this is an item, not a wrapper
_WHOLE = 4

Item = dict[str, Any]


class ItemList(NamedTuple):
    """A list of items, and the keys that lead to it."""

    items: list[Item]
    #: the keys that lead to it
    path: tuple[str, ...]
    score: float


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
    named = [
        {**fields, "url": url}
        for item in best.items
        if (url := links.link_of(item))
        and "title" in (fields := fields_of_item(item, language=page.language, resolve=page.resolver.resolve))
    ]
    kind = wanted or _kind(best.path, named)
    return [
        RawRecord(kind=kind, fields={name: Finding(value, Method.STATE, CONFIDENCE) for name, value in fields.items()})
        for fields in named
    ]


def _kind(path: Iterable[str], named: list[dict[str, Any]]) -> RecordKind:
    """The kind of the items: by the name of their list, else by the fields of most of them."""
    for key in reversed(list(path)[-4:]):
        for kind, words in KIND_WORDS.items():
            if not words.isdisjoint(words_in(key)):
                return kind
    for kind, signs in _SIGNS.items():
        if 2 * sum(not signs.isdisjoint(fields) for fields in named) > len(named):
            return kind
    return RecordKind.OTHER


def shown_list(
    value: Any, *, name: str, links: PageLinks, wanted: RecordKind | None, language: str | None
) -> ItemList | None:
    """The list that the page is most likely about, if any; `name` is the page's name for the whole value."""
    best: ItemList | None = None
    references = value if isinstance(value, dict) else {}
    for path, items in _candidates(value, name):
        things = [thing for item in items[:_MOST] if (thing := _unwrapped(item, references))]
        score = _score(things, path, links=links, wanted=wanted, language=language)
        if score > 0 and (best is None or score > best.score):
            best = ItemList(things, path, score)
    return best


def _unwrapped(item: Any, references: Mapping[str, Any]) -> Item | None:
    """The item itself, resolved when it is a reference, with its own references resolved."""
    item = _looked_up(item, references)
    if not isinstance(item, dict):
        return None
    thing: Item = item
    inner = next((thing[key] for key in _WRAPPERS if isinstance(thing.get(key), dict)), None)
    if inner is not None and not (len(thing) > _WHOLE and _has_title(thing)):
        thing = {**thing, **_looked_up(inner, references)}
    if any(isinstance(value, dict) and ("__ref" in value or "generated" in value) for value in thing.values()):
        thing = {key: _looked_up(value, references) for key, value in thing.items()}
    return thing


def _looked_up(value: Any, references: Mapping[str, Any]) -> Any:
    """Apollo's cache keeps every object once and refers to it by name."""
    if isinstance(value, dict) and len(value) <= 4:
        name = value.get("__ref") or (value.get("id") if value.get("type") == "id" else None)
        if isinstance(name, str):
            found = references.get(name)
            return found if isinstance(found, dict) else value
    return value


def _candidates(value: Any, name: str) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Every list of objects, and every object of similar objects, with the keys that lead there."""
    pending: list[tuple[tuple[str, ...], Any]] = [((name,), value)]
    texts = containers = 0
    while pending and containers < _MOST_CONTAINERS:
        path, value = pending.pop()
        containers += 1
        if isinstance(value, str):
            texts += 1
            value = _inner_json(value) if texts <= _MOST_TEXTS else None
        if len(path) > _DEEPEST:
            continue
        if isinstance(value, list):
            if sum(isinstance(item, dict) for item in value[:_SAMPLE]) >= _FEWEST:
                yield path, value
            pending += [(path, item) for item in reversed(value[:_MOST]) if _may_hold_lists(item)]
        elif isinstance(value, dict):
            yield from _entities(path, value)
            inner = [(key, item) for key, item in list(value.items())[:_MOST] if _may_hold_lists(item)]
            pending += [((*path, key[:60]), item) for key, item in reversed(inner)]


def _may_hold_lists(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) >= _SHORTEST_TEXT and value[0] in "[{"
    return isinstance(value, (dict, list)) and bool(value)


def _inner_json(text: str) -> Any:
    """JSON inside a JSON text: what was fetched on the server, for example."""
    try:
        return orjson.loads(text) if len(text) <= _LONGEST_TEXT else None
    except ValueError:
        return None


def _entities(path: tuple[str, ...], value: Item) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Items stored by their ids: {"job:1": {…}, "job:2": {…}}, by type when they have one."""
    by_type: dict[str, list[Any]] = {}
    for item in list(value.values())[:_MOST] if len(value) >= _FEWEST else ():
        if isinstance(item, dict) and len(item) > 1:
            by_type.setdefault(str(item.get("__typename", ""))[:60], []).append(item)
    for name, items in by_type.items():
        if len(items) >= _FEWEST:
            yield ((*path, name) if name else path), items


def _score(
    items: Sequence[Item], path: tuple[str, ...], *, links: PageLinks, wanted: RecordKind | None, language: str | None
) -> float:
    """How much the list looks like what the page is about; 0 when not at all."""
    sample = items[:: max(1, len(items) // _SAMPLE)][:_SAMPLE]
    if len(items) < _FEWEST or sum(_has_title(item) for item in sample) < _ENOUGH_COMPLETE * len(sample):
        return 0
    named = [(title_of(item, language=language), links.link_of(item), item) for item in sample]
    complete = [(title, url, item) for title, url, item in named if title and url]
    share = len(complete) / len(sample)
    urls, titles = {url for _, url, _ in complete}, {title for title, _, _ in complete}
    are_distinct = len(urls) >= _ENOUGH_DISTINCT * len(complete) and len(titles) > 1
    if len(complete) < _FEWEST or share < _ENOUGH_COMPLETE or not are_distinct:
        return 0
    facts = sum(_facts(item) for _, _, item in complete) / len(complete)
    length = sum(_weighed_length(title) for title, _, _ in complete) / len(complete)
    fit = _fit(path, complete[0][2], facts, wanted)
    if facts < 1 and (length < _LONG_TITLE or fit < 1):
        return 0
    shown = sum(links.is_linked(url) for _, url, _ in complete) / len(complete)
    return fit * log2(1 + len(items) * share) * share * (1 + min(facts, 3)) * (1 + shown) * min(length, 40)


def _facts(item: Item) -> int:
    """How many fields it has that menus do not have."""
    named = {found[0] for key, value in item.items() if value and value is not True and (found := meaning(key))}
    return len(_FACTS & named)


def _weighed_length(title: str) -> float:
    """A Chinese or Japanese character says as much as three Latin ones."""
    return sum(3 if character > "\u2e7f" else 1 for character in title[:80])


def _fit(path: tuple[str, ...], item: Item, facts: float, wanted: RecordKind | None) -> float:
    """Are the keys around the list evidence for it (above 1) or against it? 0 rules it out."""
    words = [word for key in path[-4:] for word in words_in(key)]
    if not ASIDE.isdisjoint(words):
        return 0
    fit = 1.0
    if not OTHER_LISTS.isdisjoint(words_in(path[-1])) or len(MENU_KEYS & item.keys()) > 1:
        fit *= 0.3 if facts >= 1 else 0
    kinds = {kind for kind, names in KIND_WORDS.items() if not names.isdisjoint(words)}
    if wanted in kinds:
        fit *= 2
    elif kinds and wanted in KIND_WORDS:
        fit *= 0.3
    return fit


def _has_title(item: Item) -> bool:
    return any((found := meaning(key)) is not None and found[0] == "title" for key in list(item)[:_MOST_KEYS])
