"""Lamplighter on the benchmark's site: everything on, everything durable.

Every page passes the gate (takedowns, robots.txt, breaker, the host's turn); its body goes to the archive, its record,
its links and its own row to SQLite.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.peers.contract import Tally, bases
from lamplighter import app, settings, telemetry
from lamplighter.app import Service
from lamplighter.cli.terminal import loop
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, pages, records


def bench_settings(folder: Path, **chosen: Any) -> Settings:
    """No delay between requests, as for the peers; everything else as in earnest."""
    values = {
        "data_dir": folder,
        "allow_hosts": "127.0.0.0/8",
        "min_delay_ms": 0,
        "max_concurrency": 4,
        "max_pages": 1_000_000,
        "fetch_slots": 64,
    }
    return settings.load({}, **(values | chosen))


@asynccontextmanager
async def rounds(chosen: Settings, urls: list[str]) -> AsyncIterator[Service]:
    """A service that watches every URL as a source of its own, and makes its rounds while the block lasts."""
    async with app.open_service(chosen) as service:
        await service.db.write(lambda db: _watch_all(db, service, urls))
        going = asyncio.create_task(service.run())
        service.bells.events.ring()
        try:
            yield service
        finally:
            service.stopping.set()
            await going


async def crawl(urls: list[str], folder: Path) -> Tally:
    """Crawls every host once."""
    async with rounds(bench_settings(folder), urls) as service:
        while await _open_runs(service, len(urls)):
            await service.bells.finished.wait(0.5)
        return await _tally(service)


async def _watch_all(db: Connection, service: Service, urls: list[str]) -> None:
    for url in urls:
        new = NewSource(url=url, max_depth=100, interval=timedelta(days=7))
        await sources.add(db, new, stamp=Stamp("bench", service.clock.now()))


async def _open_runs(service: Service, wanted: int) -> int:
    async with service.db.read() as db:
        ended = sa.select(sa.func.count()).select_from(crawl_runs).where(crawl_runs.c.finished_at.is_not(None))
        return wanted - (await db.scalar(ended) or 0)


async def _tally(service: Service) -> Tally:
    async with service.db.read() as db:
        done = sa.select(sa.func.count()).select_from(pages).where(pages.c.phase == "completed")
        found = sa.select(sa.func.count()).select_from(records)
        return Tally(pages=await db.scalar(done) or 0, items=await db.scalar(found) or 0)


def main() -> None:
    """Runs in a folder of its own that is removed afterwards."""
    telemetry.configure("error")
    with tempfile.TemporaryDirectory(prefix="lamplighter-bench-") as folder:
        loop.run(crawl(bases(), Path(folder))).report()


if __name__ == "__main__":
    main()
