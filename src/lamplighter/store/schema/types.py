"""Column types that mean the same on SQLite and PostgreSQL."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class UtcTime(sa.types.TypeDecorator[datetime]):
    """An aware UTC time: timestamptz on PostgreSQL, integer microseconds on SQLite (exact, sortable, fast)."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> Any:
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sa.BigInteger())
        return dialect.type_descriptor(sa.DateTime(timezone=True))

    # Faster than `process_bind_param` and `process_result_value`, which are called indirectly: rows contain many times.
    def bind_processor(self, dialect: sa.Dialect) -> Callable[[datetime | None], Any] | None:
        """What makes a time a value for the driver."""
        return _microseconds if dialect.name == "sqlite" else super().bind_processor(dialect)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        """What makes the driver's value a time."""
        return _time_of if dialect.name == "sqlite" else None


def _microseconds(time: datetime | None) -> int | None:
    return None if time is None else (time - _EPOCH) // _MICROSECOND


def _time_of(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)


#: integer primary key: 64 bits on PostgreSQL, the rowid on SQLite
BigId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


class Json(sa.types.TypeDecorator[Any]):
    """JSON that PostgreSQL can index."""

    impl = sa.JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> Any:
        if dialect.name != "postgresql":
            return dialect.type_descriptor(sa.JSON())
        # Loading that dialect takes as long as a small command, and most installations are on SQLite.
        from sqlalchemy.dialects.postgresql import JSONB

        return dialect.type_descriptor(JSONB())


def literal(*values: str) -> list[sa.ColumnElement[str]]:
    """Words for IN as literals in the statement, so that the database sees which partial index they imply."""
    return [sa.literal_column("'" + value.replace("'", "''") + "'", sa.String) for value in values]
