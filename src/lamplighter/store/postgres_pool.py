"""Connections to PostgreSQL, kept open and looked at before they are used."""

import time
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from lamplighter.store import postgres_sessions

#: that a connection remembers: more than the rounds have, or each would be parsed and planned again and again
_STATEMENTS = 500
#: a connection that was not used for this long is asked whether it is still there: what stands between us and the
#: server may have forgotten it without a word
_IDLE_SECONDS = 5.0


def open_pool(url: sa.URL, *, connections: int) -> AsyncEngine:
    """An engine with so many connections at most, each opened when first needed."""
    engine = create_async_engine(
        url,
        pool_size=connections,
        # A connection beyond the pool would be closed after use, and opening one costs more than most of what is asked.
        max_overflow=0,
        json_serializer=_dumps,
        json_deserializer=orjson.loads,
        connect_args={"server_settings": postgres_sessions.SETTINGS, "prepared_statement_cache_size": _STATEMENTS},
    )
    # Not SQLAlchemy's own look, which takes three messages to and fro before each use.
    sa.event.listen(engine.sync_engine, "checkin", _note_use)
    sa.event.listen(engine.sync_engine, "checkout", _look)
    return engine


def _note_use(_connection: Any, record: Any) -> None:
    record.info["used_at"] = time.monotonic()


def _look(connection: Any, record: Any, _proxy: Any) -> None:
    """Raises DisconnectionError, and so has another one opened, when a connection turns out to be broken."""
    if record.driver_connection.is_closed():
        raise DisconnectionError("the server has closed the connection")
    if time.monotonic() - record.info.get("used_at", time.monotonic()) < _IDLE_SECONDS:
        return
    try:
        connection.ping()
    except Exception as error:
        raise DisconnectionError("the connection does not answer") from error


def _dumps(value: object) -> str:
    return orjson.dumps(value).decode()
