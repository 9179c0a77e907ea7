"""Queries for PostgreSQL sessions whose client froze in the middle of a statement.

Between preparing a statement and executing it, neither the idle timeout nor the statement timeout applies:
the server waits for the client for ever, and so does every process that needs the transaction's locks.
"""

from datetime import timedelta

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.postgres_sessions import APPLICATION_NAME

_END_FROZEN = sa.text(
    """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND application_name = :name
      AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
      AND state = 'active' AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - :after
    """
).bindparams(sa.bindparam("after", type_=sa.Interval()), name=APPLICATION_NAME)


async def end(db: Connection, *, after: timedelta) -> int:
    """Ends our own sessions that wait this long for their client within a statement; returns how many."""
    return len((await db.execute(_END_FROZEN, {"after": after})).all())
