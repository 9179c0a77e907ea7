"""Does a crawl cost more when a million pages are known already, and how much memory does it take?

    python -m benchmarks.growth [--known 1000,1000000] [--pages 2000] [--hosts 50]

An SQLite database is filled with sources, runs and pages; then a new site is crawled with it, as `benchmarks.crawl`
does with an empty one. Memory is the largest sum over our process and its readers, pages that they share counted twice.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final, NamedTuple

import sqlalchemy as sa

from benchmarks import ours
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.measure import Measurement, measure
from benchmarks.measuring.showing import alone
from benchmarks.site import filled_database
from benchmarks.site.nginx import serve
from benchmarks.site.site import SitePlan, write_site
from lamplighter import telemetry
from lamplighter.app import Service
from lamplighter.cli.terminal import loop
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema.tables import crawl_jobs, crawl_runs, pages

_REPOSITORY: Final = Path(__file__).resolve().parent.parent
_PATIENCE: Final = timedelta(minutes=15)
_WORKSPACE: Final = _REPOSITORY / ".bench"
#: MB (10^6 bytes) of all our processes, with a million pages known
MEMORY: Final = 250.0
#: how much more a page may cost
GROWTH: Final = 1.3
_PAGES_PER_SOURCE: Final = 100
#: pages known, pages crawled, hosts
_SIZES: Final = {
    Size.FULL: ((1_000, 100_000, 1_000_000), 2_000, 50),
    Size.QUICK: ((1_000, 50_000), 500, 50),
    Size.TINY: ((100, 200), 20, 4),
}


class Cost(NamedTuple):
    """Of one crawl."""

    known: int
    cpu_per_1000: float
    rss_mb: float
    database_mb: float


def main() -> int:
    """Measures what the command line asks for; with `--folder` it is the crawler that is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--known", default="1000,1000000")
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--base", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.folder:
        telemetry.configure("error")
        print(json.dumps(loop.run(_crawl(arguments.base, arguments.folder))))
        return 0
    known = [int(size) for size in arguments.known.split(",")]
    return alone(lambda tell: measured(known, arguments.pages, arguments.hosts, tell=tell))


def measured(known: Sequence[int], count: int, hosts: int, *, tell: Tell) -> Findings:
    """One crawl for every number of pages known before."""
    plan = SitePlan.even(pages=count, hosts=hosts)
    site = _WORKSPACE / "site" / f"{hosts}-hosts-{count}-pages"
    site.mkdir(parents=True, exist_ok=True)
    (_WORKSPACE / ".gitignore").write_text("*\n")
    write_site(plan, site)
    costs = [_cost(size, plan, site, tell) for size in known]
    growth = costs[-1].cpu_per_1000 / costs[0].cpu_per_1000
    span = f"{known[0]:,} to {known[-1]:,} known pages"
    return Findings(
        figures=(
            Figure(name=f"CPU of a page from {span}", value=round(growth, 2), unit="times", at_most=GROWTH),
            Figure(
                name=f"memory with {known[-1]:,} known pages",
                value=round(costs[-1].rss_mb, 1),
                unit="MB",
                at_most=MEMORY,
            ),
        ),
        sheets=(
            Sheet(
                title=f"A crawl of {count:,} pages on {hosts} new hosts",
                headings=("known pages", "CPU s / 1,000 pages", "peak RSS MB", "database MB"),
                rows=tuple(
                    (f"{cost.known:,}", f"{cost.cpu_per_1000:.2f}", f"{cost.rss_mb:.0f}", f"{cost.database_mb:.0f}")
                    for cost in costs
                ),
                note="CPU includes starting the interpreter; memory is that of the process and its readers together.",
            ),
        ),
    )


def _cost(known: int, plan: SitePlan, site: Path, tell: Tell) -> Cost:
    with tempfile.TemporaryDirectory(prefix="lamplighter-growth-") as name:
        folder = Path(name)
        database = folder / "lamplighter.db"
        tell(f"making {known:,} pages")
        asyncio.run(_fill(database, known))
        tell(f"crawling {plan.pages:,} pages beside {known:,} known ones")
        with serve(site, plan.addresses) as origin:
            command = [sys.executable, "-m", "benchmarks.growth", "--folder", str(folder)]
            command += ["--base", *plan.bases(origin.port)]
            measurement = measure(command, cwd=_REPOSITORY, timeout=_PATIENCE)
        _check(measurement, plan)
        return Cost(
            known=known,
            cpu_per_1000=measurement.cpu.total_seconds() * 1000 / plan.pages,
            rss_mb=measurement.peak_rss_bytes / 1e6,
            database_mb=database.stat().st_size / 1e6,
        )


def _check(measurement: Measurement, plan: SitePlan) -> None:
    if measurement.exit_code:
        raise RuntimeError(f"the crawl ended with {measurement.exit_code}: {measurement.stderr[-2000:]}")
    had = json.loads(measurement.stdout.strip().splitlines()[-1])
    if had != plan.pages:
        raise RuntimeError(f"the crawl read {had} pages instead of {plan.pages}")


async def _fill(database: Path, known: int) -> None:
    async with Database(f"sqlite:///{database}") as db:
        await filled_database.fill(db, sources=max(1, known // _PAGES_PER_SOURCE), pages=known)
        await db.write(_nobody_is_due)


async def _nobody_is_due(db: Connection) -> None:
    """What is known already is not to be asked for: its addresses lead nowhere."""
    await db.execute(sa.update(crawl_jobs).values(state="paused", pause_reason="user", next_run_at=None))


async def _crawl(urls: list[str], folder: Path) -> int:
    """Crawls every host once; how many pages were read."""
    ended = sa.select(sa.func.count()).select_from(crawl_runs).where(crawl_runs.c.finished_at.is_not(None))
    read = sa.select(sa.func.count()).select_from(pages).where(pages.c.phase == "completed")
    async with Database(f"sqlite:///{folder / 'lamplighter.db'}") as db, db.read() as connection:
        ended_before, read_before = int(await connection.scalar(ended)), await connection.scalar(read)
    async with ours.rounds(ours.bench_settings(folder), urls) as service:
        while await _count(service, ended) - ended_before < len(urls):
            await service.bells.finished.wait(0.5)
        return await _count(service, read) - int(read_before or 0)


async def _count(service: Service, counting: "sa.Select[int]") -> int:
    async with service.db.read() as db:
        return int(await db.scalar(counting) or 0)


PART: Final = Part(
    name="growth",
    title="Growth with the pages known",
    about=(
        "A database with a week of runs and up to a million pages, then the crawl of a new site with it. CPU is user "
        "and system time of the process and its readers."
    ),
    run=lambda size, tell: measured(*_SIZES[size], tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
