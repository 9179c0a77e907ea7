"""SQL about sessions of PostgreSQL whose client was stopped in the middle of a statement.

Between announcing a statement and having it carried out, a client's transaction is neither idle nor does the server's
statement timeout apply: it waits for the client for ever, and whoever needs its locks waits with it.
"""

from datetime import timedelta

import sqlalchemy as sa

from lamplighter.store.database import Connection
from lamplighter.store.postgres_sessions import APPLICATION_NAME

_END_FROZEN = sa.text(
    """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND application_name = :name
      AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
      AND state = 'active' AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - :after
    """
).bindparams(sa.bindparam("after", type_=sa.Interval()), name=APPLICATION_NAME)


async def end(db: Connection, *, after: timedelta) -> int:
    """Ends our own sessions whose client has been silent within a statement for so long; returns how many."""
    return len((await db.execute(_END_FROZEN, {"after": after})).all())
