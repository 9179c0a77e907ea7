"""Column types that mean the same on SQLite and PostgreSQL."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

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

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return value
        return (value - _EPOCH) // _MICROSECOND

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        """Faster than `process_result_value`, which is called indirectly: most rows contain several times."""
        return _time_of if dialect.name == "sqlite" else None


def _time_of(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)


#: integer primary key: 64 bits on PostgreSQL, the rowid on SQLite
BigId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
#: JSON that PostgreSQL can index
Json = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def literal(*values: str) -> list[sa.ColumnElement[str]]:
    """Words for IN as literals in the statement, so that the database sees which partial index they imply."""
    return [sa.literal_column("'" + value.replace("'", "''") + "'", sa.String) for value in values]
