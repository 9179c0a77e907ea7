"""The whole schema as one script for PostgreSQL, which an administrator may apply instead of the program."""

from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable

from lamplighter.store.schema import archive_ddl, creation, index_outbox_ddl, last_outcome_ddl, migrate
from lamplighter.store.schema.columns import tell_postgresql_conditions
from lamplighter.store.schema.tables import metadata

#: what the script removes or changes in an older schema
_SUPERSEDED = (
    "DROP INDEX IF EXISTS ix_crawl_jobs_due;",
    "DROP INDEX IF EXISTS ix_source_tags_tag;",
    "DROP INDEX IF EXISTS ix_events_source;",
    "DROP INDEX IF EXISTS ix_pages_frontier;",
    "DROP INDEX IF EXISTS ix_pages_requested;",
    "DROP INDEX IF EXISTS ix_pages_redirects;",
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


def text() -> str:
    """The whole schema as one PostgreSQL script that is safe to repeat, also over an older schema."""
    tell_postgresql_conditions()
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
        *(f"{statement};" for statement in creation.BESIDE_TABLES["postgresql"]),
        "CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);",
        "DELETE FROM alembic_version;",
        f"INSERT INTO alembic_version (version_num) VALUES ('{migrate.head()}');",
        "COMMIT;",
    ]
    return "\n".join(lines) + "\n"
