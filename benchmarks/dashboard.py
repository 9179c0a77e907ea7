"""What does the start page cost with 10,000 sources and 1,000,000 pages, and how soon is it seen?

    python -m benchmarks.dashboard [--sources 10000] [--pages 1000000] [--database FILE] [--json FILE]

An SQLite database is filled with a week of runs (in FILE, if one is named: it is kept, and used again the next time),
and served by a process of its own that opens no runs. CPU is of that process, user and system, for one request of the
page with everything in it, packed; what it spends while nobody asks is taken off. Chromium, if it is installed, opens
the page in a fresh profile each time; the figures are medians. Bytes are those of all requests of a first visit, as
transferred.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import statistics
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, async_playwright
from rich.console import Console
from rich.table import Table

from benchmarks.site.filled_database import fill
from lamplighter.store.engine.database import Database

UNCOUNTED: Final = 5
REQUESTS: Final = 40
VISITS: Final = 7
#: what is measured beside the page itself, by its path
PATHS: Final = {
    "start page": "/",
    "start page, 7 days": "/?span=7d",
    "search": "/?search=7.exam",
    "needs attention": "/?status=attention",
    "sorted by records of 24 h": "/?sort=records&order=desc",
    "sorted by change rate": "/?sort=change_rate&order=desc",
    "page 200": "/?offset=9950",
    "lamps": "/lamps",
    "lamps by tag": "/lamps?by=tag",
    "changes": "/changes",
    "changes of a tag in a week": "/changes?tag=tag+7&period=7d",
    "changes with a rare word": "/changes?words=brass",
    "changes with a common word": "/changes?words=kettle",
}
_PATIENCE_SECONDS: Final = 60
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_WATCH: Final = """
const look = () => {
  const card = document.getElementById("card-healthy");
  if (card && card.getBoundingClientRect().height) window.healthSeen = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
_READ: Final = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return {
    paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    health: window.healthSeen,
    bytes: all.reduce((sum, each) => sum + each.transferSize, 0),
  };
}"""


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
        async with _served(Path(folder), database) as (url, pid):
            figures = [
                Figure(name=f"CPU: {name}", value=_cpu_ms(pid, url + path), unit="ms", bar=50 if path == "/" else None)
                for name, path in PATHS.items()
            ]
            return figures + await _seen(url)


@asynccontextmanager
async def _served(folder: Path, database: Path) -> AsyncIterator[tuple[str, int]]:
    """Where the service answers, and its process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "lamplighter", "serve", "--port", str(port), "--data", str(folder)]
    settings = {**os.environ, "LAMPLIGHTER_DATABASE_URL": f"sqlite:///{database}"}
    process = await asyncio.create_subprocess_exec(
        *command, "--no-scheduler", env=settings, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        await asyncio.to_thread(_wait_for, url)
        yield url, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


def _wait_for(url: str) -> None:
    began = time.monotonic()
    while True:
        try:
            _get(f"{url}/bot")
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() - began > _PATIENCE_SECONDS:
                raise
            time.sleep(0.2)
        else:
            return


def _get(url: str) -> int:
    """How many bytes are sent for it."""
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip", "Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return len(answer.read())


def _cpu_ms(pid: int, url: str) -> float:
    """Of one request, less what the process spends by itself."""
    for _ in range(UNCOUNTED):
        _get(url)
    began, cpu = time.monotonic(), _cpu_seconds(pid)
    time.sleep(3)
    idle = (_cpu_seconds(pid) - cpu) / (time.monotonic() - began)
    began, cpu = time.monotonic(), _cpu_seconds(pid)
    for _ in range(REQUESTS):
        _get(url)
    spent = _cpu_seconds(pid) - cpu - idle * (time.monotonic() - began)
    return 1000 * spent / REQUESTS


def _cpu_seconds(pid: int) -> float:
    """User and system time of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


async def _seen(url: str) -> list[Figure]:
    """How soon a person sees it, and what is transferred for that."""
    found = shutil.which("chromium")
    if found is None:
        return []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        visits = [await _visit(browser, url) for _ in range(VISITS + 1)][1:]
        await browser.close()

    def median(name: str) -> float:
        return statistics.median(visit[name] for visit in visits)

    return [
        Figure(name="first contentful paint", value=median("paint"), unit="ms", bar=500),
        Figure(name="health visible", value=median("health"), unit="ms", bar=1000),
        Figure(name="first visit, transferred", value=median("bytes") / 1000, unit="KB", bar=120),
    ]


async def _visit(browser: Browser, url: str) -> dict[str, float]:
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script(_WATCH)
    await page.goto(url, wait_until="load")
    await page.wait_for_function("window.healthSeen && performance.getEntriesByName('first-contentful-paint').length")
    figures: dict[str, float] = await page.evaluate(_READ)
    await context.close()
    return figures


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
