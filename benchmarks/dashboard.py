"""What do the pages of the dashboard cost with 10,000 sources and 1,000,000 pages, and how soon are they seen?

    python -m benchmarks.dashboard [--sources 10000] [--pages 1000000] [--database FILE] [--json FILE]

An SQLite database is filled with a week of runs (in FILE, if one is named: it is kept, and used again the next time),
and served by a process of its own that opens no runs. CPU is of that process, user and system, for one request of each
page with everything in it, packed; what it spends while nobody asks is taken off. Chromium, if it is installed, opens
each page in fresh profiles; the figures are medians. Bytes are those of all requests of a first visit, as transferred.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import async_playwright
from rich.console import Console
from rich.table import Table

from benchmarks.site.dashboard_visits import LAMPS_BAR, LAMPS_KB, PAGES, PAINT_BAR, Visit, get, served, visit
from benchmarks.site.filled_database import fill
from lamplighter.store.engine.database import Database

UNCOUNTED: Final = 5
REQUESTS: Final = 40
VISITS: Final = 3
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Something measured, and what it may be at most."""

    name: str
    value: float
    unit: str
    #: None where nothing was promised
    bar: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether it is within its bar."""
        return self.bar is None or self.value <= self.bar


def main() -> int:
    """Measures; 0 when every bar is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    figures = asyncio.run(_measure(arguments.sources, arguments.pages, kept=arguments.database))
    Console().print(_table(figures, title=f"{arguments.sources:,} sources, {arguments.pages:,} pages"))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(each) for each in figures], indent=2) + "\n")
    return int(not all(each.is_met for each in figures))


async def _measure(sources: int, pages: int, *, kept: Path | None) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        database = kept or Path(folder) / "filled.db"
        if not database.exists():
            async with Database(f"sqlite:///{database}") as db:
                await fill(db, sources=sources, pages=pages)
        async with served(Path(folder), database) as (url, pid):
            figures = [
                Figure(name=f"CPU: {path}", value=_cpu_ms(pid, url + path), unit="ms", bar=50 if path == "/" else None)
                for path in PAGES
            ]
            return figures + await _seen(url)


def _cpu_ms(pid: int, url: str) -> float:
    """Of one request, less what the process spends by itself."""
    for _ in range(UNCOUNTED):
        get(url)
    began, cpu = time.monotonic(), _cpu_seconds(pid)
    time.sleep(3)
    idle = (_cpu_seconds(pid) - cpu) / (time.monotonic() - began)
    began, cpu = time.monotonic(), _cpu_seconds(pid)
    for _ in range(REQUESTS):
        get(url)
    spent = _cpu_seconds(pid) - cpu - idle * (time.monotonic() - began)
    return 1000 * spent / REQUESTS


def _cpu_seconds(pid: int) -> float:
    """User and system time of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


async def _seen(url: str) -> list[Figure]:
    """How soon a person sees each page, and what is transferred for that."""
    found = shutil.which("chromium")
    if found is None:
        return []
    figures = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for path in PAGES:
            visits = [await visit(browser, url + path) for _ in range(VISITS + 1)][1:]
            figures += _figures(path, Visit(*map(statistics.median, zip(*visits, strict=True))))
        await browser.close()
    return figures


def _figures(path: str, median: Visit) -> list[Figure]:
    paint = Figure(name=f"first contentful paint: {path}", value=median.paint, unit="ms", bar=PAINT_BAR)
    match path:
        case "/":
            seen = Figure(name="health visible", value=median.seen, unit="ms", bar=1000)
            sent = Figure(name="first visit, transferred", value=median.kilobytes, unit="KB", bar=120)
        case "/lamps":
            seen = Figure(name="lamps loaded", value=median.loaded, unit="ms", bar=LAMPS_BAR)
            sent = Figure(name="lamps, transferred", value=median.kilobytes, unit="KB", bar=LAMPS_KB)
        case _:
            return [paint]
    return [paint, seen, sent]


def _table(figures: Sequence[Figure], *, title: str) -> Table:
    table = Table(title=title)
    table.add_column("")
    for heading in ("measured", "bar", ""):
        table.add_column(heading, justify="right")
    for each in figures:
        bar = f"{each.bar:g} {each.unit}" if each.bar is not None else ""
        verdict = "" if each.bar is None else "met" if each.is_met else "missed"
        table.add_row(each.name, f"{each.value:.1f} {each.unit}", bar, verdict, style=None if each.is_met else "red")
    return table


if __name__ == "__main__":
    sys.exit(main())
