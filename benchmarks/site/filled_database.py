"""A database as it is after a week: sources with their jobs and all their runs, and the pages they were asked for."""

import json
import time
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.runs import run_hours
from lamplighter.store.schema import migrate

#: of each source: one every six hours, for a week
RUNS: Final = 28
_RECORDS: Final = 20
_RECIPE: Final = (
    '{"items": "li.job", "fields": {"title": "h2 a", "url": "h2 a", "location": ".where", "deadline": ".by"}}'
)
_REASON: Final = json.dumps(
    {
        "steps": [
            {"step": "policy", "policy": "learned", "seconds": 21_600.0},
            {"step": "jitter", "share": 0.031},
            {"step": "slot", "moved_seconds": 240.0},
        ],
        "expected": {
            "changes_every_seconds": 32_400.0,
            "changes_every_range_seconds": [25_000.0, 43_000.0],
            "visits": 28,
            "changes": 19,
            "staleness": 0.11,
            "measured_staleness": 0.12,
            "signal": 0.0,
        },
    }
)
_COUNTED: Final = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :size)"
#: microseconds, as SQLite keeps moments
_HOUR: Final = 3_600_000_000


async def fill(db: Database, *, sources: int, pages: int, runs: int = RUNS) -> None:
    """One in fifty fails, one in a hundred is blocked or drifts, a tenth is paused, one in twenty had a warning."""
    await migrate.upgrade(db)
    now = int(time.time()) * 1_000_000
    async with db.exclusive() as connection:
        for statement, size in _statements(sources, pages, runs):
            await connection.execute(sa.text(statement), _given(statement, size, now))
        await connection.execute(sa.text("ANALYZE"))
    while await db.write(_write_hours):
        pass


async def _write_hours(db: Connection) -> int:
    """As the scheduler's figures are taken every half minute."""
    return await run_hours.write_next(db, now=datetime.now(UTC))


def _given(statement: str, size: int, now: int) -> dict[str, Any]:
    known = {"size": size, "now": now, "recipe": _RECIPE, "reason": _REASON}
    return {name: value for name, value in known.items() if f":{name}" in statement}


