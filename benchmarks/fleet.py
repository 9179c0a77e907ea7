"""Does throughput grow with workers? Crawls the same site on PostgreSQL with more workers, and with more cores.

    python -m benchmarks.fleet [--pages 6000] [--hosts 60] [--runs 1x1,1x2,2x2] [--queue amqp://…] [--json FILE]

`2x2` is two workers, with everything else (site, database, readers) on the same two cores. Each worker is `lamplighter
worker` with its reader process, as it comes: one of them keeps more than one core busy where it can, so what a second
one adds depends on what the first one leaves. The clock runs from the site's first answer to the end of the last run.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.processes import cpu_seconds, tree
from benchmarks.site.nginx import Origin, serve
from benchmarks.site.site import SitePlan, write_site
from lamplighter import app, settings
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema.tables import crawl_runs, instances, pages
from tests.servers import postgres

#: how much more two processes must do than one
TIMES: Final = 1.8
_HEADINGS: Final = ("workers", "cores", "pages/s", "times the first", "CPU s/1,000", "database", "busy cores")
#: pages, hosts, workers x cores
_SIZES: Final = {Size.FULL: (12_000, 60, "1x1,1x2,2x2"), Size.QUICK: (1_200, 60, "1x1,2x2"), Size.TINY: (20, 4, "1x1")}
_WORKSPACE: Final = Path(__file__).resolve().parent.parent / ".bench"
_PATIENCE_SECONDS: Final = 600.0
_LOOK_EVERY_SECONDS: Final = 0.1
#: a process that only counts, for two seconds, and says how far it came
_COUNTING: Final = """
import time
count, over = 0, time.monotonic() + 2
while time.monotonic() < over:
    for _ in range(10_000):
        count += 1
print(count)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a number of workers did, and what that cost."""

    workers: int
    #: that everything shared: workers, readers, database and site
    cores: int
    pages: int
    seconds: float
    pages_per_second: float
    #: of workers and readers, for a thousand pages
    worker_cpu_per_1000: float
    #: of the database, for a thousand pages
    database_cpu_per_1000: float
    #: cores that all of them kept busy, on average
    busy_cores: float


def main() -> int:
    """Runs what the command line asks for."""
    arguments = _arguments()
    plan = SitePlan.even(pages=arguments.pages, hosts=arguments.hosts)
    found = crawled(plan, _runs(arguments.runs), queue=arguments.queue)
    Console().print(_table(found, title=f"{plan.pages:,} pages on {arguments.hosts} hosts, PostgreSQL"))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(each) for each in found], indent=2) + "\n")
    return 0


def crawled(
    plan: SitePlan, runs: Sequence[tuple[int, int]], *, queue: str | None = None, tell: Tell = lambda _: None
) -> list[Figures]:
    """Crawls the site once for every number of workers and cores."""
    site = _WORKSPACE / "site" / f"{len(plan.page_counts)}-hosts-{plan.pages}-pages"
    site.mkdir(parents=True, exist_ok=True)
    (_WORKSPACE / ".gitignore").write_text("*\n")
    write_site(plan, site)
    found = []
    for workers, cores in runs:
        tell(f"{workers} workers on {cores} cores crawl {plan.pages:,} pages")
        found.append(_measure(workers, cores, plan=plan, site=site, queue=queue))
    return found


def measured(size: Size, tell: Tell) -> Findings:
    """One worker on one core, one and two on two."""
    pages, hosts, runs = _SIZES[size]
    found = crawled(SitePlan.even(pages=pages, hosts=hosts), _runs(runs), tell=tell)
    sheet = Sheet(
        title=f"{pages:,} pages on {hosts} hosts, PostgreSQL",
        headings=_HEADINGS,
        rows=tuple(_cells(each, found[0]) for each in found),
        note=(
            "Site, database and readers share the cores with the workers. "
            f"{found[-1].cores} processes that only count, one on each of these cores, come "
            f"{ceiling(found[-1].cores):.2f} times as far as one: no more can be had here."
        ),
    )
    figures = []
    if len(found) > 1:
        ratio = found[-1].pages_per_second / found[0].pages_per_second
        name = f"{found[-1].workers} processes on {found[-1].cores} cores beside one on one"
        figures.append(Figure(name=name, value=round(ratio, 2), unit="times", at_least=TIMES))
    return Findings(figures=tuple(figures), sheets=(sheet,))


def ceiling(cores: int) -> float:
    """How much more this machine does on so many cores than on one: they may share what is behind them."""
    return _counted(cores) / _counted(1)


def _counted(cores: int) -> int:
    """How far as many processes as cores come together."""
    with _confined_to(cores):
        command = [sys.executable, "-c", _COUNTING]
        counting = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(cores)]
        return sum(int(each.communicate()[0]) for each in counting)


def _runs(text: str) -> list[tuple[int, int]]:
    """`1x1,2x2`: workers x cores."""
    return [(int(workers), int(cores)) for workers, cores in (run.split("x") for run in text.split(","))]


def _measure(workers: int, cores: int, *, plan: SitePlan, site: Path, queue: str | None) -> Figures:
    with (
        _confined_to(cores),
        tempfile.TemporaryDirectory(prefix="bench-fleet-") as shared,
        tempfile.TemporaryDirectory(prefix="bench-fleet-data-") as folder,
        serve(site, plan.addresses) as origin,
        postgres.cluster(Path(shared)) as server,
    ):
        address = asyncio.run(postgres.create_database(server))
        chosen = _settings(Path(folder), address, queue)
        return asyncio.run(_crawl(workers, cores, chosen=chosen, plan=plan, origin=origin))


@contextmanager
def _confined_to(cores: int) -> Iterator[None]:
    """Within this, we and whatever we start have so many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:cores])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _settings(folder: Path, address: str, queue: str | None) -> dict[str, str]:
    """No delay between requests; everything else as in earnest."""
    values: dict[str, object] = {
        "data_dir": folder,
        "database_url": address,
        "allow_hosts": "127.0.0.0/8",
        "min_delay_ms": 0,
        "max_concurrency": 4,
        "max_pages": 1_000_000,
        "fetch_slots": 64,
        "poll_seconds": 0.5,
        "log_level": "error",
    } | ({"queue_url": queue} if queue else {})
    return {name: str(value) for name, value in values.items()}


