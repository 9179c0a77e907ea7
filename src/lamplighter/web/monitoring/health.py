"""`/health`: a cheap JSON health check for monitors."""

import asyncio
from dataclasses import asdict
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lamplighter import __version__
from lamplighter.operations.events import event_log
from lamplighter.operations.fleet import instances
from lamplighter.operations.records import search_index
from lamplighter.store.engine.database import Database, takes_writes
from lamplighter.store.records import records
from lamplighter.store.sources import sources
from lamplighter.web.access.credentials import is_known
from lamplighter.web.servers_away import servers_away
from lamplighter.web.service_view import ServiceView

_PATIENCE_SECONDS = 3
#: counting millions of records is slow: the least time between two counts, and the timeout of one
_COUNTED_EVERY_SECONDS = 5.0
_COUNTING_SECONDS = 1
PATH = "/health"

#: database -> time and result of the last count
_counted: WeakKeyDictionary[Database, tuple[float, dict[str, int | None]]] = WeakKeyDictionary()


async def health(request: Request) -> Response:
    """Returns 200 if the database responds and accepts writes, else 503; callers without credentials see `status` only.

    `status` is `degraded` while Redis, RabbitMQ, the archive or the search server does not answer, and `away` names
    them: crawling goes on as far as it can. It is `degraded` too while too little disk space is free: then nothing is
    fetched. Counts are seconds old. HEAD works too.
    """
    knows_us = await is_known(request)
    status, told = await look(request.app.state.view, with_parts=knows_us)
    return JSONResponse(told if knows_us else {"status": told["status"]}, status_code=status)


async def look(view: ServiceView, *, with_parts: bool) -> tuple[int, dict[str, Any]]:
    """The HTTP status, and all that is known; of a service that answers, the parts only if they are wanted."""
    known = {"version": __version__, "database": "sqlite" if view.db.is_sqlite else "postgresql"}
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            async with view.db.read() as db:
                if view.db.refuses_writes or not await takes_writes(db):
                    return _unwell(known, "the database accepts no writes")
            counts = await _counts(view)
    except TimeoutError:
        return _unwell(known, f"the database did not answer within {_PATIENCE_SECONDS} s")
    except (SQLAlchemyError, OSError) as error:
        # The error's text may contain the database's user and host.
        return _unwell(known, f"the database does not answer ({type(error).__name__})")
    away = [str(server) for server in await servers_away(view)]
    status = {"status": "degraded" if away or not has_space(view) else "ok", "away": away}
    if not with_parts:
        return 200, status
    live = {
        "active_hosts": view.crawl.active_hosts(),
        "mirror": view.connections.mirror(),
        "events": await _events(view),
    }
    fleet = {"queue": _queue(view), "instances": await _instances(view)}
    parts = {**live, **fleet, **view.storage.room(), "index": await _index(view)}
    return 200, {**status, **known, **counts, **parts}


def has_space(view: ServiceView) -> bool:
    """Whether enough disk space is free to fetch."""
    return bool(view.storage.room()["disk"]["state"] == "ok")


async def _counts(view: ServiceView) -> dict[str, int | None]:
    """Counts of sources and records, if they were counted in time."""
    at, counts = _counted.get(view.db, (float("-inf"), {"sources": None, "records": None}))
    if view.clock.monotonic() - at < _COUNTED_EVERY_SECONDS:
        return counts
    try:
        async with asyncio.timeout(_COUNTING_SECONDS), view.db.read() as db:
            counts = {"sources": await sources.count(db), "records": await records.count(db)}
    except TimeoutError:
        pass  # the database is busy or large, but it responds
    _counted[view.db] = (view.clock.monotonic(), counts)
    return counts


def _queue(view: ServiceView) -> dict[str, str]:
    """Whether the queue between processes works; the reason is not public."""
    if view.settings.queue_url is None:
        return {"state": "embedded"}
    return {"state": "ok" if view.connections.queue.trouble is None else "away"}


async def _instances(view: ServiceView) -> dict[str, int | None]:
    """The number of processes, if it was counted in time."""
    try:
        async with asyncio.timeout(_COUNTING_SECONDS), view.db.read() as db:
            return asdict(await instances.counts(db, now=view.clock.now()))
    except TimeoutError:
        return {"alive": None, "lost": None}


async def _events(view: ServiceView) -> dict[str, Any]:
    """The state of event delivery, if it was read in time."""
    try:
        async with asyncio.timeout(_COUNTING_SECONDS):
            return asdict(await event_log.health(view.db, view.connections.events))
    except TimeoutError:
        return {"state": "unknown"}


async def _index(view: ServiceView) -> dict[str, Any]:
    """The number of records still to be indexed, if it was counted in time."""
    try:
        async with asyncio.timeout(_COUNTING_SECONDS), view.db.read() as db:
            found = await search_index.waiting(db, view.search.server)
    except TimeoutError:
        return {"state": "unknown"}
    # The reason is not public.
    state = "embedded" if view.search.server is None else "ok" if found.trouble is None else "away"
    return {"state": state, "engine": found.engine, "pending": found.pending, "parked": found.parked}


def _unwell(known: dict[str, str], reason: str) -> tuple[int, dict[str, Any]]:
    return 503, {"status": "unavailable", **known, "reason": reason}
