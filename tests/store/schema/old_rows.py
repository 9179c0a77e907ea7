"""A database of the first schema, with a row of everything that a crawl leaves."""

from collections.abc import Mapping
from types import MappingProxyType

import sqlalchemy as sa

from lamplighter.store.schema import migrate

NOW = "now"
OLD_ROWS = {
    "sources": {
        "public_id": "'s'",
        "name": "'A'",
        "url": "'https://a.example/'",
        "recipe": "'{}'",
        "max_depth": "1",
        "interval_seconds": "60",
        "priority": "50",
        "enabled": "true",
        "created_at": NOW,
        "updated_at": NOW,
    },
    "crawl_jobs": {
        "public_id": "'j'",
        "source_id": "1",
        "state": "'scheduled'",
        "priority": "50",
        "interval_seconds": "60",
        "next_run_reason": """'{"interval_seconds": 60, "jitter": 0.1}'""",
        "created_at": NOW,
        "updated_at": NOW,
    },
    "crawl_runs": {
        "public_id": "'n'",
        "job_id": "1",
        "source_id": "1",
        "number": "1",
        "trigger": "'schedule'",
        "started_at": NOW,
        "deadline_at": NOW,
        "finished_at": NOW,
        "outcome": "'warn'",
        "page_budget": "1",
    },
    "hosts": {"key": "'a.example'", "updated_at": NOW},
    "pages": {
        "source_id": "1",
        "host_id": "1",
        "url": "'https://a.example/'",
        "url_key": "'k'",
        "role": "'seed'",
        "depth": "0",
        "rank": "0",
        "phase": "'completed'",
        "content_hash": "'h'",
        "created_at": NOW,
    },
    "records": {
        "public_id": "'r'",
        "source_id": "1",
        "page_id": "1",
        "kind": "'job'",
        "url": "'https://a.example/1'",
        "canonical_hash": "'c'",
        "content_hash": "'v1'",
        "title": "'Lamplighter'",
        "tags": "'[]'",
        "fields": """'{"price": 2.5}'""",
        "provenance": "'{}'",
        "quality": "0.5",
        "first_seen_at": NOW,
        "last_seen_at": NOW,
    },
}


def first_schema_with_a_record(
    connection: sa.Connection, instead: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> None:
    """Begins a database as the first version did, with the rows below or those `instead`."""
    migrate.migrate_to(connection, "0001")
    for table, row in {**OLD_ROWS, **instead}.items():
        insert(connection, table, row)


def insert(connection: sa.Connection, table: str, row: Mapping[str, str]) -> None:
    """One row, its values as SQL; `NOW` stands for the moment."""
    # SQLite keeps moments as numbers.
    now = "0" if connection.dialect.name == "sqlite" else "CURRENT_TIMESTAMP"
    values = ", ".join(now if value == NOW else value for value in row.values())
    connection.execute(sa.text(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})"))