async def _crawl(count: int, cores: int, *, chosen: dict[str, str], plan: SitePlan, origin: Origin) -> Figures:
    loaded = settings.load({}, **chosen)
    async with app.open_store(loaded) as store:
        with _workers(count, chosen) as workers:
            await _until(store.db, sa.select(sa.func.count()).select_from(instances), count)
            await store.db.write(lambda db: _watch_all(db, store, plan.bases(origin.port)))
            server = _process_in(await _data_folder(store.db))
            answered, cpu = origin.requests(), _cpu(workers, server)
            while origin.requests() - answered < 2:  # the question itself is one
                answered += 1
                await asyncio.sleep(_LOOK_EVERY_SECONDS)
            began = time.monotonic()
            ended = sa.select(sa.func.count()).select_from(crawl_runs).where(crawl_runs.c.finished_at.is_not(None))
            await _until(store.db, ended, len(plan.page_counts))
            seconds, after = time.monotonic() - began, _cpu(workers, server)
        async with store.db.read() as db:
            read = sa.select(sa.func.count()).select_from(pages).where(pages.c.phase == "completed")
            had = await db.scalar(read) or 0
    assert had == plan.pages, f"{had} pages instead of {plan.pages}"
    ours, database = after[0] - cpu[0], after[1] - cpu[1]
    return Figures(
        workers=count,
        cores=cores,
        pages=had,
        seconds=round(seconds, 1),
        pages_per_second=round(had / seconds, 1),
        worker_cpu_per_1000=round(1000 * ours / had, 2),
        database_cpu_per_1000=round(1000 * database / had, 2),
        busy_cores=round((ours + database) / seconds, 2),
    )


@contextmanager
def _workers(count: int, chosen: dict[str, str]) -> Iterator[list[int]]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")}
    env |= {f"LAMPLIGHTER_{name.upper()}": value for name, value in chosen.items()}
    command = [sys.executable, "-m", "lamplighter", "worker"]
    started = [subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) for _ in range(count)]
    try:
        yield [worker.pid for worker in started]
    finally:
        for worker in started:
            worker.send_signal(signal.SIGTERM)
        for worker in started:
            worker.wait(_PATIENCE_SECONDS)


def _cpu(workers: list[int], server: int) -> tuple[float, float]:
    """CPU seconds so far of workers and readers, and of the database."""
    return sum(cpu_seconds(pid) for worker in workers for pid in tree(worker)), sum(map(cpu_seconds, tree(server)))


async def _data_folder(db: Database) -> Path:
    async with db.read() as connection:
        return Path(await connection.scalar(sa.text("SHOW data_directory")))


def _process_in(folder: Path) -> int:
    """The process that all of the database's processes come from."""
    return int((folder / "postmaster.pid").read_text().split()[0])


async def _watch_all(db: Connection, store: app.Store, urls: tuple[str, ...]) -> None:
    for url in urls:
        new = NewSource(url=url, max_depth=100, interval=timedelta(days=7))
        await sources.add(db, new, stamp=Stamp("bench", store.clock.now()))


async def _until(db: Database, counting: sa.Select[int], wanted: int) -> None:
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < give_up:
        async with db.read() as connection:
            if (await connection.scalar(counting) or 0) >= wanted:
                return
        await asyncio.sleep(_LOOK_EVERY_SECONDS)
    raise TimeoutError(f"waited {_PATIENCE_SECONDS:.0f} s for {wanted}: {counting}")


def _table(found: list[Figures], *, title: str) -> Table:
    shown = Table(title=title)
    for name in _HEADINGS:
        shown.add_column(name, justify="right")
    for each in found:
        shown.add_row(*_cells(each, found[0]))
    return shown


def _cells(each: Figures, first: Figures) -> tuple[str, ...]:
    return (
        str(each.workers),
        str(each.cores),
        f"{each.pages_per_second:.0f}",
        f"{each.pages_per_second / first.pages_per_second:.2f}",
        f"{each.worker_cpu_per_1000:.2f}",
        f"{each.database_cpu_per_1000:.2f}",
        f"{each.busy_cores:.2f}",
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=6000)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--runs", default="1x1,1x2,2x2", help="workers x cores, comma-separated")
    parser.add_argument("--queue", help="through which workers wake each other; none means by looking")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


PART: Final = Part(
    name="fleet",
    title="One to many workers",
    about=(
        "`lamplighter worker` processes on one PostgreSQL crawl the same site; the clock runs from the site's first "
        "answer to the end of the last run. Cores are the machine's first ones; more than it has are not tried."
    ),
    run=measured,
)


if __name__ == "__main__":
    sys.exit(main())
