"""Records: search, facets, and the same search as files and feeds."""

from typing import Any

from fastapi import Response
from pydantic import ValidationError

from lamplighter.operations import record_search, search_index
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard import record_facets
from lamplighter.web.dashboard.record_lines import brief_columns_for, columns_for, lines, only_kind
from lamplighter.web.dashboard.record_query import (
    LIMIT,
    SINCE_CHOICES,
    SORT_CHOICES,
    STATE_CHOICES,
    RecordQuery,
    fault_in,
)
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_FOUND = "found"
_FILES = (("csv", "CSV"), ("json", "JSON"), ("jsonl", "JSON lines"))
_FEEDS = (("feed.rss", "RSS 2.0"), ("feed.json", "JSON Feed 1.1"))


@ROUTES.get("/records", include_in_schema=False)
async def search(visit: Visiting) -> Response:
    """Records, searched and narrowed down; a script asks for the results only, while somebody types."""
    query = RecordQuery.of(visit.request.query_params)
    shown, status = await _found(visit, query)
    shown |= {"query": query, "is_open": visit.view.settings.is_dev}
    if visit.target == _FOUND:
        part = visit.part("records/found.html", status=status, **shown)
        part.headers["HX-Push-Url"] = query.path()
        return part
    choices = {"since_choices": SINCE_CHOICES, "sort_choices": SORT_CHOICES, "state_choices": STATE_CHOICES}
    return visit.page("records/list.html", status=status, **choices, **shown)


async def _found(visit: Visit, query: RecordQuery) -> tuple[dict[str, Any], int]:
    """What was found; or what in the address cannot be read."""
    try:
        wanted = query.asked(visit.now).wanted()
    except ValidationError as error:
        return {"fault": fault_in(error)}, 422
    view = visit.view
    found, total, engine = await record_search.search_with(view.db, view.finder, wanted, query.order())
    names = record_facets.names_for(query, total=total, is_embedded=engine == search_index.EMBEDDED)
    counted = await record_search.facets(view.db, view.finder, wanted, names)
    async with view.db.read() as db:
        changed = await record_search.last_changed(db, found)
        index = await search_index.waiting(db, view.search_server)
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
        "files": [(label, query.api_path("export", visit.now, format=form)) for form, label in _FILES],
        "feeds": [(label, query.api_path(name, visit.now)) for name, label in _FEEDS],
    }, 200
