"""The start page: how the sources are doing, which of them need a person, and all of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.operations import alerts, demo_sources, instances, source_glances, source_overview, sources
from lamplighter.store import scheduler_figures
from lamplighter.store import tags as stored_tags
from lamplighter.store.database import Connection
from lamplighter.store.source_lists import SourceFilter
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard import source_query
from lamplighter.web.dashboard.source_query import LIMIT, SourceQuery
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
#: what needs attention is told of so many
_PRESSING = 8
#: so many of the alerts that fire are named
_NAMED_ALERTS = 3
#: tags that the filter proposes
_PROPOSED_TAGS = 100
#: remembers that the demo was explained
_DEMO_SEEN = "lamplighter_demo"
_MONTH_SECONDS = 30 * 24 * 3600
_CHOICES: dict[str, Any] = {
    "statuses": source_query.STATUS_CHOICES,
    "priorities": source_query.PRIORITY_CHOICES,
    "kinds": source_query.KIND_CHOICES,
    "limit": LIMIT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What was chosen and filled in, when it comes back to whoever did it."""

    picked: Collection[str] = ()
    everything: bool = False
    typed: Mapping[str, str] = field(default_factory=dict)
    #: what is wrong with which of its fields
    faults: Mapping[str, str] = field(default_factory=dict)


@ROUTES.get("/", include_in_schema=False)
async def start_page(visit: Visiting) -> Response:
    """All of it; or the part of it that a script renews."""
    query = SourceQuery.of(visit.request.query_params)
    if visit.target == "overview":
        shown = await visit.view.db.look(lambda db: _overview(db, visit, query))
        return visit.part("sources/overview.html", query=query, **shown)
    if visit.target == "sources":
        shown = await visit.view.db.look(lambda db: _table(db, visit, query))
        answer = visit.part("sources/table.html", query=query, bar=Bar(), **_CHOICES, **shown)
        answer.headers["HX-Push-Url"] = query.path()
        return answer
    return await whole_page(visit, query, Bar())


async def whole_page(visit: Visit, query: SourceQuery, bar: Bar, *, status: int = 200) -> Response:
    """The page, with the bar as it was left."""

    async def everything(db: Connection) -> dict[str, Any]:
        overview = await _overview(db, visit, query)
        total = overview["overview"].total if query.which == SourceFilter() else None
        return overview | await _table(db, visit, query, total=total) | await _around(db, visit)

    shown = await visit.view.db.look(everything)
    answer = visit.page("sources/start.html", status=status, query=query, bar=bar, **_CHOICES, **shown)
    if shown["demo_count"] and not shown["demo_seen"]:
        answer.set_cookie(_DEMO_SEEN, "seen", max_age=_MONTH_SECONDS, httponly=True, samesite="lax")
    return answer


@ROUTES.get("/sources/{source_id}/row", include_in_schema=False)
async def row(source_id: UUID, visit: Visiting) -> Response:
    """One row of the table, as it is now."""
    async with visit.view.db.read() as db:
        source = await sources.find(db, source_id)
        glance = await source_glances.one(db, source.id, now=visit.now)
    return visit.part("sources/row.html", glance=glance)


@ROUTES.post("/demo/remove", include_in_schema=False)
async def remove_demo(visit: Visiting) -> Response:
    """Removes the demo's sources and all that was found through them."""
    view, now, actor = visit.view, visit.now, visit.caller.name
    await view.db.write(lambda db: demo_sources.remove(db, actor=actor, now=now))
    view.sources_changed()
    return visit.done("The demo is gone.", to="/")


async def _overview(db: Connection, visit: Visit, query: SourceQuery) -> dict[str, Any]:
    now = visit.now
    return {
        "overview": await source_overview.overview(db, query.span, now=now),
        "firing_alerts": await alerts.gravest(db, limit=_NAMED_ALERTS),
        "attention": await source_overview.attention(db, limit=_PRESSING),
        "instances": await instances.counts(db, now=now),
        "due_jobs": await scheduler_figures.count_due(db, now=now),
        "active_hosts": visit.view.active_hosts(),
        "spans": tuple(source_overview.Span),
    }


async def _table(db: Connection, visit: Visit, query: SourceQuery, *, total: int | None = None) -> dict[str, Any]:
    how: dict[str, Any] = {"order": query.order, "descending": query.descending, "offset": query.offset}
    return {"page": await source_glances.page(db, query.which, limit=LIMIT, now=visit.now, total=total, **how)}


async def _around(db: Connection, visit: Visit) -> dict[str, Any]:
    """What is not renewed while somebody looks."""
    return {
        "tags": await stored_tags.names(db, limit=_PROPOSED_TAGS),
        "demo_count": len(await demo_sources.registered(db)),
        "demo_seen": _DEMO_SEEN in visit.request.cookies,
    }
