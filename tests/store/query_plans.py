"""How the database goes about a statement, as it explains itself."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database


@contextmanager
def heard(start: str | tuple[str, ...]) -> Iterator[list[tuple[str, Any]]]:
    """The statements sent meanwhile that begin with these words, or with one of several beginnings."""
    sent: list[tuple[str, Any]] = []

    def listen(_c: object, _cursor: object, statement: str, parameters: Any, _x: object, _many: bool) -> None:
        if statement.startswith(start):
            sent.append((statement, parameters))

    sa.event.listen(sa.Engine, "before_cursor_execute", listen)
    try:
        yield sent
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", listen)


async def plan_of(
    db: Database, work: Callable[[Connection], Awaitable[object]], *, start: str | tuple[str, ...] = "SELECT"
) -> str:
    """The plan of the first statement of `work` that begins so, with the very parameters it was sent with."""

    async def explain(connection: Connection) -> str:
        with heard(start) as sent:
            await work(connection)
        statement, parameters = sent[0]
        if not db.is_sqlite:
            await connection.execute(sa.text("SET LOCAL enable_seqscan = off"))
            await connection.execute(sa.text("SET LOCAL enable_sort = off"))
        explained = "EXPLAIN QUERY PLAN " if db.is_sqlite else "EXPLAIN "
        lines = await connection.run_sync(_run, explained + statement, parameters)
        return "\n".join(str(line[-1]) for line in lines)

    return await db.write(explain)


def _run(connection: sa.Connection, statement: str, parameters: Any) -> list[Any]:
    return list(connection.exec_driver_sql(statement, parameters).all())
