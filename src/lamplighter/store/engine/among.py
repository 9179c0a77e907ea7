"""An IN condition for many values, in a statement that is built once.

SQLite gets all values as one JSON array, PostgreSQL as one array: with a parameter for each, every number of values
would be a new statement to write, parse and plan.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.visitors import InternalTraversal

from lamplighter.store.schema.types import Json


class Among(sa.ColumnElement[bool]):
    """Whether a column's value is in the list parameter `name`."""

    inherit_cache = True
    type = sa.Boolean()
    _traverse_internals = [("each", InternalTraversal.dp_clauseelement)]  # noqa: RUF012 - as SQLAlchemy has it

    def __init__(self, column: sa.Column[Any], name: str) -> None:
        values = sa.func.json_each(sa.bindparam(name, type_=Json)).table_valued("value")
        self.each = column.in_(sa.select(values.c.value))
        # Without a length: PostgreSQL would cut a longer value to it, and find a wrong row.
        kind = sa.String() if isinstance(column.type, sa.String) else column.type
        self.array = column == sa.any_(sa.bindparam(name, type_=sa.ARRAY(kind)))

    def self_group(self, against: Any = None) -> "Among":
        """Returns self: on SQLite, SQLAlchemy would compare it with 1, and no index would apply."""
        return self


@compiles(Among)
def _each(element: Among, compiler: Any, **how: Any) -> str:
    return str(compiler.process(element.each, **how))


@compiles(Among, "postgresql")
def _array(element: Among, compiler: Any, **how: Any) -> str:
    return str(compiler.process(element.array, **how))
