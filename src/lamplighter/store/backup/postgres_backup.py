"""Dumps a PostgreSQL database while other processes write to it, checks a dump, and restores one.

A dump has PostgreSQL's custom format: `pg_restore` reads it too.
"""

import asyncio
import json
import re
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa

from lamplighter import crash_points
from lamplighter.errors import BadInput, NotPossible
from lamplighter.store.backup import restore_carryover, restore_marker
from lamplighter.store.backup.postgres_programs import environment, newest, program, running
from lamplighter.store.backup.restore_carryover import CarriedOver
from lamplighter.store.engine.database import Database
from lamplighter.store.schema.columns import metadata

MAGIC = b"PGDMP"
#: time between two progress reports
_TOLD_SECONDS = 0.2
_CHUNK = 1 << 20
#: further tables that a database of ours may have: those of earlier versions, and of the full text
_ALSO_OURS = ("alembic_version", "webhook_outbox", "record_text", restore_marker.TABLE)
_PLAIN = ("--no-owner", "--no-privileges")
#: psql prints rows without headers and alignment
_BARE = ("--tuples-only", "--no-align")
_VERSION_ROW = re.compile(rb"^COPY [^\n]*alembic_version[^\n]*\n([^\n\\]+)\n", re.MULTILINE)
#: Drops everything in the schema, but not the schema itself: other roles may have rights on it.
EMPTY = """
DO $$ DECLARE each record; BEGIN
  FOR each IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') LOOP
    EXECUTE format('DROP TABLE IF EXISTS public.%I CASCADE', each.relname);
  END LOOP;
  FOR each IN SELECT oid::regprocedure::text AS name FROM pg_proc AS p WHERE pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = p.oid AND deptype = 'e') LOOP
    EXECUTE 'DROP FUNCTION IF EXISTS ' || each.name || ' CASCADE';
  END LOOP;
END $$;
"""


async def dump(db: Database, target: Path, *, progress: Callable[[int, None], None] = lambda done, _: None) -> None:
    """Dumps a snapshot of the database; `progress` gets the number of bytes written."""
    path = await program("pg_dump", server=await _server(db))
    words = ("--format=custom", "--no-password", *_PLAIN, f"--file={target}")
    async with running(path, *words, env=environment(db.url)) as dumping:
        ended = asyncio.create_task(dumping.wait(), name="pg_dump")
        while not ended.done():
            crash_points.reached("backup.midway")
            progress(_size(target), None)
            await asyncio.wait([ended], timeout=_TOLD_SECONDS)
    progress(_size(target), None)


def _size(path: Path) -> int:
    return path.stat().st_size


async def schema_of(file: Path) -> str:
    """The schema of a dump; BadInput when it is incomplete or none."""
    try:
        # Reads all of it: a truncated dump is detected now, not after the database was dropped.
        await _pg_restore("--file=/dev/null", file)
        rows = await _pg_restore("--data-only", "--table=alembic_version", "--file=-", file)
    except NotPossible as error:
        raise BadInput(f"{str(file)!r} is no backup of Lamplighter ({error}); nothing was changed") from None
    found = _VERSION_ROW.search(rows)
    if found is None:
        raise BadInput(f"{str(file)!r} is no backup of Lamplighter (it has no schema); nothing was changed")
    return found[1].decode()


async def refuse_while_used(db: Database) -> None:
    """Raises NotPossible while there are other connections."""
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' "
        "AND pid <> pg_backend_pid()"
    )
    async with db.read() as reading:
        count = int(await reading.scalar(sa.text(others)))
    if count:
        raise NotPossible(
            f"the database is in use ({count} other sessions); stop the service first, nothing was changed"
        )


async def is_empty(db: Database) -> bool:
    """Whether a database has no tables; NotPossible when it has any that are not ours."""
    async with db.read() as reading:
        names = list(await reading.scalars(sa.text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")))
    foreign = sorted(name for name in names if name not in metadata.tables and not name.startswith(_ALSO_OURS))
    if foreign:
        raise NotPossible(
            f"the database also holds tables that are not Lamplighter's ({', '.join(foreign[:5])}); restore into a "
            "database of its own, nothing was changed"
        )
    return not names


async def put_back(db: Database, file: Path, *, lasts: bool = False) -> CarriedOver:
    """Replaces the database's content by the dump's in one transaction: all of it, or nothing.

    With `lasts`, the restore carry-over is kept in that transaction; returns what the dump lacked of it.
    """
    server, env = await _server(db), environment(db.url)
    reader, writer = await program("pg_restore", server=server), await program("psql", server=server)
    words = ("--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1", "--file=-")
    laid_aside, added = (restore_carryover.POSTGRES_LAY_ASIDE, restore_carryover.POSTGRES_ADD) if lasts else ("", "")
    # Discards the output of the dump's SELECTs; prints only what was carried over.
    report = f"\n\\o\n{restore_carryover.POSTGRES_BROUGHT}" if lasts else ""
    async with running(writer, *words, *_BARE, env=env, stdin=PIPE, stdout=PIPE) as writing:
        try:
            async with running(reader, *_PLAIN, "--file=-", file, env=env, stdout=PIPE) as reading:
                assert reading.stdout is not None
                # Not by psql's --single-transaction, which commits when its input ends: also when we were killed.
                await _say(writing, f"\\o /dev/null\nBEGIN;{laid_aside}{EMPTY}".encode())
                while chunk := await reading.stdout.read(_CHUNK):
                    await _say(writing, chunk)
            crash_points.reached("restore.before_commit")
            await _say(writing, f"\n{added}{restore_marker.mark(file.name)}{report}\nCOMMIT;\n".encode())
        except ConnectionError:
            pass  # psql has ended, and its error says why
        assert writing.stdin is not None
        assert writing.stdout is not None
        writing.stdin.close()
        said = await writing.stdout.read()
    return CarriedOver(**json.loads(said)) if lasts else CarriedOver()


async def _say(listener: Process, words: bytes) -> None:
    """Writes to a program's standard input; BrokenPipeError when it has ended."""
    assert listener.stdin is not None
    if listener.stdin.is_closing():  # what a write would raise depends on the event loop
        raise BrokenPipeError
    listener.stdin.write(words)
    await listener.stdin.drain()


async def _pg_restore(*words: str | Path) -> bytes:
    path = await newest("pg_restore")
    async with running(path, *words, env=environment(sa.make_url("postgresql://")), stdout=PIPE) as reading:
        assert reading.stdout is not None
        return await reading.stdout.read()


async def _server(db: Database) -> int:
    """The server's major version."""
    async with db.read() as reading:
        return int(await reading.scalar(sa.text("SHOW server_version_num"))) // 10_000
