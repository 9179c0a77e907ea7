"""The record search page, with facets, exports and feeds."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fastapi import Response
from pydantic import ValidationError

from lamplighter.operations.records import record_search, search_index
from lamplighter.store.records import record_changes
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.records import record_query
from lamplighter.web.dashboard.records.record_lines import brief_columns_for, columns_for, lines, only_kind
from lamplighter.web.routes import Pages

ROUTES = Pages()
_FOUND = "found"
_FILES = (("csv", "CSV"), ("json", "JSON"), ("jsonl", "JSON lines"))
_FEEDS = (("feed.rss", "RSS 2.0"), ("feed.json", "JSON Feed 1.1"))
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


def names_for(query: record_query.RecordQuery, *, total: int, is_embedded: bool) -> list[str]:
    """The facets to count; for very many records only those that the database counts by index."""
    if is_embedded and total > MOST_READ:
        return list(_EVERYWHERE)
    return [*_EVERYWHERE, *_ORGANISATION, *_OF_KIND.get(query.given.get("kind", ""), ())]


def facets(query: record_query.RecordQuery, counted: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Facet]:
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


def _value(query: record_query.RecordQuery, parameter: str, counted: Mapping[str, Any]) -> FacetChoice:
    value = str(counted["value"])
    is_usable = len(value) <= _LONGEST and value.isprintable()
    label = str(counted.get("label") or value.replace("_", " "))
    return FacetChoice(label, counted["count"], query.with_(parameter, value).path() if is_usable else None)


@ROUTES.get("/records")
async def search(request: ThisRequest) -> Response:
    """The search page, or only its results for a script."""
    query = record_query.RecordQuery.of(request.http.query_params)
    shown, status = await _found(request, query)
    shown |= {"query": query, "is_open": request.view.settings.is_dev}
    if request.target == _FOUND:
        part = request.part("records/found.html", status=status, **shown)
        part.headers["HX-Push-Url"] = query.path()
        return part
    choices = {
        "since_choices": record_query.SINCE_CHOICES,
        "sort_choices": record_query.SORT_CHOICES,
        "state_choices": record_query.STATE_CHOICES,
    }
    return request.page("records/list.html", status=status, **choices, **shown)


async def _found(request: PageRequest, query: record_query.RecordQuery) -> tuple[dict[str, Any], int]:
    """The search results, or the error of an invalid query."""
    try:
        wanted = query.filter_in(request.now).wanted()
    except ValidationError as error:
        return {"fault": record_query.fault_in(error)}, 422
    view = request.view
    found, total, engine = await record_search.search_with(view.db, view.search.finder, wanted, query.order())
    names = names_for(query, total=total, is_embedded=engine == search_index.EMBEDDED)
    counted = await record_search.facets(view.db, view.search.finder, wanted, names)
    async with view.db.read() as db:
        changed = await record_changes.latest(db, [record["id"] for record in found])
        index = await search_index.waiting(db, view.search.server)
    kind = query.given.get("kind")
    columns = columns_for(kind) if kind else brief_columns_for(only_kind(found))
    marked = record_search.highlighted(found, wanted.text)
    return {
        "fault": None,
        "columns": columns,
        "lines": lines(marked, columns, changed=changed),
        "total": total,
        "limit": record_query.LIMIT,
        "engine": engine,
        "index": index,
        "facets": facets(query, counted),
        "most_values": SHOWN,
        "has_more_facets": "organisation" not in names,
        "files": [(label, query.api_path("export", request.now, format=form)) for form, label in _FILES],
        "feeds": [(label, query.api_path(name, request.now)) for name, label in _FEEDS],
    }, 200
