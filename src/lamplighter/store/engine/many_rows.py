"""Writes many rows on SQLite without SQLAlchemy's work for each row, which takes longer than SQLite's.

A statement is compiled once, for the names that its rows have; then each row is a tuple for the driver.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.sql.compiler import SQLCompiler

Row = Mapping[str, Any]


class RowStatement:
    """An INSERT or UPDATE that is executed for each of many rows with the same names."""

    def __init__(self, compiled: SQLCompiler, names: Sequence[str], dialect: sa.Dialect) -> None:
        self.sql = str(compiled)
        order = [str(name) for name in compiled.positiontup or ()]
        fixed = {name: bind.value for name, bind in compiled.binds.items() if name not in names}
        convert = {
            name: bind.type.dialect_impl(dialect).bind_processor(dialect) for name, bind in compiled.binds.items()
        }
        #: what every row has besides its own values, as the driver takes it
        self._fixed = {name: _converted(convert[name], value) for name, value in fixed.items()}
        self._pick = itemgetter(*order) if len(order) > 1 else lambda row: (row[order[0]],)
        self._convert = [
            (index, conversion)
            for index, name in enumerate(order)
            if name in names and (conversion := convert[name]) is not None
        ]

    def tuples(self, rows: Sequence[Row]) -> list[tuple[Any, ...]]:
        """The rows as the driver takes them."""
        fixed, pick, convert = self._fixed, self._pick, self._convert
        picked = []
        for row in rows:
            values = list(pick({**fixed, **row} if fixed else row))
            for index, conversion in convert:
                values[index] = conversion(values[index])
            picked.append(tuple(values))
        return picked


#: statement -> names of a row -> what is executed; None when only SQLAlchemy can
_compiled: WeakKeyDictionary[Any, dict[tuple[str, ...], RowStatement | None]] = WeakKeyDictionary()


def of(statement: Any, rows: Sequence[Row], dialect: sa.Dialect) -> RowStatement | None:
    """The statement for these rows; None when SQLAlchemy has to execute it, or it was not executed before.

    To compile a statement that is built anew each time would take longer than it saves.
    """
    known = _compiled.get(statement)
    if known is None:
        _compiled[statement] = {}
        return None
    names = tuple(rows[0])
    if names not in known:
        known[names] = _compile(statement, names, dialect)
    return known[names]


def _compile(statement: Any, names: Sequence[str], dialect: sa.Dialect) -> RowStatement | None:
    if not isinstance(statement, sa.Insert | sa.Update):
        return None
    compiled = statement.compile(dialect=dialect, column_keys=sorted(names))
    assert isinstance(compiled, SQLCompiler)
    is_plain = not (compiled.prefetch or compiled.effective_returning or compiled.literal_execute_params)
    return RowStatement(compiled, names, dialect) if is_plain and not compiled.post_compile_params else None


def _converted(conversion: Callable[[Any], Any] | None, value: Any) -> Any:
    return conversion(value) if conversion is not None else value
