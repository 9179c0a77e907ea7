"""Translates searches into Meilisearch queries, or says that they cannot be expressed."""

from typing import Any, NamedTuple

from lamplighter.adapters.search import search_attributes
from lamplighter.adapters.search.search_attributes import ID, STAMP, Condition
from lamplighter.model.record_search import RecordOrder, Term, TextQuery
from lamplighter.model.search_index import IndexQuery
from lamplighter.ports import NotExpressible

#: of a longer query Meilisearch reads only the beginning
_MOST_WORDS = 10


class HitWindow(NamedTuple):
    """A page of the server that contains all of ours: only whole pages come with an exact total."""

    number: int
    size: int
    #: where ours begins on it
    skipped: int


def search(query: IndexQuery, order: RecordOrder, window: HitWindow) -> dict[str, Any]:
    """The body of a search."""
    body = _search_body(query) | {
        "page": window.number,
        "hitsPerPage": window.size,
        "attributesToRetrieve": [ID],
        "showRankingScore": True,
    }
    if not search_attributes.is_by_relevance(query, order):
        body["sort"] = [f"{name}:{'desc' if down else 'asc'}" for name, down in search_attributes.sorted_by(order)]
    return body


def facets(query: IndexQuery, attributes: list[str]) -> dict[str, Any]:
    """The body of a search that only counts values."""
    return _search_body(query) | {"limit": 0, "facets": attributes}


def held(*, after: int, limit: int) -> dict[str, Any]:
    """The body of a search for what is in the index."""
    return {
        "q": "",
        "filter": [f"{ID} > {_quoted(after)}"],
        "sort": [f"{ID}:asc"],
        "limit": limit,
        "attributesToRetrieve": [ID, STAMP],
    }


def window_of(order: RecordOrder) -> HitWindow:
    """The smallest page of the server that contains the wanted part."""
    size, last = order.limit, order.offset + order.limit - 1
    while order.offset // size != last // size:
        size += 1
    return HitWindow(number=order.offset // size + 1, size=size, skipped=order.offset % size)


def _search_body(query: IndexQuery) -> dict[str, Any]:
    return {
        "q": _text(query.wanted.text),
        "matchingStrategy": "all",
        "filter": [_condition(condition) for condition in search_attributes.conditions(query)],
    }


def _text(text: TextQuery) -> str:
    """Every term as a phrase, which is matched exactly; only the last bare word may be a prefix."""
    prefixes = [term for term in text.wanted if term.is_prefix]
    terms = (*text.wanted, *text.unwanted)
    if any(term.is_prefix for term in text.unwanted) or any(len(term.words) > 1 for term in prefixes):
        raise NotExpressible("Meilisearch can neither exclude prefixes nor search phrases whose last word is a prefix")
    if len(prefixes) > 1 or sum(len(term.words) for term in terms) > _MOST_WORDS:
        raise NotExpressible(f"Meilisearch takes one prefix and {_MOST_WORDS} words at most")
    exact = [term for term in text.wanted if not term.is_prefix]
    said = [f"-{_phrase(term)}" for term in text.unwanted] + [_phrase(term) for term in exact]
    return " ".join((*said, *(term.words[0] for term in prefixes)))


def _phrase(term: Term) -> str:
    """Words contain nothing that could end a phrase."""
    return f'"{" ".join(term.words)}"'


def _condition(condition: Condition) -> str:
    name, relation, value = condition
    if relation == "in":
        return f"{name} IN [{', '.join(map(_quoted, value))}]"
    return f"{name} {relation} {_quoted(value)}"


def _quoted(value: object) -> str:
    """A value in quotes, where Meilisearch recognises numbers and booleans too."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if "\\" in text:
        # A backslash before the closing quote would escape it, and two are read as two.
        raise NotExpressible("Meilisearch's filters cannot express a backslash reliably")
    return '"' + text.replace('"', '\\"') + '"'
