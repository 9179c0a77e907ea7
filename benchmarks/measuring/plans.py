"""How does a database go about what it is asked? The plan of every statement of some work."""

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database

_ASKED_FOR = ("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")
_NUMBERED = (
    (re.compile(r"'\{[^}']*\d[^}']*\}'"), "'{…}'"),
    (re.compile(r"'-?\d[^']*'(::integer|::timestamp with time zone|::bigint)?"), "…"),
    (re.compile(r"(?<= = )-?\d+"), "…"),
    (re.compile(r"\b([a-z]\w*?)_\d+\b"), r"\1"),
    (re.compile(r"(?<=SUBQUERY )\d+"), "…"),
)


class _RolledBack(Exception):
    pass


async def plans_of(db: Database, work: Callable[[Connection], Awaitable[object]]) -> str:
    """The plans of the statements that `work` executes, which is undone; a line that comes again is shown once."""
    lines: list[str] = []

    async def explained(connection: Connection) -> None:
        statements = await _statements_of(connection, work)
        for statement, parameters in statements:
            rows = await connection.run_sync(_explain, statement, parameters)
            lines.extend([f"{statement.split(None, 1)[0]} …", *(f"  {_plain(row)}" for row in rows)])
        raise _RolledBack

    with suppress(_RolledBack):
        await db.write(explained)
    return "\n".join(_with_counts(lines))


async def _statements_of(
    connection: Connection, work: Callable[[Connection], Awaitable[object]]
) -> list[tuple[str, Any]]:
    seen: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, ___: Any, is_many: bool) -> None:
        if statement.lstrip().startswith(_ASKED_FOR) and not is_many:
            seen.append((statement, parameters))

    await connection.run_sync(lambda sync: sa.event.listen(sync, "before_cursor_execute", note))
    try:
        await work(connection)
    finally:
        await connection.run_sync(lambda sync: sa.event.remove(sync, "before_cursor_execute", note))
    return seen


def _explain(connection: sa.Connection, statement: str, parameters: Any) -> list[str]:
    is_sqlite = connection.dialect.name == "sqlite"
    asked = f"{'EXPLAIN QUERY PLAN' if is_sqlite else 'EXPLAIN (COSTS OFF)'} {statement}"
    rows = connection.exec_driver_sql(asked, parameters).fetchall()
    return [str(row[-1]) for row in rows]


def _plain(line: str) -> str:
    """Without the values asked for and the numbers of aliases, in which alone some lines differ."""
    for pattern, instead in _NUMBERED:
        line = pattern.sub(instead, line)
    return line


def _with_counts(lines: list[str]) -> list[str]:
    """Each line once, in order, with how often it came: eleven queues are asked alike."""
    counts: dict[str, int] = {}
    for line in lines:
        counts[line] = counts.get(line, 0) + 1
    return [line if count == 1 else f"{line}   (× {count})" for line, count in counts.items()]
