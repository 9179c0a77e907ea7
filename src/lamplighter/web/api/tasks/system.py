"""Health and figures."""

import asyncio
from datetime import datetime
from typing import Any, Literal

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from lamplighter import __version__
from lamplighter.model.fleet import Server
from lamplighter.operations.fleet import system
from lamplighter.ports import IndexAway
from lamplighter.store.engine.database import takes_writes
from lamplighter.web.api.envelope import DoneOut, done, taken_from
from lamplighter.web.api.tasks.shapes_tasks import TaskStatus, status_of
from lamplighter.web.monitoring.health import has_space
from lamplighter.web.problems import Family, envelope_body
from lamplighter.web.routes import PUBLIC, Routes
from lamplighter.web.servers_away import servers_away
from lamplighter.web.view import IsKnown, ServiceView, View

ROUTES = Routes("/api", tag="system", family=Family.ENVELOPE)
_PATIENCE_SECONDS = 3
#: services that need no server in this installation
_EMBEDDED = {"status": "embedded", "response_time_ms": 0.0}


class SystemPart(BaseModel):
    """A service, and its health."""

    status: Literal["healthy", "unhealthy", "embedded"]
    response_time_ms: float


class SystemServices(BaseModel):
    """Services."""

    database: SystemPart
    rabbitmq: SystemPart
    elasticsearch: SystemPart


class SystemHealth(BaseModel):
    """System health."""

    #: degraded while a service does not answer (crawling goes on as far as it can) or too little disk space is free
    status: Literal["healthy", "degraded"]
    timestamp: datetime
    #: None for callers without credentials, as is all below
    version: str | None
    services: SystemServices | None


class DomainCounts(BaseModel):
    """Domains."""

    total: int
    active: int
    disabled: int


class ProxyCounts(BaseModel):
    """Proxies."""

    total: int
    active: int
    failing: int


class ProductCounts(BaseModel):
    """Products; today began at midnight, UTC."""

    total: int
    added_today: int


class DayPerformance(BaseModel):
    """The last day."""

    avg_crawl_time_ms: float | None
    #: processor time
    avg_parse_time_ms: float | None
    #: per cent
    success_rate: float | None


class SystemStats(BaseModel):
    """System figures."""

    #: in all, and by status
    tasks: dict[str, int]
    domains: DomainCounts
    proxies: ProxyCounts
    products: ProductCounts
    performance: DayPerformance


class QueueCounts(BaseModel):
    """Items that wait, items in progress, and their consumers."""

    messages_ready: int = taken_from("ready")
    messages_unacked: int = taken_from("held")
    consumers: int = taken_from("holders")


class QueuesOut(BaseModel):
    """Queues"""

    crawl_queue: QueueCounts = taken_from("crawl")
    parse_queue: QueueCounts = taken_from("parse")
    priority_queue: QueueCounts = taken_from("priority")
    #: messages that could not be handled; None without RabbitMQ, or while it is unreachable
    dead_letter_queue: QueueCounts | None = taken_from("dead_letters")


@ROUTES.get("/health", role=PUBLIC, response_model=DoneOut[SystemHealth])
@ROUTES.head("/health", role=PUBLIC)
async def health(view: View, is_known: IsKnown) -> Any:
    """Whether each service responds, and how fast; 503 when the database fails or takes no writes.

    Callers without credentials see the status only. HEAD works too.
    """
    took = await _database_answers_in(view)
    if took is None and not is_known:
        return _unwell({})
    if took is None:
        parts = {"database": {"status": "unhealthy", "response_time_ms": 1000.0 * _PATIENCE_SECONDS}}
        return _unwell(parts | {"rabbitmq": _EMBEDDED, "elasticsearch": _EMBEDDED})
    services = {
        "database": {"status": "healthy", "response_time_ms": round(1000 * took, 2)},
        "rabbitmq": await _broker(view),
        "elasticsearch": await _search_server(view),
    }
    away = [name for name, each in services.items() if each["status"] == "unhealthy"]
    # Redis and the archive have no place in this answer; a message names them.
    others = (Server.REDIS, Server.ARCHIVE)
    away += [str(server) for server in await servers_away(view) if server in others]
    low = [] if has_space(view) else ["There is too little disk space: nothing is fetched."]
    data = {
        "status": "degraded" if away or low else "healthy",
        "timestamp": view.clock.now(),
        "version": __version__ if is_known else None,
        "services": services if is_known else None,
    }
    if not is_known:
        return done(data, "Not all is well." if away or low else "All is well.")
    missing = [f"These do not answer: {', '.join(away)}."] if away else []
    return done(data, " ".join(missing + low) or "All is well.")


@ROUTES.get("/admin/stats", response_model=DoneOut[SystemStats])
async def stats(view: View) -> Any:
    """Figures of tasks, domains, proxies, products."""
    found = await view.read(lambda db: system.overview(db, now=view.clock.now()))
    by_status = dict.fromkeys(map(str, TaskStatus), 0)
    for stage, count in found.tasks.items():
        by_status[status_of(stage)] += count
    data = {
        "tasks": {"total": found.tasks.total()} | by_status,
        "domains": {
            "total": found.domains,
            "active": found.active_domains,
            "disabled": found.domains - found.active_domains,
        },
        "proxies": {"total": found.proxies, "active": found.active_proxies, "failing": found.failing_proxies},
        "products": {"total": found.products, "added_today": found.products_today},
        "performance": {
            "avg_crawl_time_ms": found.average_took_ms,
            "avg_parse_time_ms": found.average_reading_ms,
            "success_rate": found.success_rate,
        },
    }
    return done(data, "Statistics")


@ROUTES.get("/admin/queues", response_model=DoneOut[QueuesOut])
async def queues(view: View) -> Any:
    """Pages that wait for fetching and for parsing; pages of priority 1 and 2 have their own queue.

    With RabbitMQ: its waiting messages and consumers, and the pages in progress from the database.
    Without it, or while it is unreachable: waiting pages, pages in progress and their processes, from the database.
    """
    async with view.db.read() as db:
        found = await system.queues(db, depths=await view.connections.queue.depths(), now=view.clock.now())
    return done(found, "Queues")


async def _database_answers_in(view: ServiceView) -> float | None:
    """Response time in seconds; None if down or read-only."""
    began = view.clock.monotonic()
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS), view.db.read() as db:
            if view.db.refuses_writes or not await takes_writes(db):
                return None
    except (TimeoutError, SQLAlchemyError, OSError):
        return None
    return view.clock.monotonic() - began


async def _broker(view: ServiceView) -> dict[str, Any]:
    """The health of RabbitMQ."""
    if view.settings.queue_url is None:
        return _EMBEDDED
    began = view.clock.monotonic()
    depths = await view.connections.queue.depths()
    took = round(1000 * (view.clock.monotonic() - began), 2)
    return {"status": "healthy" if depths is not None else "unhealthy", "response_time_ms": took}


async def _search_server(view: ServiceView) -> dict[str, Any]:
    """The health of the search server."""
    if view.search.server is None:
        return _EMBEDDED
    began = view.clock.monotonic()
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await view.search.server.count()
    except (IndexAway, TimeoutError):
        return {"status": "unhealthy", "response_time_ms": 1000.0 * _PATIENCE_SECONDS}
    return {"status": "healthy", "response_time_ms": round(1000 * (view.clock.monotonic() - began), 2)}


def _unwell(services: dict[str, Any]) -> Response:
    body = envelope_body("database_error", "the database does not answer", services=services)
    return JSONResponse(body, status_code=503)
