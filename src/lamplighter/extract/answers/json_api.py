"""Extracts the records and the next page of a JSON response that has no recipe: which of its lists holds records?"""

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from lamplighter.extract.answers.json_fields import fields_of_item, meaning, plain_key, title_of
from lamplighter.extract.answers.json_path import at
from lamplighter.extract.recipes.by_recipe import MAX_ITEMS
from lamplighter.model.record import Finding, Method, RawRecord, RecordKind
from lamplighter.rules.urls.urls import LinkResolver, join

CONFIDENCE = 0.70

#: keys under which APIs name their next page, in lower case and without "_", "-" and blanks
_NEXT = frozenset("next nextpage nexturl nextpageurl nextlink nexthref nextpagelink odatanextlink".split())
_INSIDE = ("href", "url", "link")
#: how deep a response is searched for its next page, and in how many objects
_DEEPEST, _MOST_OBJECTS = 4, 200

#: how deep and how wide a response is searched for lists
_DEEPEST_LIST, _MOST_SEARCHED = 6, 2_000
#: items by which a list is judged
_SAMPLE = 30
_MOST_LINKS = 20

_GOOD_NAMES = frozenset(
    "items results data jobs entries posts articles news products records hits docs documents list positions vacancies "
    "postings offers edges nodes content rows elements opportunities requisitions jobpostings value stories".split()
)
_BAD_NAMES = frozenset(
    "facets filters aggregations categories menu menus navigation breadcrumbs links errors warnings languages locales "
    "related recommended included tags options sort sorting images media countries".split()
)
#: wrappers that APIs put around an item: GraphQL, Elasticsearch, JSON:API, ReliefWeb
_WRAPPERS = ("node", "_source", "attributes", "fields", "item", "document", "data", "job")

#: keys that mean a page for people, best first; in lower case and without "_", "-" and blanks
_ADDRESS_RANK = {
    key: rank
    for rank, key in enumerate(
        "absoluteurl hostedurl canonicalurl permalink joburl vacancyurl postingurl detailurl detailsurl producturl "
        "articleurl pageurl publicurl htmlurl weburl urlalias fullurl url link links href uri urls canonical "
        "externalurl detaillink path".split()
    )
}
_INSIDE_LINKS = ("html", "web", "public", "canonical", "alternate", "alias", "href", "url", "full", "absolute")
#: link relations that name the page for people
_FOR_PEOPLE = frozenset({"alternate", "html", "web", "canonical", "public", "detail", "details"})
_SECONDARY = frozenset({"title", "guid", "image", "language"})


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
            if plain_key(key) in _NEXT:
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


def best_list(data: Any) -> list[dict[str, Any]]:
    """The items of the list that most looks like records; empty when none does."""
    scored = [(_score(name, items), items) for name, items in _lists(data)]
    score, items = max(scored, key=itemgetter(0), default=(0, []))
    return items if score > 0 else []


def unwrapped(item: dict[str, Any]) -> dict[str, Any]:
    """The item without its API's wrapper; useful values beside the wrapper are kept."""
    if title_of(item):
        return item
    for name in _WRAPPERS:
        inner = item.get(name)
        if isinstance(inner, dict) and title_of(inner):
            said = {found[0] for key in inner if (found := meaning(key))}
            # An address beside the wrapper is the API's own, not that of a page.
            return inner | {
                key: value
                for key, value in item.items()
                if (found := meaning(key)) and found[0] not in said and _rank(key) is None
            }
    return item


def own_address(item: Mapping[str, Any]) -> str | None:
    """The address of the item's own page; None when it names none."""
    ranked = sorted((rank, key) for key in item if (rank := _rank(key)) is not None)
    found = (_address(item[key]) for _, key in ranked)
    return next((address for address in found if address), None)


def _lists(data: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Every list of objects that is not part of another list's item, with its key."""
    waiting: list[tuple[str, Any, int]] = [("", data, 0)]
    for name, value, depth in waiting:
        if isinstance(value, list):
            if items := [item for item in value if isinstance(item, dict)]:
                yield name, items
        elif isinstance(value, dict) and depth < _DEEPEST_LIST and len(waiting) < _MOST_SEARCHED:
            waiting += [
                (plain_key(key), inner, depth + 1) for key, inner in value.items() if isinstance(inner, dict | list)
            ]


def _score(name: str, items: list[dict[str, Any]]) -> float:
    """How much a list looks like records."""
    sample = [unwrapped(item) for item in items[:_SAMPLE]]
    fields = [{found[0] for key, value in item.items() if value and (found := meaning(key))} for item in sample]
    titled = sum(title_of(item) is not None for item in sample) / len(sample)
    linked = sum(own_address(item) is not None for item in sample) / len(sample)
    named = sum("guid" in said for said in fields) / len(sample)
    # Fields besides title and address, on average.
    richness = sum(len(said - _SECONDARY) for said in fields) / len(sample)
    if titled < 0.5 or (linked < 0.5 and (named < 0.5 or richness < 1)):
        # Without addresses, a name and a number are all that a list of options has.
        return 0
    by_name = 2 if name in _GOOD_NAMES else 0.2 if name in _BAD_NAMES else 1
    return titled * len(items) * (1 + 2 * linked) * (1 + min(richness, 5)) * by_name


def _rank(key: str) -> int | None:
    return _ADDRESS_RANK.get(plain_key(key))


def _address(value: Any) -> str | None:
    if isinstance(value, list):
        links = (link for link in value[:_MOST_LINKS] if isinstance(link, dict))
        value = next((link for link in links if str(link.get("rel") or link.get("type")).lower() in _FOR_PEOPLE), None)
    if isinstance(value, dict):
        inner = (value.get(name) for name in _INSIDE_LINKS)
        value = next((found for found in inner if found), None)
        if isinstance(value, dict):
            value = value.get("href")
    if isinstance(value, str) and value.startswith(("http://", "https://", "/")):
        return value
    return None
