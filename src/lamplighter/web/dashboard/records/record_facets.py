"""Facets of a record search, as links that narrow it down."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lamplighter.web.dashboard.records.record_query import RecordQuery

#: facet -> its label, and the query parameter that it sets
_EVERYWHERE: Mapping[str, tuple[str, str]] = {
    "kind": ("Kind", "kind"),
    "source": ("Source", "source_id"),
    "country": ("Country", "country"),
    "language": ("Language", "language"),
}
_ORGANISATION = {"organisation": ("Organisation", "organisation")}
_OF_KIND: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "job": {
        "career_type": ("Employment", "career_type"),
        "level": ("Level", "level"),
        "modality": ("Work mode", "modality"),
    },
    "product": {
        "brand": ("Brand", "brand"),
        "availability": ("Availability", "availability"),
        "currency": ("Currency", "currency"),
    },
}
#: longer values cannot be a parameter
_LONGEST = 300
#: the most records that are read for counting, because the user waits
MOST_READ = 10_000
#: the links shown at once; the others unfold
SHOWN = 8


class FacetChoice(NamedTuple):
    """A facet value with its count."""

    label: str
    number: int
    #: None when it cannot be a parameter
    path: str | None


class Facet(NamedTuple):
    """A facet with its values."""

    name: str
    label: str
    #: the selected value; None without one
    chosen: str | None
    #: the URL of the search without it
    path: str
    values: list[FacetChoice]


def names_for(query: RecordQuery, *, total: int, is_embedded: bool) -> list[str]:
    """The facets to count; for very many records only those that the database counts by index."""
    if is_embedded and total > MOST_READ:
        return list(_EVERYWHERE)
    return [*_EVERYWHERE, *_ORGANISATION, *_OF_KIND.get(query.given.get("kind", ""), ())]


def facets(query: RecordQuery, counted: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Facet]:
    """The non-empty facets, in a fixed order."""
    known = {**_EVERYWHERE, **_ORGANISATION} | {name: said for each in _OF_KIND.values() for name, said in each.items()}
    found = []
    for name, (label, parameter) in known.items():
        values = [_value(query, parameter, each) for each in counted.get(name, ())]
        given = query.given.get(parameter)
        chosen = (values[0].label if len(values) == 1 else given) if given else None
        if values or chosen:
            found.append(Facet(name, label, chosen, query.without(parameter).path(), values))
    return found


def _value(query: RecordQuery, parameter: str, counted: Mapping[str, Any]) -> FacetChoice:
    value = str(counted["value"])
    is_usable = len(value) <= _LONGEST and value.isprintable()
    label = str(counted.get("label") or value.replace("_", " "))
    return FacetChoice(label, counted["count"], query.with_(parameter, value).path() if is_usable else None)
