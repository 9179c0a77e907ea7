"""What every test would do anew is done once for a test process: a service does it once, its tests a thousand times."""

import functools
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
import structlog
from fastapi import FastAPI
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache
from starlette.routing import BaseRoute

from lamplighter.operations.access import passwords
from lamplighter.store.engine import sqlite
from lamplighter.store.schema import migrate
from lamplighter.web import server
from lamplighter.web.access import route_guard
from lamplighter.web.access.declared_routes import RouteTable
from lamplighter.web.routes import Routes

#: what a test process compiles in all, give or take
_STATEMENTS = 4000
_Kind = tuple[type[Any], bool]
_COMPILED: dict[_Kind, Any] = {}
#: as many as a running service lets come into being before it looks for garbage among them
_YOUNG = 10_000
_SLOW_HASHER = passwords.hasher


def compile_statements() -> None:
    """Engines of one kind share the SQL that they have compiled."""
    for dialect in (SQLiteDialect_pysqlite, PGDialect_asyncpg):
        # What is compiled is kept under its dialect, of which every engine has one of its own.
        dialect.__eq__ = _is_like  # type: ignore[method-assign, assignment]
        dialect.__hash__ = _hash  # type: ignore[method-assign, assignment]
    opened = sa.Engine.__init__

    def open_sharing(engine: sa.Engine, *given: Any, **named: Any) -> None:
        opened(engine, *given, **named)
        engine._compiled_cache = _COMPILED.setdefault(_kind(engine.dialect), LRUCache(_STATEMENTS))

    sa.Engine.__init__ = open_sharing  # type: ignore[method-assign]


def _kind(dialect: Any) -> _Kind:
    """Our own engines write JSON in a way of their own."""
    return type(dialect), dialect._json_serializer is None


def _is_like(one: Any, other: object) -> bool:
    return type(one) is type(other) and _kind(one) == _kind(other)


def _hash(dialect: Any) -> int:
    return hash(_kind(dialect))


def prepare_routes() -> None:
    """Applications share their routes, whose parameters are made ready when first asked for, and the table of them."""
    assembled, table = server.assembled, route_guard.RouteTable
    shared = functools.cache(lambda: assembled().router)

    def assembled_sharing(parts: Sequence[Routes] | None = None) -> FastAPI:
        if parts is not None:
            return assembled(parts)
        app = assembled(())
        app.router = shared()
        return app

    tables: dict[tuple[int, ...], RouteTable] = {}

    def table_sharing(routes: Sequence[BaseRoute]) -> RouteTable:
        key = tuple(map(id, routes))
        if key not in tables:
            tables[key] = table(routes)
        return tables[key]

    server.assembled = assembled_sharing
    route_guard.RouteTable = table_sharing  # type: ignore[misc, assignment]


def write_tracebacks_plainly() -> None:
    """A traceback with every variable of every frame takes seconds to draw, and tests log errors by the dozen."""
    renderer = structlog.get_config()["processors"][-1]
    assert isinstance(renderer, structlog.dev.ConsoleRenderer)
    renderer.exception_formatter = structlog.dev.plain_traceback


def look_for_migrations() -> None:
    """Which schema is the newest is read from files, and does not change meanwhile."""
    migrate.head = functools.cache(migrate.head)  # type: ignore[assignment]


def hash_quickly() -> None:
    """Passwords of tests are no secrets: the same hash as in the service, without the work that keeps them."""
    quick = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1),))
    passwords.hasher = functools.cache(lambda: quick)  # type: ignore[assignment]


def hash_slowly(monkeypatch: Any) -> None:
    """As the service does, for one test."""
    monkeypatch.setattr(passwords, "hasher", _SLOW_HASHER)


def write_without_waiting_for_the_disk() -> None:
    """No database of a test outlives a failure of power."""
    assert "synchronous = NORMAL" in sqlite.PRAGMAS
    sqlite.PRAGMAS = tuple("synchronous = OFF" if one.startswith("synchronous") else one for one in sqlite.PRAGMAS)


@contextmanager
def code_left_alone() -> Iterator[None]:
    """What is loaded within this, thousands of tests, is never looked through for garbage."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(_YOUNG, *gc.get_threshold()[1:])
        gc.enable()