def _statements(sources: int, pages: int, runs: int) -> list[tuple[str, int]]:
    began = f":now - (i - 1) / {sources} * {6 * _HOUR} - (i * 7919 % 21599) * 1000000 - {_HOUR // 10}"
    source_of_run = f"(i - 1) % {sources} + 1"
    return [
        (
            f"""INSERT INTO sources (public_id, name, url, recipe, max_depth, interval_seconds, priority, enabled,
                  recurring, created_at, updated_at)
                {_COUNTED} SELECT printf('%08x-0000-4000-8000-000000000000', i), 'Source ' || (i * 7919 % 99991),
                  'https://s' || i || '.example/jobs', :recipe, 3, 21600, i % 4 * 25, 1, 1, :now, :now FROM n""",
            sources,
        ),
        (
            f"""INSERT INTO crawl_jobs (public_id, source_id, state, pause_reason, priority, interval_seconds,
                  pace_seconds, urgency, host_id, failure_count, last_outcome, last_drifted, last_run_at, next_run_at,
                  next_run_reason, belief_a, belief_b, visit_count, change_count, created_at, updated_at)
                {_COUNTED} SELECT printf('%08x-0000-4000-9000-000000000000', i), i,
                  CASE WHEN i % 10 = 0 OR i % 100 = 3 THEN 'paused' ELSE 'scheduled' END,
                  CASE WHEN i % 10 = 0 THEN 'user' WHEN i % 100 = 3 THEN 'robots' END, i % 4 * 25, 21600, 21600, 0, i,
                  CASE WHEN i % 50 = 1 THEN 3 ELSE 0 END,
                  CASE WHEN i % 50 = 1 THEN 'fail' WHEN i % 20 = 7 THEN 'warn' ELSE 'ok' END, i % 100 = 7, :now,
                  :now + i % 21600 * 1000000, :reason, 8.0, 20.0 + i % 97, 28, 19, :now, :now FROM n""",
            sources,
        ),
        (f"INSERT INTO source_tags (source_id, tag) {_COUNTED} SELECT i, 'tag ' || (i % 100) FROM n", sources),
        (f"INSERT INTO source_tags (source_id, tag) {_COUNTED} SELECT i, 'group ' || (i % 7) FROM n", sources),
        (
            f"""INSERT INTO crawl_runs (public_id, job_id, source_id, number, trigger, started_at, deadline_at,
                  finished_at, outcome, message, page_budget, page_count, pages_fetched, pages_unchanged, records_found,
                  records_inserted, records_updated, records_shown)
                {_COUNTED} SELECT printf('%08x-0000-4000-a000-000000000000', i), {source_of_run}, {source_of_run},
                  {runs} - (i - 1) / {sources}, 'schedule', {began}, {began} + {_HOUR}, {began} + 60000000,
                  CASE WHEN i % 50 = 1 THEN 'fail' WHEN i % 20 = 7 THEN 'warn' ELSE 'ok' END,
                  '24 pages (20 unchanged, 0 refused, 0 failed), 31 records: 2 new, 1 changed, 28 as before, 0 skipped',
                  100, 24, 4, 20, 31, 2, 1, 31 FROM n""",
            sources * runs,
        ),
        (
            f"""INSERT INTO hosts (key, updated_at) {_COUNTED} SELECT 's' || i || '.example', :now FROM n""",
            sources,
        ),
        (
            f"""INSERT INTO pages (source_id, run_id, host_id, url, url_key, role, depth, rank, phase, status,
                  content_type, size_bytes, took_ms, fetched_at, body_hash, content_hash, changed_at, created_at)
                {_COUNTED} SELECT (i - 1) % {sources} + 1, (i - 1) % {sources} + 1, (i - 1) % {sources} + 1,
                  'https://s' || ((i - 1) % {sources} + 1) || '.example/job/' || i, printf('%064x', i), 'link', 1,
                  50001, 'completed', 200, 'text/html', 14000, 180, :now, printf('%064x', i * 3),
                  printf('%064x', i * 5), :now, :now FROM n""",
            pages,
        ),
        *_changes(sources),
    ]


def _changes(sources: int) -> list[tuple[str, int]]:
    """Twenty records of each source; a third of the runs found one and changed the price of another."""
    return [
        (
            f"""INSERT INTO records (public_id, source_id, kind, url, url_key, canonical_hash, content_hash, title,
                  description, tags, fields, provenance, quality, first_seen_at, last_seen_at)
                {_COUNTED} SELECT printf('%08x-0000-4000-b000-000000000000', i), (i - 1) % {sources} + 1, 'product',
                  'https://s' || ((i - 1) % {sources} + 1) || '.example/job/' || i, printf('%064x', i),
                  printf('%064x', i), printf('%064x', i), 'Kettle ' || i || CASE WHEN i % 997 = 0 THEN ' brass' ELSE
                  '' END, 'A kettle for tea and coffee', '[]', '{{"price": 20}}', '{{}}', 0.9,
                  :now - ({_RECORDS * sources} - i) * 1000000, :now FROM n""",
            _RECORDS * sources,
        ),
        (
            f"""INSERT INTO record_changes (record_id, run_id, at, field, before, after)
                SELECT source_id + {sources} * (id % {_RECORDS}), id, finished_at, 'fields.price', '20.0', '18.5'
                FROM crawl_runs WHERE id % 3 = 0 ORDER BY finished_at""",
            sources,
        ),
        (
            f"""INSERT INTO change_sets (source_id, run_id, began_at, at, new, changed, newest_record_id)
                SELECT source_id, id, started_at, finished_at, 1, 1, source_id + {sources} * {_RECORDS - 1}
                FROM crawl_runs WHERE id % 3 = 0 ORDER BY finished_at""",
            sources,
        ),
    ]
