"""INSERT … ON CONFLICT, which both databases speak in dialects of their own."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from lamplighter.store.database import Connection


def insert(connection: Connection, table: sa.Table) -> Any:
    """An insert that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)
