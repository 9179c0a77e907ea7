"""SQL about what no restore undoes: takedowns, tombstones and revoked tokens, kept by keys that every copy shares."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from lamplighter.store.access_tables import api_tokens
from lamplighter.store.database import Connection, rows_written
from lamplighter.store.tables import audit_log, takedowns, tombstones
from lamplighter.store.upsert import insert

#: the words of the audit log for what `purge` did
_PURGED = "takedown.purge"
_TAKEDOWN = (takedowns.c.domain_or_url, takedowns.c.reason, takedowns.c.created_at)
#: without its page, which has another id in another copy
_TOMBSTONE = (tombstones.c.canonical_hash, tombstones.c.reason, tombstones.c.title, tombstones.c.created_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasting:
    """What somebody forbade or ended for good, as far as one database knows."""

    #: domain or URL prefix -> its row
    takedowns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: canonical hash of a removed record -> its row
    tombstones: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: hash of a token -> since when it is void
    revoked: Mapping[str, datetime] = field(default_factory=dict)
    #: entry of the takedown list -> when what was stored of it was last removed
    purged: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a restored database did not know, by its keys."""

    takedowns: Collection[str] = frozenset()
    tombstones: Collection[str] = frozenset()
    revoked: Collection[str] = frozenset()

    def and_also(self, other: "Brought") -> "Brought":
        """Both together."""
        return Brought(
            takedowns={*self.takedowns, *other.takedowns},
            tombstones={*self.tombstones, *other.tombstones},
            revoked={*self.revoked, *other.revoked},
        )


async def read(db: Connection) -> Lasting:
    """What a database knows, of whatever schema it is."""
    there = set(await db.run_sync(lambda connection: sa.inspect(connection).get_table_names()))

    async def rows(query: sa.Select[Any]) -> list[Any]:
        (table,) = query.get_final_froms()
        return list(await db.execute(query)) if getattr(table, "name", None) in there else []

    revoked = sa.select(api_tokens.c.hash, api_tokens.c.revoked_at).where(api_tokens.c.revoked_at.is_not(None))
    purged = sa.select(audit_log.c.subject, sa.func.max(audit_log.c.at)).where(audit_log.c.action == _PURGED)
    return Lasting(
        takedowns={row.domain_or_url: row._asdict() for row in await rows(sa.select(*_TAKEDOWN))},
        tombstones={row.canonical_hash: row._asdict() for row in await rows(sa.select(*_TOMBSTONE))},
        revoked=dict(map(tuple, await rows(revoked))),
        purged=dict(map(tuple, await rows(purged.group_by(audit_log.c.subject)))),
    )


async def add(db: Connection, lasting: Lasting) -> Brought:
    """Adds what the database lacks, and says what that was."""
    brought: dict[str, set[str]] = {"takedowns": set(), "tombstones": set(), "revoked": set()}
    for table, rows in ((takedowns, lasting.takedowns), (tombstones, lasting.tombstones)):
        for key, row in rows.items():
            if rows_written(await db.execute(insert(db, table).values(**row).on_conflict_do_nothing())):
                brought[table.name].add(key)
    for key, at in lasting.revoked.items():
        is_good = sa.and_(api_tokens.c.hash == key, api_tokens.c.revoked_at.is_(None))
        if rows_written(await db.execute(sa.update(api_tokens).where(is_good).values(revoked_at=at))):
            brought["revoked"].add(key)
    return Brought(**brought)


#: The same for psql, within the transaction that brings a dump back: what is to last is laid aside first, ...
POSTGRES_LAY_ASIDE = """
CREATE TEMP TABLE lasting_brought (kind text, key text) ON COMMIT DROP;
DO $$ BEGIN
  IF to_regclass('public.takedowns') IS NOT NULL THEN
    CREATE TEMP TABLE lasting_takedowns ON COMMIT DROP AS
      SELECT domain_or_url, reason, created_at FROM public.takedowns;
  END IF;
  IF to_regclass('public.tombstones') IS NOT NULL THEN
    CREATE TEMP TABLE lasting_tombstones ON COMMIT DROP AS
      SELECT canonical_hash, reason, title, created_at FROM public.tombstones;
  END IF;
  IF to_regclass('public.api_tokens') IS NOT NULL THEN
    CREATE TEMP TABLE lasting_revoked ON COMMIT DROP AS
      SELECT hash, revoked_at FROM public.api_tokens WHERE revoked_at IS NOT NULL;
  END IF;
END $$;
"""
#: ... and added when all else is there, as far as the dump has the tables; an older one gets them by its migration.
POSTGRES_ADD = """
DO $$ BEGIN
  IF to_regclass('pg_temp.lasting_takedowns') IS NOT NULL AND to_regclass('public.takedowns') IS NOT NULL THEN
    WITH added AS (
      INSERT INTO public.takedowns (domain_or_url, reason, created_at)
      SELECT domain_or_url, reason, created_at FROM pg_temp.lasting_takedowns
      ON CONFLICT DO NOTHING RETURNING domain_or_url
    ) INSERT INTO pg_temp.lasting_brought SELECT 'takedowns', domain_or_url FROM added;
  END IF;
  IF to_regclass('pg_temp.lasting_tombstones') IS NOT NULL AND to_regclass('public.tombstones') IS NOT NULL THEN
    WITH added AS (
      INSERT INTO public.tombstones (canonical_hash, reason, title, created_at)
      SELECT canonical_hash, reason, title, created_at FROM pg_temp.lasting_tombstones
      ON CONFLICT DO NOTHING RETURNING canonical_hash
    ) INSERT INTO pg_temp.lasting_brought SELECT 'tombstones', canonical_hash FROM added;
  END IF;
  IF to_regclass('pg_temp.lasting_revoked') IS NOT NULL AND to_regclass('public.api_tokens') IS NOT NULL THEN
    WITH ended AS (
      UPDATE public.api_tokens AS token SET revoked_at = lasting.revoked_at
      FROM pg_temp.lasting_revoked AS lasting
      WHERE token.hash = lasting.hash AND token.revoked_at IS NULL RETURNING token.hash
    ) INSERT INTO pg_temp.lasting_brought SELECT 'revoked', hash FROM ended;
  END IF;
END $$;
"""
#: what was added, as JSON
POSTGRES_BROUGHT = """
SELECT json_build_object(
  'takedowns', coalesce(json_agg(key) FILTER (WHERE kind = 'takedowns'), '[]'::json),
  'tombstones', coalesce(json_agg(key) FILTER (WHERE kind = 'tombstones'), '[]'::json),
  'revoked', coalesce(json_agg(key) FILTER (WHERE kind = 'revoked'), '[]'::json)
) FROM pg_temp.lasting_brought;
"""
