"""What the records that were found have in common, as links that narrow them down."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lamplighter.web.dashboard.record_query import RecordQuery

#: facet -> its name on the page, and the parameter that it fills in
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
        "modality": ("Where to work", "modality"),
    },
    "product": {
        "brand": ("Brand", "brand"),
        "availability": ("Availability", "availability"),
        "currency": ("Currency", "currency"),
    },
}
#: a value that is longer is no parameter
_LONGEST = 300
#: records that are read for the sake of counting, while somebody waits
MOST_READ = 10_000
#: links that are shown at once; the others unfold
SHOWN = 8


class Value(NamedTuple):
    """A value that records share."""

    label: str
    number: int
    #: None when it cannot be asked for
    path: str | None


class Facet(NamedTuple):
    """What records can be told apart by."""

    name: str
    label: str
    #: what is asked for; None while nothing is
    chosen: str | None
    #: the search without it
    path: str
    values: list[Value]


def names_for(query: RecordQuery, *, total: int, is_embedded: bool) -> list[str]:
    """What to count by. Of very many records, the database counts only what it need not read each of them for."""
    if is_embedded and total > MOST_READ:
        return list(_EVERYWHERE)
    return [*_EVERYWHERE, *_ORGANISATION, *_OF_KIND.get(query.given.get("kind", ""), ())]


def facets(query: RecordQuery, counted: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Facet]:
    """The facets that tell anything, in a fixed order."""
    known = {**_EVERYWHERE, **_ORGANISATION} | {name: said for each in _OF_KIND.values() for name, said in each.items()}
    found = []
    for name, (label, parameter) in known.items():
        values = [_value(query, parameter, each) for each in counted.get(name, ())]
        given = query.given.get(parameter)
        chosen = (values[0].label if len(values) == 1 else given) if given else None
        if values or chosen:
            found.append(Facet(name, label, chosen, query.without(parameter).path(), values))
    return found


def _value(query: RecordQuery, parameter: str, counted: Mapping[str, Any]) -> Value:
    value = str(counted["value"])
    is_usable = len(value) <= _LONGEST and value.isprintable()
    label = str(counted.get("label") or value.replace("_", " "))
    return Value(label, counted["count"], query.with_(parameter, value).path() if is_usable else None)
