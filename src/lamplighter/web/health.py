"""Is the service well? For monitors: cheap, and in JSON."""

import asyncio
from dataclasses import asdict
from typing import Any
from weakref import WeakKeyDictionary

from fastapi import Response
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError

from lamplighter import __version__
from lamplighter.operations import event_log, instances, search_index
from lamplighter.store import records, sources
from lamplighter.store.database import Database, takes_writes
from lamplighter.web.api.routes import PUBLIC, Routes
from lamplighter.web.view import ServiceView, View

_PATIENCE_SECONDS = 3
#: counting millions of records takes its time: it is done so often at most, and given up after so long
_COUNTED_EVERY_SECONDS = 5.0
_COUNTING_SECONDS = 1
ROUTES = Routes("", tag="system")

#: database -> when it was last counted, and what that came to
_counted: WeakKeyDictionary[Database, tuple[float, dict[str, int | None]]] = WeakKeyDictionary()


@ROUTES.get("/health", role=PUBLIC)
@ROUTES.head("/health", role=PUBLIC)
async def health(view: View) -> Response:
    """200 when the database answers and takes writes, 503 and why when it does not. The counts are a few seconds old.

    HEAD will do.
    """
    known = {"version": __version__, "database": "sqlite" if view.db.is_sqlite else "postgresql"}
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            async with view.db.read() as db:
                if not await takes_writes(db):
                    return _unwell(known, "the database takes no writes")
            counts = await _counts(view)
    except TimeoutError:
        return _unwell(known, f"the database did not answer within {_PATIENCE_SECONDS} s")
    except (SQLAlchemyError, OSError) as error:
        # The error itself may name the database's user and host.
        return _unwell(known, f"the database does not answer ({type(error).__name__})")
    live = {"active_hosts": view.active_hosts(), "mirror": view.mirror(), "events": await _events(view)}
    fleet = {"queue": _queue(view), "instances": await _instances(view)}
    parts = {**live, **fleet, **view.room(), "index": await _index(view)}
    return JSONResponse({"status": "ok", **known, **counts, **parts})


async def _counts(view: ServiceView) -> dict[str, int | None]:
    """How much there is, as far as it could be counted in time."""
    at, counts = _counted.get(view.db, (float("-inf"), {"sources": None, "records": None}))
    if view.clock.monotonic() - at < _COUNTED_EVERY_SECONDS:
        return counts
    try:
        async with asyncio.timeout(_COUNTING_SECONDS), view.db.read() as db:
            counts = {"sources": await sources.count(db), "records": await records.count(db)}
    except TimeoutError:
        pass  # the database is busy or large, and answers all the same
    _counted[view.db] = (view.clock.monotonic(), counts)
    return counts


def _queue(view: ServiceView) -> dict[str, str]:
    """Whether workers can wake each other; why not is not everybody's business."""
    if view.settings.queue_url is None:
        return {"state": "embedded"}
    return {"state": "ok" if view.queue.trouble is None else "away"}


async def _instances(view: ServiceView) -> dict[str, int | None]:
    """How many processes there are, as far as it could be counted in time."""
    try:
        async with asyncio.timeout(_COUNTING_SECONDS), view.db.read() as db:
            return asdict(await instances.counts(db, now=view.clock.now()))
    except TimeoutError:
        return {"alive": None, "lost": None}


async def _events(view: ServiceView) -> dict[str, Any]:
    """How events fare, as far as it could be found out in time."""
    try:
        async with asyncio.timeout(_COUNTING_SECONDS):
            return asdict(await event_log.health(view.db, view.events))
    except TimeoutError:
        return {"state": "unknown"}


async def _index(view: ServiceView) -> dict[str, Any]:
    """What the search server has not been told yet, as far as it could be counted in time."""
    try:
        async with asyncio.timeout(_COUNTING_SECONDS), view.db.read() as db:
            found = await search_index.waiting(db, view.search_server)
    except TimeoutError:
        return {"state": "unknown"}
    # Why it is away is not everybody's business.
    state = "embedded" if view.search_server is None else "ok" if found.trouble is None else "away"
    return {"state": state, "engine": found.engine, "pending": found.pending, "parked": found.parked}


def _unwell(known: dict[str, str], reason: str) -> Response:
    return JSONResponse({"status": "unavailable", **known, "reason": reason}, status_code=503)
