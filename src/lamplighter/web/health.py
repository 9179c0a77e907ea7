"""Is the service well? For monitors: cheap, and in JSON."""

import asyncio

import sqlalchemy as sa
from fastapi import Response
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError

from lamplighter import __version__
from lamplighter.store import records, sources
from lamplighter.web.view import ServiceView, View

_PATIENCE_SECONDS = 3


async def health(view: View) -> Response:
    """200 when the database answers, 503 and why when it does not."""
    known = {"version": __version__, "database": "sqlite" if view.db.is_sqlite else "postgresql"}
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            counts = await _counts(view)
    except TimeoutError:
        return _unwell(known, f"the database did not answer within {_PATIENCE_SECONDS} s")
    except (SQLAlchemyError, OSError) as error:
        # The error itself may name the database's user and host.
        return _unwell(known, f"the database does not answer ({type(error).__name__})")
    return JSONResponse({"status": "ok", **known, **counts, "active_hosts": view.active_hosts()})


async def _counts(view: ServiceView) -> dict[str, int]:
    async with view.db.read() as db:
        await db.execute(sa.text("SELECT 1"))
        return {"sources": await sources.count(db), "records": await records.count(db)}


def _unwell(known: dict[str, str], reason: str) -> Response:
    return JSONResponse({"status": "unavailable", **known, "reason": reason}, status_code=503)
