"""SQL for the restore carry-over: takedowns, tombstones and revoked tokens, by keys that are equal in all copies."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, rows_written
from lamplighter.store.engine.upsert import insert
from lamplighter.store.schema.tables import api_tokens, audit_log, takedowns, tombstones

#: the audit log's action for a purge
_PURGED = "takedown.purge"
_TAKEDOWN = (takedowns.c.domain_or_url, takedowns.c.reason, takedowns.c.created_at)
#: without its page, whose id differs between copies
_TOMBSTONE = (tombstones.c.canonical_hash, tombstones.c.reason, tombstones.c.title, tombstones.c.created_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreCarryover:
    """The takedowns, tombstones and revocations in a database."""

    #: domain or URL prefix -> its row
    takedowns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: canonical hash of a removed record -> its row
    tombstones: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: hash of a token -> when it was revoked
    revoked: Mapping[str, datetime] = field(default_factory=dict)
    #: entry of the takedown list -> when its stored data was last purged
    purged: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedOver:
    """What a restored database lacked, by its keys."""

    takedowns: Collection[str] = frozenset()
    tombstones: Collection[str] = frozenset()
    revoked: Collection[str] = frozenset()

    def and_also(self, other: "CarriedOver") -> "CarriedOver":
        """Merges both."""
        return CarriedOver(
            takedowns={*self.takedowns, *other.takedowns},
            tombstones={*self.tombstones, *other.tombstones},
            revoked={*self.revoked, *other.revoked},
        )


async def read(db: Connection) -> RestoreCarryover:
    """Reads them from a database of any schema."""
    there = set(await db.run_sync(lambda connection: sa.inspect(connection).get_table_names()))

    async def rows(query: sa.Select[Any]) -> list[Any]:
        (table,) = query.get_final_froms()
        return list(await db.execute(query)) if getattr(table, "name", None) in there else []

    revoked = sa.select(api_tokens.c.hash, api_tokens.c.revoked_at).where(api_tokens.c.revoked_at.is_not(None))
    purged = sa.select(audit_log.c.subject, sa.func.max(audit_log.c.at)).where(audit_log.c.action == _PURGED)
    return RestoreCarryover(
        takedowns={row.domain_or_url: row._asdict() for row in await rows(sa.select(*_TAKEDOWN))},
        tombstones={row.canonical_hash: row._asdict() for row in await rows(sa.select(*_TOMBSTONE))},
        revoked=dict(map(tuple, await rows(revoked))),
        purged=dict(map(tuple, await rows(purged.group_by(audit_log.c.subject)))),
    )


async def add(db: Connection, carryover: RestoreCarryover) -> CarriedOver:
    """Adds what the database lacks; returns the keys."""
    brought: dict[str, set[str]] = {"takedowns": set(), "tombstones": set(), "revoked": set()}
    for table, rows in ((takedowns, carryover.takedowns), (tombstones, carryover.tombstones)):
        for key, row in rows.items():
            if rows_written(await db.execute(insert(db, table).values(**row).on_conflict_do_nothing())):
                brought[table.name].add(key)
    for key, at in carryover.revoked.items():
        is_good = sa.and_(api_tokens.c.hash == key, api_tokens.c.revoked_at.is_(None))
        if rows_written(await db.execute(sa.update(api_tokens).where(is_good).values(revoked_at=at))):
            brought["revoked"].add(key)
    return CarriedOver(**brought)


#: The same for psql, in the transaction that restores a dump: the carry-over is copied to temporary tables first, ...
POSTGRES_LAY_ASIDE = """
CREATE TEMP TABLE carried_brought (kind text, key text) ON COMMIT DROP;
DO $$ BEGIN
  IF to_regclass('public.takedowns') IS NOT NULL THEN
    CREATE TEMP TABLE carried_takedowns ON COMMIT DROP AS
      SELECT domain_or_url, reason, created_at FROM public.takedowns;
  END IF;
  IF to_regclass('public.tombstones') IS NOT NULL THEN
    CREATE TEMP TABLE carried_tombstones ON COMMIT DROP AS
      SELECT canonical_hash, reason, title, created_at FROM public.tombstones;
  END IF;
  IF to_regclass('public.api_tokens') IS NOT NULL THEN
    CREATE TEMP TABLE carried_revoked ON COMMIT DROP AS
      SELECT hash, revoked_at FROM public.api_tokens WHERE revoked_at IS NOT NULL;
  END IF;
END $$;
"""
#: ... and added after the restore, if the dump has the tables; an older dump gets them by its migration.
POSTGRES_ADD = """
DO $$ BEGIN
  IF to_regclass('pg_temp.carried_takedowns') IS NOT NULL AND to_regclass('public.takedowns') IS NOT NULL THEN
    WITH added AS (
      INSERT INTO public.takedowns (domain_or_url, reason, created_at)
      SELECT domain_or_url, reason, created_at FROM pg_temp.carried_takedowns
      ON CONFLICT DO NOTHING RETURNING domain_or_url
    ) INSERT INTO pg_temp.carried_brought SELECT 'takedowns', domain_or_url FROM added;
  END IF;
  IF to_regclass('pg_temp.carried_tombstones') IS NOT NULL AND to_regclass('public.tombstones') IS NOT NULL THEN
    WITH added AS (
      INSERT INTO public.tombstones (canonical_hash, reason, title, created_at)
      SELECT canonical_hash, reason, title, created_at FROM pg_temp.carried_tombstones
      ON CONFLICT DO NOTHING RETURNING canonical_hash
    ) INSERT INTO pg_temp.carried_brought SELECT 'tombstones', canonical_hash FROM added;
  END IF;
  IF to_regclass('pg_temp.carried_revoked') IS NOT NULL AND to_regclass('public.api_tokens') IS NOT NULL THEN
    WITH ended AS (
      UPDATE public.api_tokens AS token SET revoked_at = carried.revoked_at
      FROM pg_temp.carried_revoked AS carried
      WHERE token.hash = carried.hash AND token.revoked_at IS NULL RETURNING token.hash
    ) INSERT INTO pg_temp.carried_brought SELECT 'revoked', hash FROM ended;
  END IF;
END $$;
"""
#: what was added, as JSON
POSTGRES_BROUGHT = """
SELECT json_build_object(
  'takedowns', coalesce(json_agg(key) FILTER (WHERE kind = 'takedowns'), '[]'::json),
  'tombstones', coalesce(json_agg(key) FILTER (WHERE kind = 'tombstones'), '[]'::json),
  'revoked', coalesce(json_agg(key) FILTER (WHERE kind = 'revoked'), '[]'::json)
) FROM pg_temp.carried_brought;
"""
