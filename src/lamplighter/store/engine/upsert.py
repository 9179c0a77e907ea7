"""Inserts of many rows, in the SQL dialect of each database."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.types import Json


def insert(connection: Connection, table: sa.Table) -> Any:
    """An INSERT with `on_conflict_do_nothing` and `on_conflict_do_update`."""
    return insert_into(connection.dialect.name, table)


def insert_into(dialect: str, table: sa.Table) -> Any:
    """The same, for a dialect's name."""
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # as in `schema/types.py`

    return postgresql.insert(table)


def insert_many(dialect: str, table: sa.Table, names: Sequence[str]) -> Any:
    """An INSERT of many rows, executed with `many_rows`.

    PostgreSQL gets all rows as one parameter, which is twice as fast as one for each value; SQLite would be slower.
    """
    statement = insert_into(dialect, table)
    if dialect == "sqlite":
        return statement
    rows = sa.func.jsonb_to_recordset(sa.bindparam("rows", type_=Json))
    columns = [sa.column(name, table.c[name].type) for name in names]
    given = rows.table_valued(*columns, name="given").render_derived(with_types=True)
    return statement.from_select(list(names), sa.select(*given.c))


def many_rows(dialect: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    """The parameters of `insert_many`."""
    return rows if dialect == "sqlite" else {"rows": rows}


def numbers(dialect: str, parameter: str, *, count: int) -> list[sa.ColumnElement[int]]:
    """The columns of a table of integers that is passed as one parameter, a list of rows.

    One parameter costs the same for one row and for a thousand; a statement for each row would cost that every time.
    """
    rows = sa.bindparam(parameter, type_=Json)
    unfold = sa.func.json_each if dialect == "sqlite" else sa.func.jsonb_array_elements
    row = sa.type_coerce(unfold(rows).table_valued("value").c.value, Json)
    return [sa.cast(row[index].as_string(), sa.BigInteger) for index in range(count)]
