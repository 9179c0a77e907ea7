"""What does it cost to find and claim 100 due jobs, of a thousand and of a million?

    python -m benchmarks.claims [--jobs 1000,100000,1000000] [--database sqlite,postgresql] [--url postgresql+asyncpg://…]

Without a URL a PostgreSQL of its own is started in a temporary folder, if one is installed. Figures are CPU
milliseconds: of this process on SQLite, of the server's process on PostgreSQL; the median of many tries, each rolled
back. The last column is the largest table beside the smallest.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import sqlalchemy as sa

from benchmarks.measuring import databases
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.plans import plans_of
from benchmarks.measuring.showing import alone
from lamplighter.rules.schedule import urgency
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.schema import migrate

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
#: the mix whose query plans are shown
_PLANNED: Final = "1 % due"
#: how much the cost may grow from the smallest table to the largest
GROWTH: Final = 3.0
_SIZES: Final = {
    Size.FULL: (1_000, 100_000, 1_000_000),
    Size.QUICK: (1_000, 20_000),
    Size.TINY: (200, 400),
}


class _RolledBack(Exception):
    pass


class Costs(NamedTuple):
    """Of one database."""

    #: CPU milliseconds of each mix, by the size of the table
    by_mix: dict[str, list[float]]
    #: of the largest table
    plans: str


def main() -> int:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", default="1000,100000,1000000")
    parser.add_argument("--database", default="sqlite,postgresql")
    parser.add_argument("--url")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.jobs.split(",")]
    return alone(lambda tell: measured(sizes, arguments.database.split(","), tell=tell, url=arguments.url))


def measured(sizes: Sequence[int], kinds: Sequence[str], *, tell: Tell, url: str | None = None) -> Findings:
    """A table for each kind of database, and how its largest table is asked."""
    figures, sheets, texts = [], [], []
    for kind in kinds:
        costs = asyncio.run(_costs(kind, sizes, url=url, tell=tell))
        sheets.append(_sheet(kind, sizes, costs.by_mix))
        worst = max(growth(column) for column in costs.by_mix.values())
        name = f"{kind}: claiming costs from {sizes[0]:,} to {sizes[-1]:,} jobs"
        figures.append(Figure(name=name, value=round(worst, 2), unit="times", at_most=GROWTH))
        texts.append((f"Query plans of {kind}, {sizes[-1]:,} jobs, {_PLANNED}", costs.plans))
    return Findings(figures=tuple(figures), sheets=tuple(sheets), texts=tuple(texts))


def growth(costs: Sequence[float]) -> float:
    """The last cost over the first, in milliseconds; what costs less than one counts as one."""
    return max(1.0, costs[-1]) / max(1.0, costs[0])


async def _costs(kind: str, sizes: Sequence[int], *, url: str | None, tell: Tell) -> Costs:
    figures: dict[str, list[float]] = {mix: [] for mix in MIXES}
    plans = ""
    for size in sizes:
        async with databases.empty(kind, url=url) as address, Database(address) as db:
            tell(f"{kind}: making {size:,} jobs")
            await _fill(db, size)
            for mix, condition in MIXES.items():
                tell(f"{kind}: {size:,} jobs, {mix}")
                await _make_due(db, condition.format(each=min(100, size // CLAIMED)))
                await databases.tidy(db, address, "crawl_jobs")
                figures[mix].append(await _claiming(db))
                if mix == _PLANNED:
                    plans = await plans_of(db, _find_and_claim)
    return Costs(figures, plans)


def _sheet(kind: str, sizes: Sequence[int], figures: dict[str, list[float]]) -> Sheet:
    return Sheet(
        title=f"{kind}: CPU ms to claim {CLAIMED} due jobs",
        headings=("", *(f"{size:,} jobs" for size in sizes), "growth"),
        rows=tuple(
            (mix, *(f"{cost:.2f}" for cost in costs), f"× {growth(costs):.1f}") for mix, costs in figures.items()
        ),
    )


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
    first, second, given = ":late", "1000000", {}
    for name, moment in (("late", NOW - timedelta(hours=2)), ("later", NOW + timedelta(hours=2))):
        given[name] = int(moment.timestamp()) * 1_000_000 if db.is_sqlite else moment
    if not db.is_sqlite:
        first, second = "CAST(:late AS timestamptz)", "interval '1 second'"
    update = f"""UPDATE crawl_jobs SET next_run_at =
          CASE WHEN {condition} THEN {first} ELSE :later END + id % 3600 * {second}"""
    async with db.exclusive() as connection:
        await connection.execute(sa.text(update), given)


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
        await _find_and_claim(connection)
        cost = databases.cpu_seconds(pid, own=time.thread_time) - began
        raise _RolledBack

    with suppress(_RolledBack):
        await db.write(work)
    return cost * 1000


async def _find_and_claim(connection: Connection) -> None:
    due = await crawl_jobs.due(connection, lanes=urgency.LANES, now=NOW, limit=CLAIMED)
    due.sort(key=lambda job: -urgency.value_lost(job.urgency, due_at=job.next_run_at, now=NOW))
    await crawl_jobs.claim(connection, [job.id for job in due[:CLAIMED]], now=NOW)


PART: Final = Part(
    name="claims",
    title="Claims and scheduling",
    about=(
        f"CPU milliseconds to find and claim {CLAIMED} due jobs: of our process on SQLite, of the server's process on "
        f"PostgreSQL; the median of {TRIES} tries, each rolled back. For the growth, less than 1 ms counts as 1 ms."
    ),
    run=lambda size, tell: measured(_SIZES[size], ("sqlite", "postgresql"), tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
