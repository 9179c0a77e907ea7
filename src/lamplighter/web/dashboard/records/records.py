"""The record search page, with facets, exports and feeds."""

from typing import Any

from fastapi import Response
from pydantic import ValidationError

from lamplighter.operations.records import record_search, search_index
from lamplighter.store.records import record_changes
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.records import record_facets
from lamplighter.web.dashboard.records.record_lines import brief_columns_for, columns_for, lines, only_kind
from lamplighter.web.dashboard.records.record_query import (
    LIMIT,
    SINCE_CHOICES,
    SORT_CHOICES,
    STATE_CHOICES,
    RecordQuery,
    fault_in,
)
from lamplighter.web.routes import Pages

ROUTES = Pages()
_FOUND = "found"
_FILES = (("csv", "CSV"), ("json", "JSON"), ("jsonl", "JSON lines"))
_FEEDS = (("feed.rss", "RSS 2.0"), ("feed.json", "JSON Feed 1.1"))


@ROUTES.get("/records")
async def search(request: ThisRequest) -> Response:
    """The search page, or only its results for a script."""
    query = RecordQuery.of(request.http.query_params)
    shown, status = await _found(request, query)
    shown |= {"query": query, "is_open": request.view.settings.is_dev}
    if request.target == _FOUND:
        part = request.part("records/found.html", status=status, **shown)
        part.headers["HX-Push-Url"] = query.path()
        return part
    choices = {"since_choices": SINCE_CHOICES, "sort_choices": SORT_CHOICES, "state_choices": STATE_CHOICES}
    return request.page("records/list.html", status=status, **choices, **shown)


async def _found(request: PageRequest, query: RecordQuery) -> tuple[dict[str, Any], int]:
    """The search results, or the error of an invalid query."""
    try:
        wanted = query.asked(request.now).wanted()
    except ValidationError as error:
        return {"fault": fault_in(error)}, 422
    view = request.view
    found, total, engine = await record_search.search_with(view.db, view.search.finder, wanted, query.order())
    names = record_facets.names_for(query, total=total, is_embedded=engine == search_index.EMBEDDED)
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
        "limit": LIMIT,
        "engine": engine,
        "index": index,
        "facets": record_facets.facets(query, counted),
        "most_values": record_facets.SHOWN,
        "has_more_facets": "organisation" not in names,
        "files": [(label, query.api_path("export", request.now, format=form)) for form, label in _FILES],
        "feeds": [(label, query.api_path(name, request.now)) for name, label in _FEEDS],
    }, 200
