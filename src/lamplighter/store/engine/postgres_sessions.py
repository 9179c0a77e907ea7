"""Our PostgreSQL sessions: their name, their settings, and the end of those whose client froze."""

from datetime import timedelta

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection

#: distinguishes our sessions from others of the same user
APPLICATION_NAME = "lamplighter"
#: a worker that freezes between two statements of a transaction must not keep its locks, nor wait for ever for
#: others' locks; `end_frozen` handles workers that freeze within a statement
SETTINGS = {
    "application_name": APPLICATION_NAME,
    "idle_in_transaction_session_timeout": "10000",
    "statement_timeout": "15000",
    # Our statements take milliseconds; JIT compilation takes a hundred, and large tables look costly enough for it.
    "jit": "off",
}
_END_FROZEN = sa.text(
    """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND application_name = :name
      AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
      AND state = 'active' AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - :after
    """
).bindparams(sa.bindparam("after", type_=sa.Interval()), name=APPLICATION_NAME)


async def end_frozen(db: Connection, *, after: timedelta) -> int:
    """Ends our own sessions that wait this long for their client within a statement; returns how many.

    Between preparing a statement and executing it, neither the idle timeout nor the statement timeout applies:
    the server waits for the client for ever, and so does every process that needs the transaction's locks.
    """
    return len((await db.execute(_END_FROZEN, {"after": after})).all())
