"""Lamplighter on the benchmark's site: everything on, everything durable.

Every page passes the gate (takedowns, robots.txt, breaker, the host's turn); its body goes to the archive, its record,
its links and its own row to SQLite.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.peers.contract import Tally, given
from lamplighter import app, settings, telemetry
from lamplighter.app import Service
from lamplighter.cli.terminal import loop
from lamplighter.model.access import Stamp
from lamplighter.model.run_figures import NO_FIGURES, loaded
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
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
async def rounds(chosen: Settings, urls: list[str], *, max_depth: int = 100) -> AsyncIterator[Service]:
    """A service that watches every URL as a source of its own, and makes its rounds while the block lasts.

    Sources that it has from before are visited again at once, with all their pages.
    """
    async with app.open_service(chosen) as service:
        await service.db.write(lambda db: _watch_all(db, service, urls, max_depth))
        going = asyncio.create_task(service.run())
        service.bells.events.ring()
        try:
            yield service
        finally:
            service.stopping.set()
            await going


async def crawl(urls: list[str], folder: Path, *, max_depth: int = 100) -> Tally:
    """Crawls every host once, or again."""
    return await crawl_with(bench_settings(folder), urls, max_depth=max_depth)


async def crawl_with(chosen: Settings, urls: list[str], *, max_depth: int) -> Tally:
    """The same with other settings."""
    async with rounds(chosen, urls, max_depth=max_depth) as service:
        started = time.process_time()
        while await _open_runs(service):
            await service.bells.finished.wait(0.5)
        return replace(await _tally(service), started=started)


async def _watch_all(db: Connection, service: Service, urls: list[str], max_depth: int) -> None:
    stamp = Stamp("bench", service.clock.now())
    watched = tables.sources.c.url.in_(urls)
    for source_id in await db.scalars(sa.select(tables.sources.c.id).where(watched)):
        # As if the pages were due by now, which some are after days only.
        due = sa.update(pages).where(pages.c.source_id == source_id)
        await db.execute(due.values(rest_until=stamp.now))
        await db.execute(due.where(pages.c.links_due_at.is_not(None)).values(links_due_at=stamp.now))
        deadline, defaults = timedelta(hours=1), service.source_defaults
        await runs.run_now(db, source_id, now=stamp.now, deadline=deadline, source_defaults=defaults)
    known = set(await db.scalars(sa.select(tables.sources.c.url).where(watched)))
    for url in (url for url in urls if url not in known):
        new = NewSource(url=url, max_depth=max_depth, interval=timedelta(days=7))
        await sources.add(db, new, stamp=stamp)


async def _open_runs(service: Service) -> bool:
    """Whether a run goes on, or a source waits for its first."""
    async with service.db.read() as db:
        is_open = sa.exists().where(crawl_runs.c.finished_at.is_(None))
        waits = sa.exists().where(tables.sources.c.id.not_in(sa.select(crawl_runs.c.source_id)))
        return bool(await db.scalar(sa.select(is_open | waits)))


async def _tally(service: Service) -> Tally:
    async with service.db.read() as db:
        done = sa.select(sa.func.count()).select_from(pages).where(pages.c.phase == "completed")
        found = sa.select(sa.func.count()).select_from(records)
        runs = [loaded(figures) or NO_FIGURES for figures in await db.scalars(sa.select(crawl_runs.c.figures))]
        reading_ms = sum(run.parse_cpu_ms for run in runs) / max(1, sum(run.pages_read for run in runs))
        return Tally(pages=await db.scalar(done) or 0, items=await db.scalar(found) or 0, reading_ms=reading_ms)


def main() -> None:
    """Runs in the given folder, or in one of its own that is removed afterwards."""
    telemetry.configure("error")
    urls, state, depth = given()
    with tempfile.TemporaryDirectory(prefix="lamplighter-bench-") as folder:
        loop.run(crawl(urls, state or Path(folder), max_depth=depth)).report()


if __name__ == "__main__":
    main()
