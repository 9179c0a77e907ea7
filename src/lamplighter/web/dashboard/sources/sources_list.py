"""The start page: health overview and list of sources."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.model.plot import Period
from lamplighter.model.record_search import ChangeFilter
from lamplighter.operations.alerts import alerts, problems
from lamplighter.operations.fleet import instances
from lamplighter.operations.records import change_stream
from lamplighter.operations.sources import demo_sources, source_filters, source_overview, source_summaries, sources
from lamplighter.rules.alerts.alert_findings import SERVERS
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import scheduler_figures
from lamplighter.store.sources import tags as stored_tags
from lamplighter.store.sources.source_lists import SourceFilter
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.source_query import LIMIT, SourceQuery
from lamplighter.web.routes import Pages
from lamplighter.web.servers_away import servers_away

ROUTES = Pages()
#: the number of sources that are listed as needing attention
_PRESSING = 12
#: the number of change sets shown
_LATEST = 6
#: the number of firing alerts that are named
_NAMED_ALERTS = 3
#: the number of tags that the filter suggests
_PROPOSED_TAGS = 100
#: the cookie that hides the explanation of the demo
_DEMO_SEEN = "lamplighter_demo"
_MONTH_SECONDS = 30 * 24 * 3600
_CHOICES: dict[str, Any] = {
    "statuses": source_filters.STATUS_CHOICES,
    "priorities": source_filters.PRIORITY_CHOICES,
    "kinds": source_filters.KIND_CHOICES,
    "limit": LIMIT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkBar:
    """The selection and errors of the bulk action bar."""

    picked: Collection[str] = ()
    everything: bool = False
    typed: Mapping[str, str] = field(default_factory=dict)
    #: the errors by field
    faults: Mapping[str, str] = field(default_factory=dict)


@ROUTES.get("/")
async def start_page(request: ThisRequest) -> Response:
    """The whole page, or the part that a script refreshes."""
    query = SourceQuery.of(request.http.query_params)
    if request.target == "overview":
        shown = await request.view.db.look(lambda db: _overview(db, request, query))
        return request.part("sources/overview.html", query=query, away=await _away(request), **shown)
    if request.target == "demo-past":
        return request.part("sources/demo_past.html", **await request.view.db.look(_demo))
    if request.target == "sources":
        shown = await request.view.db.look(lambda db: _table(db, request, query))
        answer = request.part("sources/table.html", query=query, bar=BulkBar(), **_CHOICES, **shown)
        answer.headers["HX-Push-Url"] = query.path()
        return answer
    return await whole_page(request, query, BulkBar())


async def whole_page(request: PageRequest, query: SourceQuery, bar: BulkBar, *, status: int = 200) -> Response:
    """The whole page with the bulk action bar as it was."""

    async def everything(db: Connection) -> dict[str, Any]:
        overview = await _overview(db, request, query)
        total = overview["overview"].total if query.which(request.now) == SourceFilter() else None
        return overview | await _table(db, request, query, total=total) | await _around(db, request)

    shown = await request.view.db.look(everything)
    shown["away"] = await _away(request)
    answer = request.page("sources/start.html", status=status, query=query, bar=bar, **_CHOICES, **shown)
    if shown["demo_count"] and not shown["demo_seen"]:
        answer.set_cookie(_DEMO_SEEN, "seen", max_age=_MONTH_SECONDS, httponly=True, samesite="lax")
    return answer


@ROUTES.get("/sources/{source_id}/row")
async def row(source_id: UUID, request: ThisRequest) -> Response:
    """The refreshed row of one source."""
    async with request.view.db.read() as db:
        source = await sources.find(db, source_id)
        glance = await source_summaries.one(db, source.id, now=request.now)
    return request.part("sources/row.html", glance=glance)


@ROUTES.post("/demo/remove")
async def remove_demo(request: ThisRequest) -> Response:
    """Removes the demo's sources and their data."""
    view = request.view
    await view.db.write(lambda db: demo_sources.remove(db, stamp=request.stamp))
    return request.done("The demo was removed.", to="/")


async def _away(request: PageRequest) -> list[tuple[str, str]]:
    """The servers that do not answer, and what that means."""
    return [SERVERS[server] for server in await servers_away(request.view)]


async def _overview(db: Connection, request: PageRequest, query: SourceQuery) -> dict[str, Any]:
    now = request.now
    return {
        "overview": await source_overview.overview(db, query.span, now=now),
        "firing_alerts": await alerts.gravest(db, limit=_NAMED_ALERTS),
        "latest": await change_stream.page(db, ChangeFilter(), reader=request.caller.name, limit=_LATEST, records=1),
        "attention": await problems.attention(db, limit=_PRESSING, now=now),
        "instances": await instances.counts(db, now=now),
        "due_jobs": await scheduler_figures.count_due(db, now=now),
        "active_hosts": request.view.crawl.active_hosts(),
        "spans": tuple(Period),
    }


async def _table(
    db: Connection, request: PageRequest, query: SourceQuery, *, total: int | None = None
) -> dict[str, Any]:
    how: dict[str, Any] = {"order": query.order, "descending": query.descending, "offset": query.offset}
    which, now = query.which(request.now), request.now
    return {"page": await source_summaries.page(db, which, limit=LIMIT, now=now, total=total, **how)}


async def _around(db: Connection, request: PageRequest) -> dict[str, Any]:
    """The parts of the page that do not refresh."""
    return {
        "tags": await stored_tags.names(db, limit=_PROPOSED_TAGS),
        "demo_seen": _DEMO_SEEN in request.http.cookies,
    } | await _demo(db)


async def _demo(db: Connection) -> dict[str, Any]:
    watched = await demo_sources.registered(db)
    return {"demo_count": len(watched), "demo_past": await demo_sources.past_of(db, watched)}
