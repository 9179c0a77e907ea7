"""What does it cost to find and claim 100 due jobs, of a thousand and of a million?

    python -m benchmarks.claims [--jobs 1000,100000,1000000] [--database sqlite,postgresql] [--url postgresql+asyncpg://…]

Without a URL a PostgreSQL of its own is started in a temporary folder, if one is installed. Figures are CPU
milliseconds: of this process on SQLite, of the server's process on PostgreSQL; the median of many tries, each rolled
back. The last column is the largest table beside the smallest.
"""

import argparse
import asyncio
import statistics
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from benchmarks import databases
from lamplighter.rules import urgency
from lamplighter.store import crawl_jobs, migrate
from lamplighter.store.database import Connection, Database
from lamplighter.store.tables import crawl_jobs as jobs_table

NOW: Final = datetime(2026, 3, 14, 12, tzinfo=UTC)
CLAIMED: Final = 100
TRIES: Final = 40
#: which jobs are due; of a small table a hundred at least
MIXES: Final = {
    "all due": "1 = 1",
    "1 % due": "id % {each} = 0",
    "only the least urgent due": f"urgency = {urgency.LEAST}",
    "none due": "1 = 0",
}


class _RolledBack(Exception):
    pass


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", default="1000,100000,1000000")
    parser.add_argument("--database", default="sqlite,postgresql")
    parser.add_argument("--url")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.jobs.split(",")]
    for kind in arguments.database.split(","):
        asyncio.run(_show(kind, sizes, url=arguments.url))


async def _show(kind: str, sizes: list[int], *, url: str | None) -> None:
    figures: dict[str, list[float]] = {mix: [] for mix in MIXES}
    for size in sizes:
        async with databases.empty(kind, url=url) as address, Database(address) as db:
            await _fill(db, size)
            for mix, condition in MIXES.items():
                await _make_due(db, condition.format(each=min(100, size // CLAIMED)))
                await databases.tidy(db, address, "crawl_jobs")
                figures[mix].append(await _claiming(db))
    table = Table(title=f"{kind}: CPU ms to claim {CLAIMED} due jobs")
    for heading in ("", *(f"{size:,} jobs" for size in sizes), "growth"):
        table.add_column(heading, justify="right")
    for mix, costs in figures.items():
        table.add_row(mix, *(f"{cost:.2f}" for cost in costs), f"x {costs[-1] / costs[0]:.1f}")
    Console().print(table)


async def _fill(db: Database, size: int) -> None:
    await migrate.upgrade(db)
    lanes = len(urgency.LANES)
    moment = "0" if db.is_sqlite else "timestamptz 'epoch'"
    counted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :size)"
    insert_sources = f"""
        INSERT INTO sources
          (public_id, name, url, recipe, max_depth, priority, enabled, recurring, created_at, updated_at)
        {counted} SELECT 's' || i, 's' || i, 'https://s' || i || '.example/', '{{}}', 3, 50, :yes, :yes,
          {moment}, {moment} FROM n"""
    insert_jobs = f"""
        INSERT INTO crawl_jobs
          (public_id, source_id, state, priority, interval_seconds, urgency, host_id, created_at, updated_at)
        {counted} SELECT 'j' || i, i, 'scheduled', 50, 3600, i % {lanes} + {urgency.LEAST}, i, {moment}, {moment}
        FROM n"""
    async with db.exclusive() as connection:
        await connection.execute(sa.text(insert_sources), {"size": size, "yes": True})
        await connection.execute(sa.text(insert_jobs), {"size": size})


async def _make_due(db: Database, condition: str) -> None:
    """Makes those jobs due that meet the condition, each at its own time, and all others later."""
    spread = sa.type_coerce(jobs_table.c.id, sa.Integer) % 3600
    late, later = NOW - timedelta(hours=2), NOW + timedelta(hours=2)
    async with db.exclusive() as connection:
        for moment, which in ((later, "1 = 1"), (late, condition)):
            if db.is_sqlite:
                at = sa.literal(moment, jobs_table.c.next_run_at.type).op("+")(spread * 1_000_000)
            else:
                at = sa.literal(moment) + spread * sa.literal_column("interval '1 second'")
            await connection.execute(sa.update(jobs_table).where(sa.text(which)).values(next_run_at=at))


async def _claiming(db: Database) -> float:
    """CPU milliseconds of finding and claiming, in the middle of many tries."""
    costs = [await _once(db) for _ in range(TRIES)]
    return statistics.median(costs[TRIES // 4 :])


async def _once(db: Database) -> float:
    cost = 0.0

    async def work(connection: Connection) -> None:
        nonlocal cost
        pid = await databases.server_process(db, connection)
        began = databases.cpu_seconds(pid, own=time.thread_time)
        due = await crawl_jobs.due(connection, lanes=urgency.LANES, now=NOW, limit=CLAIMED)
        due.sort(key=lambda job: -urgency.value_lost(job.urgency, due_at=job.next_run_at, now=NOW))
        await crawl_jobs.claim(connection, [job.id for job in due[:CLAIMED]], now=NOW)
        cost = databases.cpu_seconds(pid, own=time.thread_time) - began
        raise _RolledBack

    with suppress(_RolledBack):
        await db.write(work)
    return cost * 1000


if __name__ == "__main__":
    main()
