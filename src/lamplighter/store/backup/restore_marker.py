"""Marks a PostgreSQL database that was restored and not settled yet, in case whoever restores it dies in between.

The mark is made in the restore's own transaction, and goes in the one in which the database is settled.
"""

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection

TABLE = "restore_unsettled"
#: any number; keeps two starting processes from settling at once
_ADVISORY_LOCK = 74_268_002


def mark(backup: str) -> str:
    """The statement for psql; `backup` is the name of the file."""
    quoted = backup.replace("'", "''")
    return f"CREATE TABLE public.{TABLE} AS SELECT '{quoted}'::text AS backup;"


async def marked(db: Connection) -> str | None:
    """The backup from which it was restored; None if it is settled."""
    if db.dialect.name == "sqlite" or not await db.scalar(sa.text(f"SELECT to_regclass('public.{TABLE}') IS NOT NULL")):
        return None
    return str(await db.scalar(sa.text(f"SELECT backup FROM public.{TABLE}")))


async def take(db: Connection) -> str | None:
    """The same, and removes the mark; whoever else wants it waits, and finds none."""
    if db.dialect.name == "sqlite":
        return None
    await db.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
    backup = await marked(db)
    await db.execute(sa.text(f"DROP TABLE IF EXISTS public.{TABLE}"))
    return backup
