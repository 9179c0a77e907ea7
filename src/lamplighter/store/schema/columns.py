"""The metadata registry of the tables, and columns that several tables share."""

from typing import Any

import sqlalchemy as sa

from lamplighter.store.schema.types import BigId, UtcTime

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def table(name: str, *parts: sa.Column[Any] | sa.Constraint | sa.Index, **options: Any) -> sa.Table:
    """A table of ours."""
    return sa.Table(name, metadata, *parts, **options)


def id_() -> sa.Column[int]:
    """The key that other tables refer to."""
    return sa.Column("id", BigId, primary_key=True, autoincrement=True)


def public_id() -> sa.Column[str]:
    """The id of a row in APIs and events."""
    return sa.Column("public_id", sa.String(36), nullable=False, unique=True)


def ref(name: str, target: str, *, nullable: bool = False, on_delete: str = "CASCADE") -> sa.Column[int]:
    """Refers to a row of another table."""
    return sa.Column(name, BigId, sa.ForeignKey(target, ondelete=on_delete), nullable=nullable)


def time(name: str, *, nullable: bool = True) -> sa.Column[object]:
    """A time in UTC."""
    return sa.Column(name, UtcTime, nullable=nullable)


def count(name: str) -> sa.Column[int]:
    """A counter from 0."""
    return sa.Column(name, sa.Integer, nullable=False, server_default="0")


def amount(name: str) -> sa.Column[float]:
    """A sum or weight from 0."""
    return sa.Column(name, sa.Float, nullable=False, server_default="0")


def windows_index(name: str, column: str) -> sa.Index:
    """An index, by this column, of the few rows with windows; JSON null is not SQL's NULL."""
    return partial_index(name, column, where="windows IS NOT NULL AND CAST(windows AS TEXT) NOT IN ('[]', 'null')")


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    """An index with a condition, which PostgreSQL is told by `tell_postgresql_conditions`."""
    return sa.Index(name, *columns, unique=unique, sqlite_where=sa.text(where))


def tell_postgresql_conditions() -> None:
    """Gives indexes their conditions for PostgreSQL too, before any is created or compared.

    Naming PostgreSQL with the index itself would load its dialect, which takes as long as a small command.
    """
    for known in metadata.tables.values():
        for index in known.indexes:
            if (where := index.dialect_options["sqlite"]["where"]) is not None:
                index.dialect_options["postgresql"]["where"] = where
