"""How soon do the API and the dashboard answer with 10,000 and with 100,000 sources, and at what cost?

    python -m benchmarks.latency [--sources 10000,100000] [--pages 1000000]

An SQLite database is filled with a week of runs and served by a process of its own that opens no runs. Milliseconds are
the median and the 95th percentile of requests one after the other; CPU is of the service's process for one request,
what it spends while nobody asks taken off. `benchmarks.dashboard` measures the start page in a browser as well.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.measuring.findings import Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.processes import cpu_seconds
from benchmarks.measuring.showing import alone
from benchmarks.site.filled_database import fill
from benchmarks.site.served import Served, served, status_of
from lamplighter.store.engine.database import Database

ASKED: Final = {
    "dashboard: start page": "/",
    "dashboard: search": "/?search=7.exam",
    "dashboard: needs attention": "/?status=attention",
    "dashboard: runs": "/runs",
    "dashboard: hosts": "/hosts",
    "API: sources": "/api/v1/sources?limit=50",
    "API: sources, search": "/api/v1/sources?limit=50&search=7.exam",
    "API: jobs": "/api/v1/jobs?limit=50",
    "API: health": "/health",
    "API: metrics": "/metrics",
}
_UNCOUNTED: Final = 2
_IDLE_SECONDS: Final = 2.0
#: of one core: what a service spends that has caught up with what it found when it started
_QUIET_SHARE: Final = 0.2
_PATIENCE_SECONDS: Final = 120.0
_HEADERS: Final = (("Accept-Encoding", "gzip"),)
#: sources, pages known, requests of each kind
_SIZES: Final = {
    Size.FULL: ((10_000, 100_000), 1_000_000, 30),
    Size.QUICK: ((1_000, 10_000), 10_000, 10),
    Size.TINY: ((10,), 10, 2),
}


class Answered(NamedTuple):
    """Milliseconds of one request."""

    median: float
    slow: float
    cpu: float
    status: int

    def __str__(self) -> str:
        if self.status != 200:
            return f"answered {self.status}"
        return f"{self.median:.0f} / {self.slow:.0f} / {self.cpu:.0f}"


def main() -> int:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", default="10000,100000")
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=30)
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sources.split(",")]
    return alone(lambda tell: measured(sizes, arguments.pages, arguments.requests, tell=tell))


def measured(sizes: Sequence[int], pages: int, requests: int, *, tell: Tell) -> Findings:
    """One column for every number of sources."""
    columns = [_answers(size, pages, requests, tell) for size in sizes]
    sheet = Sheet(
        title=f"Median / 95th percentile / CPU ms of one request, {pages:,} pages",
        headings=("", *(f"{size:,} sources" for size in sizes)),
        rows=tuple((name, *(str(column[name]) for column in columns)) for name in ASKED),
    )
    return Findings(sheets=(sheet,))


def _answers(sources: int, pages: int, requests: int, tell: Tell) -> dict[str, Answered]:
    with tempfile.TemporaryDirectory(prefix="lamplighter-latency-") as folder:
        tell(f"making {sources:,} sources and {pages:,} pages")
        asyncio.run(_fill(Path(folder) / "lamplighter.db", sources, pages))
        tell(f"starting the service with {sources:,} sources")
        with served(Path(folder) / "service.log", {"data_dir": folder}, "--no-scheduler") as service:
            tell(f"{sources:,} sources: catching up")
            idle = _settled_share(service)
            found = {}
            for name, path in ASKED.items():
                tell(f"{sources:,} sources: {name}")
                found[name] = _answered(service, path, requests, idle=idle)
            return found


async def _fill(database: Path, sources: int, pages: int) -> None:
    async with Database(f"sqlite:///{database}") as db:
        await fill(db, sources=sources, pages=pages)


def _settled_share(service: Served) -> float:
    """Of one core, as soon as the work is done that a start brings with it."""
    give_up = time.monotonic() + _PATIENCE_SECONDS
    shares = [_idle_share(service), _idle_share(service)]
    while max(shares[-2:]) > _QUIET_SHARE and time.monotonic() < give_up:
        shares.append(_idle_share(service))
    return shares[-1]


def _idle_share(service: Served) -> float:
    """Of one core, while nobody asks."""
    before = cpu_seconds(service.process.pid)
    time.sleep(_IDLE_SECONDS)
    return (cpu_seconds(service.process.pid) - before) / _IDLE_SECONDS


def _answered(service: Served, path: str, requests: int, *, idle: float) -> Answered:
    status = [status_of(service.url + path, _HEADERS) for _ in range(_UNCOUNTED)][-1]
    took, cpu = [], cpu_seconds(service.process.pid)
    for _ in range(requests):
        began = time.monotonic()
        status_of(service.url + path, _HEADERS)
        took.append(1000 * (time.monotonic() - began))
    spent = 1000 * (cpu_seconds(service.process.pid) - cpu) - idle * sum(took)
    slow = sorted(took)[max(0, -(-95 * len(took) // 100) - 1)]
    return Answered(statistics.median(took), slow, max(0.0, spent / requests), status)


PART: Final = Part(
    name="latency",
    title="API and dashboard",
    about=(
        "`lamplighter serve` on SQLite with a week of runs, asked one request after the other; what the process spends "
        "while nobody asks is taken off its CPU."
    ),
    run=lambda size, tell: measured(*_SIZES[size], tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
