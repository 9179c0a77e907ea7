"""Translates searches into queries for Elasticsearch and OpenSearch, or says that they cannot be expressed."""

from collections.abc import Iterable
from typing import Any

from lamplighter.adapters.search import search_attributes
from lamplighter.adapters.search.elasticsearch_mapping import SEARCHED
from lamplighter.adapters.search.search_attributes import FACETS, ID, STAMP, Condition
from lamplighter.model.record_search import RecordOrder, Term
from lamplighter.model.search_index import IndexQuery
from lamplighter.ports import NotExpressible

#: a server pages no further by default
_DEEPEST = 10_000
#: values that each index returns, so that the most frequent of all are among them
_VALUES_OF_EACH = 1_000
_RELATIONS = {">=": "gte", "<=": "lte", "<": "lt"}


def search(query: IndexQuery, order: RecordOrder) -> dict[str, Any]:
    """The body of a search."""
    if order.offset + order.limit > _DEEPEST:
        raise NotExpressible(f"the server pages no further than {_DEEPEST}")
    return {
        "query": _query(query),
        "from": order.offset,
        "size": order.limit,
        "sort": _sort(query, order),
        "track_total_hits": True,
        "_source": False,
    }


def facets(query: IndexQuery, names: Iterable[str], *, most: int) -> dict[str, Any]:
    """The body of a search that only counts values."""
    order = [{"_count": "desc"}, {"_key": "asc"}]
    counted = {
        name: {"terms": {"field": FACETS[name], "size": most, "shard_size": _VALUES_OF_EACH, "order": order}}
        for name in names
    }
    return {"query": _query(query), "size": 0, "track_total_hits": False, "aggs": counted}


def held(*, after: int, limit: int) -> dict[str, Any]:
    """The body of a search for what is in the index."""
    return {
        "query": {"range": {ID: {"gt": after}}},
        "size": limit,
        "sort": [{ID: {"order": "asc", "unmapped_type": "long"}}],
        "_source": [STAMP],
    }


def _query(query: IndexQuery) -> dict[str, Any]:
    text = query.wanted.text
    return {
        "bool": {
            "filter": [_condition(condition) for condition in search_attributes.conditions(query)],
            "must": [_term(term) for term in text.wanted],
            "must_not": [_term(term) for term in text.unwanted],
        }
    }


def _sort(query: IndexQuery, order: RecordOrder) -> list[dict[str, Any]]:
    if search_attributes.is_by_relevance(query, order):
        return [{"_score": {"order": "desc"}}, {ID: {"order": "desc"}}]
    return [
        {name: {"order": "desc" if down else "asc", "missing": "_last"}}
        for name, down in search_attributes.sorted_by(order)
    ]


def _term(term: Term) -> dict[str, Any]:
    """A condition that any of the texts contains the term."""
    if term.is_prefix and len(term.words) > 1:
        raise NotExpressible("the server finds only some of the phrases whose last word is a prefix")
    said = " ".join(term.words)
    places = [
        {"prefix": {f"words.{name}": {"value": said, "boost": weight}}}
        if term.is_prefix
        else {"match_phrase": {f"words.{name}": {"query": said, "boost": weight}}}
        for name, weight in SEARCHED.items()
    ]
    return {"bool": {"should": places, "minimum_should_match": 1}}


def _condition(condition: Condition) -> dict[str, Any]:
    name, relation, value = condition
    if relation == "in":
        return {"terms": {name: value}}
    if relation == "=":
        return {"term": {name: {"value": value}}}
    return {"range": {name: {_RELATIONS[relation]: value}}}
