"""Helpers for queries: one row, one page of a list, a count, and values in chunks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection

T = TypeVar("T")
#: values in one IN: databases limit the parameters of a statement
MOST_VALUES = 500


async def one(
    db: Connection, query: Any, make: Callable[[Any], T], parameters: Mapping[str, Any] | None = None
) -> T | None:
    """Converts the only row that a statement returns; None without a row."""
    row = (await db.execute(query, parameters)).one_or_none()
    return make(row) if row is not None else None


async def page(db: Connection, query: sa.Select[Any], *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """Reads one page of the rows of a query, and counts all of them."""
    rows = (await db.execute(query.limit(limit).offset(offset))).all()
    counted = query.with_only_columns(sa.func.count(), maintain_column_froms=True).order_by(None)
    return rows, int(await db.scalar(counted))


async def count(db: Connection, table: sa.FromClause, *which: sa.ColumnElement[bool]) -> int:
    """Counts the rows of a table that match."""
    return int(await db.scalar(sa.select(sa.func.count()).select_from(table).where(*which)))


async def greatest_id(db: Connection, table: sa.Table) -> int:
    """Returns the greatest id of a table; 0 when it is empty."""
    return int(await db.scalar(sa.select(sa.func.max(table.c.id))) or 0)


def count_if(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    """Aggregate: the number of rows that match a condition; NULL without rows."""
    return sa.func.sum(sa.case((condition, 1), else_=0))


def contains(text: str, *columns: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether any of the columns contains a text, ignoring case."""
    return sa.or_(*(column.icontains(text, autoescape=True) for column in columns))


def chunks(values: Iterable[T]) -> Iterator[Sequence[T]]:
    """Splits values, in order, into lists that fit into one IN."""
    given = list(values)
    return (given[start : start + MOST_VALUES] for start in range(0, len(given), MOST_VALUES))
