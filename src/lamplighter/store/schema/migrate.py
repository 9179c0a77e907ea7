"""Migrates a database to this program's schema, and refuses a newer schema."""

import asyncio
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable

from lamplighter import crash_points
from lamplighter.errors import SchemaTooNew
from lamplighter.store.backup import backup_files, sqlite_backup
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import archive_ddl, index_outbox_ddl, last_outcome_ddl, record_text_ddl, tally_ddl
from lamplighter.store.schema.tables import metadata

#: any number; keeps two starting processes from migrating PostgreSQL at once
_ADVISORY_LOCK = 74_268_001
#: what the script removes or changes in an older schema
_SUPERSEDED = (
    "DROP INDEX IF EXISTS ix_crawl_jobs_due;",
    "DROP INDEX IF EXISTS ix_source_tags_tag;",
    "DROP INDEX IF EXISTS ix_events_source;",
    "DROP INDEX IF EXISTS ix_pages_frontier;",
    "DROP TABLE IF EXISTS webhook_outbox;",
    "ALTER TABLE sources ALTER COLUMN interval_seconds DROP NOT NULL;",
    "ALTER TABLE IF EXISTS audit_log DROP COLUMN IF EXISTS detail;",
)
#: tallies by other columns than today's, which are counted anew
_OLD_TALLIES = (
    "DO $$ BEGIN IF EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() "
    "AND table_name = 'job_tallies' AND column_name = 'is_listed') THEN DROP TABLE job_tallies; END IF; END $$;"
)
#: values that the script fills in for existing rows
_FILLED = (
    "UPDATE records SET price = CAST(fields ->> 'price' AS double precision) "
    "WHERE price IS NULL AND jsonb_typeof(fields -> 'price') = 'number';",
    "UPDATE crawl_jobs SET last_run_at = (SELECT max(started_at) FROM crawl_runs "
    "WHERE crawl_runs.job_id = crawl_jobs.id AND outcome IN ('ok', 'warn', 'fail')) WHERE last_run_at IS NULL;",
    f"{last_outcome_ddl.FILLED};",
    "UPDATE crawl_jobs SET baseline_at = last_run_at WHERE baseline_at IS NULL AND (last_outcome IN ('ok', 'warn') "
    "OR EXISTS (SELECT 1 FROM records WHERE records.source_id = crawl_jobs.source_id));",
    "UPDATE notification_channels SET max_per_minute = CASE WHEN kind = 'webhook' THEN 60 ELSE 10 END "
    "WHERE max_per_minute IS NULL;",
    "UPDATE events SET source_public_id = (SELECT public_id FROM sources WHERE sources.id = events.source_id) "
    "WHERE source_public_id IS NULL;",
    # Only over an older schema: a task that has a frequency since then may be fetched once.
    "DO $$ BEGIN IF to_regclass('alembic_version') IS NOT NULL THEN UPDATE page_orders SET is_recurring = true "
    "WHERE frequency_seconds IS NOT NULL AND (SELECT version_num FROM alembic_version) < '0022'; END IF; END $$;",
    *(f"{statement};" for statement in archive_ddl.taking_over("postgresql")),
)


def head() -> str:
    """The newest schema that we know."""
    return _known()[-1]


@cache
def _known() -> tuple[str, ...]:
    """Every schema this program knows, the oldest first: the numbers at the start of the migrations' file names."""
    files = resources.files("lamplighter.store").joinpath("migrations", "versions").iterdir()
    return tuple(sorted(file.name.partition("_")[0] for file in files if file.name[0].isdigit()))


async def current(db: Database) -> str | None:
    """The database's schema; None when it is empty."""
    async with db.read() as connection:
        return await connection.run_sync(_current)


async def upgrade(db: Database) -> Path | None:
    """Migrates to the newest schema; returns the backup taken before, if any. Safe to repeat."""
    found = await current(db)
    if found == head():
        return None
    refuse_unknown(found)
    backup = None
    if db.path is not None and await _holds_anything(db):
        backup = await asyncio.to_thread(_back_up, db.path, found)
    await apply(db)
    return backup


async def apply(db: Database) -> None:
    """Migrates without a backup: for a copy of a backup."""
    async with db.exclusive() as connection:
        if not db.is_sqlite:
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
        await _run(connection)
        crash_points.reached("migrate.midway")


async def _holds_anything(db: Database) -> bool:
    async with db.read() as connection:
        return bool(await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names()))


async def _run(connection: Connection) -> None:
    def run(sync_connection: sa.Connection) -> None:
        # Imported here: most starts have nothing to migrate, and this import takes a sixth of the start-up time.
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", "lamplighter.store:migrations")
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = sync_connection
        command.upgrade(config, "head")

    await connection.run_sync(run)


def _back_up(path: Path, schema: str | None) -> Path:
    """Copies a SQLite database to the folder beside it."""
    now = datetime.now(UTC)
    target = backup_files.new_path(path.with_name("backups"), path.stem, backup_files.SQLITE, now=now)
    with backup_files.writing(target, schema=schema, now=now) as part:
        sqlite_backup.copy(path, part)
    return target


def refuse_unknown(found: str | None, *, of: str = "the database") -> None:
    """Raises SchemaTooNew for a schema that this program does not know."""
    if found is not None and found not in _known():
        raise SchemaTooNew(
            f"{of} has schema {found!r}, which this program does not know (its newest is {head()!r}); "
            "start the newer Lamplighter that wrote it, or restore a backup"
        )


def postgres_script() -> str:
    """The whole schema as one PostgreSQL script that is safe to repeat, also over an older schema."""
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    lines = ["BEGIN;", f"{index_outbox_ddl.SUPERSEDED};", _OLD_TALLIES]
    for table in metadata.sorted_tables:
        lines.append(str(CreateTable(table, if_not_exists=True).compile(dialect=dialect)).strip() + ";")
        for column in table.columns:
            if column.primary_key:  # exists since the table does
                continue
            # With its default: a NOT NULL column needs a value in existing rows.
            said = CreateColumn(column).compile(dialect=dialect)
            lines.append(f"ALTER TABLE {table.name} ADD COLUMN IF NOT EXISTS {said};")
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            lines.append(str(CreateIndex(index, if_not_exists=True).compile(dialect=dialect)).strip() + ";")
    lines += [
        *_SUPERSEDED,
        *_FILLED,
        *(
            f"{statement};"
            for statement in (*record_text_ddl.POSTGRESQL, *index_outbox_ddl.POSTGRESQL, *tally_ddl.POSTGRESQL)
        ),
        "CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);",
        "DELETE FROM alembic_version;",
        f"INSERT INTO alembic_version (version_num) VALUES ('{head()}');",
        "COMMIT;",
    ]
    return "\n".join(lines) + "\n"


def _current(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found
