"""The system as a whole."""

import asyncio
from datetime import datetime
from typing import Any, Literal

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from lamplighter import __version__
from lamplighter.operations import system
from lamplighter.ports import IndexAway
from lamplighter.store.database import takes_writes
from lamplighter.store.system_figures import Queue
from lamplighter.web.api.envelope import Done, done
from lamplighter.web.api.problems import Family, envelope_body
from lamplighter.web.api.routes import PUBLIC, Routes
from lamplighter.web.api.tasks.shapes_tasks import TaskStatus, status_of
from lamplighter.web.view import ServiceView, View

ROUTES = Routes("/api", tag="system", family=Family.ENVELOPE)
_PATIENCE_SECONDS = 3
#: parts that need no server of their own here
_EMBEDDED = {"status": "embedded", "response_time_ms": 0.0}


class Part(BaseModel):
    """A part of the system, and how it is."""

    status: Literal["healthy", "unhealthy", "embedded"]
    response_time_ms: float


class Services(BaseModel):
    """The parts."""

    database: Part
    rabbitmq: Part
    elasticsearch: Part


class Health(BaseModel):
    """How the system is."""

    status: Literal["healthy"]
    timestamp: datetime
    version: str
    services: Services


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


class Performance(BaseModel):
    """Of the last day."""

    avg_crawl_time_ms: float | None
    #: processor time
    avg_parse_time_ms: float | None
    #: per cent
    success_rate: float


class Stats(BaseModel):
    """How everything fares."""

    #: total, and how many stand where
    tasks: dict[str, int]
    domains: DomainCounts
    proxies: ProxyCounts
    products: ProductCounts
    performance: Performance


class QueueCounts(BaseModel):
    """What waits, what is in hand, and how many have it in hand."""

    messages_ready: int
    messages_unacked: int
    consumers: int


class Queues(BaseModel):
    """The queues."""

    crawl_queue: QueueCounts
    parse_queue: QueueCounts
    priority_queue: QueueCounts
    #: messages that nobody could act on; None where there is no RabbitMQ, or while it is away
    dead_letter_queue: QueueCounts | None


_QUEUE_EXAMPLE = {"messages_ready": 120, "messages_unacked": 14, "consumers": 1}


@ROUTES.get(
    "/health",
    role=PUBLIC,
    response_model=Done[Health],
    example=done(
        {
            "status": "healthy",
            "timestamp": "2026-03-02T12:00:00Z",
            "version": __version__,
            "services": {
                "database": {"status": "healthy", "response_time_ms": 0.4},
                "rabbitmq": _EMBEDDED,
                "elasticsearch": _EMBEDDED,
            },
        },
        "All is well.",
    ),
)
@ROUTES.head("/health", role=PUBLIC)
async def health(view: View) -> Any:
    """Whether the parts answer, and how quickly; 503 when the database does not, or takes no writes. HEAD will do."""
    took = await _database_answers_in(view)
    if took is None:
        parts = {"database": {"status": "unhealthy", "response_time_ms": 1000.0 * _PATIENCE_SECONDS}}
        return _unwell(parts | {"rabbitmq": _EMBEDDED, "elasticsearch": _EMBEDDED})
    data = {
        "status": "healthy",
        "timestamp": view.clock.now(),
        "version": __version__,
        "services": {
            "database": {"status": "healthy", "response_time_ms": round(1000 * took, 2)},
            "rabbitmq": await _broker(view),
            "elasticsearch": await _search_server(view),
        },
    }
    return done(data, "All is well.")


@ROUTES.get("/admin/stats", response_model=Done[Stats])
async def stats(view: View) -> Any:
    """How tasks, domains, proxies and products fare."""
    async with view.db.read() as db:
        found = await system.overview(db, now=view.clock.now())
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
        "proxies": {
            "total": found.proxies,
            "active": found.active_proxies,
            "failing": found.failing_proxies,
        },
        "products": {"total": found.products, "added_today": found.products_today},
        "performance": {
            "avg_crawl_time_ms": found.average_took_ms,
            "avg_parse_time_ms": found.average_reading_ms,
            "success_rate": found.success_rate,
        },
    }
    return done(data, "The figures.")


@ROUTES.get(
    "/admin/queues",
    response_model=Done[Queues],
    example=done(dict.fromkeys(Queues.model_fields, _QUEUE_EXAMPLE) | {"dead_letter_queue": None}, "The queues."),
)
async def queues(view: View) -> Any:
    """What waits to be asked for and to be read; pages of priority 1 and 2 have a queue of their own.

    With RabbitMQ: messages that wait and processes that listen there, and pages in hand as the database has them.
    Without it, or while it is away: pages that wait, pages in hand, and processes that have some, as the database says.
    """
    async with view.db.read() as db:
        found = await system.queues(db, depths=await view.queue.depths(), now=view.clock.now())
    data = {
        "crawl_queue": _counts(found.crawl),
        "parse_queue": _counts(found.parse),
        "priority_queue": _counts(found.priority),
        "dead_letter_queue": _counts(found.dead_letters) if found.dead_letters is not None else None,
    }
    return done(data, "The queues.")


def _counts(queue: Queue) -> dict[str, int]:
    return {"messages_ready": queue.ready, "messages_unacked": queue.held, "consumers": queue.holders}


async def _database_answers_in(view: ServiceView) -> float | None:
    """Seconds; None when it does not answer, or takes no writes."""
    began = view.clock.monotonic()
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS), view.db.read() as db:
            if not await takes_writes(db):
                return None
    except (TimeoutError, SQLAlchemyError, OSError):
        return None
    return view.clock.monotonic() - began


async def _broker(view: ServiceView) -> dict[str, Any]:
    """How the server is through which workers wake each other."""
    if view.settings.queue_url is None:
        return _EMBEDDED
    began = view.clock.monotonic()
    depths = await view.queue.depths()
    took = round(1000 * (view.clock.monotonic() - began), 2)
    return {"status": "healthy" if depths is not None else "unhealthy", "response_time_ms": took}


async def _search_server(view: ServiceView) -> dict[str, Any]:
    """How the search server is, whichever kind it is."""
    if view.search_server is None:
        return _EMBEDDED
    began = view.clock.monotonic()
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await view.search_server.count()
    except (IndexAway, TimeoutError):
        return {"status": "unhealthy", "response_time_ms": 1000.0 * _PATIENCE_SECONDS}
    return {"status": "healthy", "response_time_ms": round(1000 * (view.clock.monotonic() - began), 2)}


def _unwell(services: dict[str, Any]) -> Response:
    body = envelope_body("database_error", "the database does not answer", services=services)
    return JSONResponse(body, status_code=503)
