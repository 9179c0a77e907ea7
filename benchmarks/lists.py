"""What does a page of a list of sources cost, of a thousand and of a hundred thousand?

    python -m benchmarks.lists [--sources 1000,100000] [--database sqlite,postgresql] [--url postgresql+asyncpg://…]

Without a URL a PostgreSQL of its own is started in a temporary folder, if one is installed. Figures are CPU
milliseconds of a page of 50 with its total, everything about each row included: of this process on SQLite, of the
server's process on PostgreSQL (which may start no others for it); the best of some tries, after a few that do not
count. Every source has a crawl job and ten runs.
"""

import argparse
import asyncio
from typing import Any, Final

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from benchmarks import databases
from lamplighter.model.source import SourceStatus
from lamplighter.operations import source_list
from lamplighter.store import migrate
from lamplighter.store.database import Database
from lamplighter.store.source_lists import Sort, SourceFilter

SHOWN: Final = 50
UNCOUNTED: Final = 6
TRIES: Final = 5
RUNS: Final = 10
LISTS: Final[dict[str, dict[str, Any]]] = {
    "by name": {"sort": Sort.NAME},
    "by name, page 1,000": {"sort": Sort.NAME, "offset": 49_950},
    "by priority, highest first": {"sort": Sort.PRIORITY, "descending": True},
    "by next run": {"sort": Sort.NEXT_RUN_AT},
    "by last run, latest first": {"sort": Sort.LAST_RUN_AT, "descending": True},
    "by change": {"sort": Sort.UPDATED_AT, "descending": True},
    "search, a tenth matches": {"sort": Sort.NAME, "which": SourceFilter(search="7.exam")},
    "search, one matches": {"sort": Sort.NAME, "which": SourceFilter(search="S777.Exam")},
    "with a tag": {"sort": Sort.NAME, "which": SourceFilter(tag="tag 7")},
    "paused": {"sort": Sort.NAME, "which": SourceFilter(status=SourceStatus.PAUSED)},
    "active": {"sort": Sort.NAME, "which": SourceFilter(status=SourceStatus.ACTIVE)},
    "failing": {"sort": Sort.NAME, "which": SourceFilter(has_failures=True)},
    "of a kind": {"sort": Sort.NAME, "which": SourceFilter(kind="event")},
    "on a host": {"sort": Sort.NAME, "which": SourceFilter(host="s77.example")},
}


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", default="1000,100000")
    parser.add_argument("--database", default="sqlite,postgresql")
    parser.add_argument("--url")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sources.split(",")]
    for kind in arguments.database.split(","):
        asyncio.run(_show(kind, sizes, url=arguments.url))


async def _show(kind: str, sizes: list[int], *, url: str | None) -> None:
    figures: dict[str, list[float]] = {name: [] for name in LISTS}
    for size in sizes:
        async with databases.empty(kind, url=url) as address, Database(address) as db:
            await _fill(db, size)
            await databases.tidy(db, address)
            for name, asked in LISTS.items():
                figures[name].append(await _listing(db, **asked))
    table = Table(title=f"{kind}: CPU ms for a page of {SHOWN} sources and their total")
    for heading in ("", *(f"{size:,} sources" for size in sizes)):
        table.add_column(heading, justify="right")
    for name, costs in figures.items():
        table.add_row(name, *(f"{cost:.1f}" for cost in costs))
    Console().print(table)


async def _fill(db: Database, size: int) -> None:
    """Sources with recipes, as real ones have them; a tenth is paused, a hundredth is deleted, one in fifty fails."""
    await migrate.upgrade(db)
    moment = "{0}" if db.is_sqlite else "timestamptz 'epoch' + interval '1 second' * ({0})"
    at = moment.format
    recipe = '{"items": "li.job", "fields": {"title": "h2 a", "url": "h2 a", "location": ".where", "deadline": ".by"}}'
    counted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :size)"
    statements = [
        f"""INSERT INTO sources (public_id, name, url, recipe, max_depth, priority, enabled, recurring, deleted_at,
              created_at, updated_at)
            {counted} SELECT 's' || i, 'Source ' || (i * 7919 % 99991), 'https://s' || i || '.example/jobs',
              :recipe, 3, i % 5 * 25, :yes, :yes, CASE WHEN i % 100 = 0 THEN {at("i")} END, {at("i")},
              {at("i * 31 % 99991")} FROM n""",
        f"""INSERT INTO crawl_jobs (public_id, source_id, state, priority, interval_seconds, urgency, host_id,
              failure_count, last_run_at, next_run_at, created_at, updated_at)
            {counted} SELECT 'j' || i, i, CASE WHEN i % 10 = 0 THEN 'paused' ELSE 'scheduled' END, 50, 3600, 0, i,
              CASE WHEN i % 50 = 1 THEN 1 ELSE 0 END, {at(f"9 * 100000 + ({RUNS} * i - 1) * 41 % 99991")},
              {at("i * 37 % 99991")}, {at("0")}, {at("0")} FROM n""",
        f"""INSERT INTO source_tags (source_id, tag) {counted} SELECT i, 'tag ' || (i % 100) FROM n""",
        f"""INSERT INTO crawl_runs (public_id, job_id, source_id, number, trigger, started_at, deadline_at,
              finished_at, outcome, page_budget)
            {counted} SELECT 'r' || i, (i - 1) / {RUNS} + 1, (i - 1) / {RUNS} + 1, i % {RUNS}, 'schedule',
              {at("i % 10 * 100000 + i * 41 % 99991")}, {at("0")}, {at("i")}, 'ok', 10 FROM n""",
    ]
    async with db.exclusive() as connection:
        for statement in statements:
            rows = size * RUNS if "crawl_runs" in statement else size
            given = {"size": rows} | ({"recipe": recipe, "yes": True} if "recipe" in statement else {})
            typed = sa.text(statement.replace(":recipe", ":recipe" if db.is_sqlite else "CAST(:recipe AS jsonb)"))
            await connection.execute(typed, given)


async def _listing(
    db: Database, *, sort: Sort, which: SourceFilter | None = None, descending: bool = False, offset: int = 0
) -> float:
    """CPU milliseconds of one page, at best."""
    costs = []
    chosen = which or SourceFilter()
    for _ in range(UNCOUNTED + TRIES):
        async with db.read() as connection:
            pid = await databases.server_process(db, connection)
            if pid is not None:  # no others may help, whose time we would not see
                await connection.execute(sa.text("SET LOCAL max_parallel_workers_per_gather = 0"))
            began = databases.cpu_seconds(pid)
            await source_list.page(connection, chosen, sort=sort, descending=descending, limit=SHOWN, offset=offset)
            costs.append(databases.cpu_seconds(pid) - began)
    return min(costs[UNCOUNTED:]) * 1000


if __name__ == "__main__":
    main()
