"""What does a page of a list of sources cost, and the health of them all, of a thousand and of a million?

    python -m benchmarks.lists [--sources 1000,100000] [--database sqlite,postgresql] [--url postgresql+asyncpg://…]

Without a URL a PostgreSQL of its own is started in a temporary folder, if one is installed. Figures are CPU
milliseconds of a page of 50 with its total, everything about each row included: of this process on SQLite, of the
server's process on PostgreSQL (which may start no others for it); the best of some tries, after a few that do not
count. Every source has a crawl job and two runs.
"""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from benchmarks.claims import GROWTH, growth
from benchmarks.measuring import databases
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.showing import alone
from lamplighter.model.source import SourceStatus
from lamplighter.operations.jobs import job_health
from lamplighter.operations.sources import source_list
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import scheduler_figures
from lamplighter.store.jobs import tallies
from lamplighter.store.schema import migrate
from lamplighter.store.sources.source_lists import SourceFilter, SourceSort

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: runs began in the million seconds before; at the other moment one job in a hundred was due
NOW, EARLY = EPOCH + timedelta(seconds=1_000_000), EPOCH + timedelta(seconds=1_000)
SHOWN: Final = 50
UNCOUNTED: Final = 3
TRIES: Final = 5
RUNS: Final = 2
_SIZES: Final = {Size.FULL: (1_000, 100_000, 1_000_000), Size.QUICK: (1_000, 10_000), Size.TINY: (200, 300)}
LISTS: Final[dict[str, dict[str, Any]]] = {
    "by name": {"sort": SourceSort.NAME},
    "by name, page 1,000": {"sort": SourceSort.NAME, "offset": 49_950},
    "by priority, highest first": {"sort": SourceSort.PRIORITY, "descending": True},
    "by next run": {"sort": SourceSort.NEXT_RUN_AT},
    "by last run, latest first": {"sort": SourceSort.LAST_RUN_AT, "descending": True},
    "by change": {"sort": SourceSort.UPDATED_AT, "descending": True},
    "search, a tenth matches": {"sort": SourceSort.NAME, "which": SourceFilter(search="7.exam")},
    "search, one matches": {"sort": SourceSort.NAME, "which": SourceFilter(search="S777.Exam")},
    "with a tag": {"sort": SourceSort.NAME, "which": SourceFilter(tag="tag 7")},
    "paused": {"sort": SourceSort.NAME, "which": SourceFilter(status=SourceStatus.PAUSED)},
    "active": {"sort": SourceSort.NAME, "which": SourceFilter(status=SourceStatus.ACTIVE)},
    "failing": {"sort": SourceSort.NAME, "which": SourceFilter(has_failures=True)},
    "of a kind": {"sort": SourceSort.NAME, "which": SourceFilter(kind="event")},
    "on a host": {"sort": SourceSort.NAME, "which": SourceFilter(host="s77.example")},
}
#: the lists that open without a search, a filter or a jump to a far page
UNASKED: Final = (
    "by name", "by priority, highest first", "by next run", "by last run, latest first", "by change",
)  # fmt: skip
HEALTH: Final[dict[str, Callable[[Connection], Awaitable[object]]]] = {
    "health of all": lambda db: job_health.overview(db, now=NOW),
    "jobs by state": tallies.jobs,
    "how many are due": lambda db: scheduler_figures.count_due(db, now=EARLY),
}


def main() -> int:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", default="1000,100000")
    parser.add_argument("--database", default="sqlite,postgresql")
    parser.add_argument("--url")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sources.split(",")]
    return alone(lambda tell: measured(sizes, arguments.database.split(","), tell=tell, url=arguments.url))


