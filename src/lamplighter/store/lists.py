"""A column that is one of many values, in a statement that is built once.

SQLite wants each value by itself. PostgreSQL gets them all as one array: with each by itself, every other number of
values would be another statement, to be parsed and planned anew.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.visitors import InternalTraversal


class Among(sa.ColumnElement[bool]):
    """Whether a column is among the values of the parameter `name`, which is a list."""

    inherit_cache = True
    type = sa.Boolean()
    _traverse_internals = [("each", InternalTraversal.dp_clauseelement)]  # noqa: RUF012 - as SQLAlchemy has it

    def __init__(self, column: sa.Column[Any], name: str) -> None:
        self.each = column.in_(sa.bindparam(name, expanding=True))
        # Without a length, to which PostgreSQL would cut a longer value instead of not finding it.
        kind = sa.String() if isinstance(column.type, sa.String) else column.type
        self.array = column == sa.any_(sa.bindparam(name, type_=postgresql.ARRAY(kind)))

    def self_group(self, against: Any = None) -> "Among":
        """As it is: SQLAlchemy would ask SQLite whether it equals 1, and no index could answer that."""
        return self


@compiles(Among)
def _each(element: Among, compiler: Any, **how: Any) -> str:
    return str(compiler.process(element.each, **how))


@compiles(Among, "postgresql")
def _array(element: Among, compiler: Any, **how: Any) -> str:
    return str(compiler.process(element.array, **how))
