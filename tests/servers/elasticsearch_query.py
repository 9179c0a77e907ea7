"""Elasticsearch's queries, as far as anybody here uses them, over documents as they are indexed."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: a document's terms: field -> list of values (keywords, numbers, claims) or of words
Terms = Mapping[str, Sequence[Any]]
#: how well a document matches; None when it does not
Score = Callable[[str, Terms], float | None]


class BadQuery(Exception):
    """Not a query that we know."""


def analysed(text: str, analyzer: str) -> list[str]:
    """The words of a text."""
    if analyzer == "whitespace":
        return text.split()
    return re.findall(r"[^\W_]+(?:['.][^\W_]+)*", text.lower())


def score_of(query: Mapping[str, Any], analyzers: Mapping[str, str], documents: Mapping[str, Terms]) -> Score:
    """A query, ready to be applied; `documents` are those over which the rarity of words is counted."""
    return _Compiler(analyzers, documents).score(query)


class _Compiler:
    def __init__(self, analyzers: Mapping[str, str], documents: Mapping[str, Terms]) -> None:
        self._analyzers = analyzers
        self._documents = documents

    def score(self, query: Mapping[str, Any]) -> Score:
        ((kind, said),) = query.items()
        known = {
            "bool": self._bool,
            "term": self._term,
            "terms": self._terms,
            "range": self._range,
            "ids": self._ids,
            "match_all": lambda _: lambda _id, _terms: 1.0,
            "match_phrase": self._match_phrase,
            "prefix": self._prefix,
        }
        if kind not in known:
            raise BadQuery(f"unknown query [{kind}]")
        score: Score = known[kind](said)
        return score

    def _bool(self, said: Mapping[str, Any]) -> Score:
        if unknown := set(said) - {"filter", "must", "must_not", "should", "minimum_should_match"}:
            raise BadQuery(f"[bool] query does not support [{unknown.pop()}]")
        filters, musts, nots, shoulds = (
            [self.score(each) for each in said.get(name, [])] for name in ("filter", "must", "must_not", "should")
        )
        least = said.get("minimum_should_match", 0 if filters or musts else 1) if shoulds else 0

        def score(document_id: str, terms: Terms) -> float | None:
            if any(each(document_id, terms) is None for each in filters):
                return None
            if any(each(document_id, terms) is not None for each in nots):
                return None
            must = [each(document_id, terms) for each in musts]
            should = [found for each in shoulds if (found := each(document_id, terms)) is not None]
            if None in must or len(should) < least:
                return None
            return sum(each for each in must if each is not None) + sum(should)

        return score

    def _term(self, said: Mapping[str, Any]) -> Score:
        ((field, given),) = said.items()
        value = given["value"] if isinstance(given, Mapping) else given
        return lambda _, terms: 1.0 if any(_same(each, value) for each in terms.get(field, ())) else None

    def _terms(self, said: Mapping[str, Any]) -> Score:
        ((field, values),) = said.items()
        return lambda _, terms: 1.0 if any(_same(e, v) for e in terms.get(field, ()) for v in values) else None

    def _range(self, said: Mapping[str, Any]) -> Score:
        ((field, bounds),) = said.items()
        checks = {"gt": float.__gt__, "gte": float.__ge__, "lt": float.__lt__, "lte": float.__le__}

        def score(_: str, terms: Terms) -> float | None:
            found = any(
                all(checks[name](float(value), float(bound)) for name, bound in bounds.items())
                for value in terms.get(field, ())
            )
            return 1.0 if found else None

        return score

    def _ids(self, said: Mapping[str, Any]) -> Score:
        wanted = set(said["values"])
        return lambda document_id, _: 1.0 if document_id in wanted else None

    def _match_phrase(self, said: Mapping[str, Any]) -> Score:
        ((field, given),) = said.items()
        words, boost = analysed(given["query"], self._analyzers.get(field, "standard")), given.get("boost", 1.0)

        def count(terms: Terms) -> int:
            text = terms.get(field, ())
            return sum(list(text[start : start + len(words)]) == words for start in range(len(text) - len(words) + 1))

        having = sum(count(terms) > 0 for terms in self._documents.values())
        rarity = math.log(1 + (len(self._documents) - having + 0.5) / (having + 0.5))

        def score(_: str, terms: Terms) -> float | None:
            number = count(terms)
            if not number:
                return None
            return float(boost) * rarity * number / (number + 0.5 + 0.01 * len(terms.get(field, ())))

        return score

    def _prefix(self, said: Mapping[str, Any]) -> Score:
        ((field, given),) = said.items()
        boost = float(given.get("boost", 1.0))
        return lambda _, terms: boost if any(str(e).startswith(given["value"]) for e in terms.get(field, ())) else None


def _same(each: Any, value: Any) -> bool:
    if isinstance(each, bool) or isinstance(value, bool):
        return str(each).lower() == str(value).lower()
    return bool(each == value)