def measured(sizes: Sequence[int], kinds: Sequence[str], *, tell: Tell, url: str | None = None) -> Findings:
    """A table for each kind of database; the promise is about what people see without asking for it."""
    figures, sheets = [], []
    for kind in kinds:
        costs = asyncio.run(_costs(kind, sizes, url=url, tell=tell))
        sheets.append(_sheet(kind, sizes, costs))
        for name, promised in (("lists", UNASKED), ("health", tuple(HEALTH))):
            worst = max(promised, key=lambda each: growth(costs[each]))
            figures.append(
                Figure(
                    name=f"{kind}: {name} from {sizes[0]:,} to {sizes[-1]:,} sources (worst: {worst})",
                    value=round(growth(costs[worst]), 2),
                    unit="times",
                    at_most=GROWTH,
                )
            )
    return Findings(figures=tuple(figures), sheets=tuple(sheets))


async def _costs(kind: str, sizes: Sequence[int], *, url: str | None, tell: Tell) -> dict[str, list[float]]:
    """CPU milliseconds of each list, by the number of sources."""
    found: dict[str, list[float]] = {name: [] for name in (*LISTS, *HEALTH)}
    for size in sizes:
        async with databases.empty(kind, url=url) as address, Database(address) as db:
            tell(f"{kind}: making {size:,} sources")
            await _fill(db, size)
            await databases.tidy(db, address)
            for name, asked in LISTS.items():
                tell(f"{kind}: {size:,} sources, {name}")
                found[name].append(await _at_best(db, _page_of(**asked)))
            for name, look in HEALTH.items():
                tell(f"{kind}: {size:,} sources, {name}")
                found[name].append(await _at_best(db, look))
    return found


def _sheet(kind: str, sizes: Sequence[int], figures: dict[str, list[float]]) -> Sheet:
    return Sheet(
        title=f"{kind}: CPU ms for a page of {SHOWN} sources and their total, and for the health of all",
        headings=("", *(f"{size:,} sources" for size in sizes), "growth"),
        rows=tuple(
            (name, *(f"{cost:.1f}" for cost in costs), f"× {growth(costs):.1f}") for name, costs in figures.items()
        ),
    )


async def _fill(db: Database, size: int) -> None:
    """Sources with recipes, as real ones have them; a tenth is paused, a hundredth is deleted, one in fifty fails."""
    await migrate.upgrade(db)
    moment = "({0}) * 1000000" if db.is_sqlite else "timestamptz 'epoch' + interval '1 second' * ({0})"
    at = moment.format
    recipe = '{"items": "li.job", "fields": {"title": "h2 a", "url": "h2 a", "location": ".where", "deadline": ".by"}}'
    counted = "WITH RECURSIVE n(i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < :size)"
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


def _page_of(
    *, sort: SourceSort, which: SourceFilter | None = None, descending: bool = False, offset: int = 0
) -> Callable[[Connection], Awaitable[object]]:
    chosen = which or SourceFilter()
    return lambda db: source_list.page(db, chosen, sort=sort, descending=descending, limit=SHOWN, offset=offset)


async def _at_best(db: Database, look: Callable[[Connection], Awaitable[object]]) -> float:
    """CPU milliseconds of one look, at best."""
    costs = []
    for _ in range(UNCOUNTED + TRIES):
        async with db.read() as connection:
            pid = await databases.server_process(db, connection)
            if pid is not None:  # no others may help, whose time we would not see
                await connection.execute(sa.text("SET LOCAL max_parallel_workers_per_gather = 0"))
            began = databases.cpu_seconds(pid)
            await look(connection)
            costs.append(databases.cpu_seconds(pid) - began)
    return min(costs[UNCOUNTED:]) * 1000


PART: Final = Part(
    name="lists",
    title="Lists and health",
    about=(
        f"CPU milliseconds of a page of {SHOWN} sources with its total, and of the health of all sources; of our "
        "process on SQLite, of the server's on PostgreSQL, the best of some tries. The promise is about the lists "
        "that open without a search, a filter or a jump; those are shown too."
    ),
    run=lambda size, tell: measured(_SIZES[size], ("sqlite", "postgresql"), tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
