"""A whole service in this process, and what tests ask of it."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter import app, settings
from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlRun
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs as stored_jobs
from lamplighter.store.runs import run_lists
from lamplighter.store.schema.tables import crawl_jobs, hosts, pages, records, run_log_lines
from tests.origin import Origin
from tests.servers.migrated import migrated_file_of_this_process

_MOMENTS = ("fetched_at", "rest_until", "links_due_at", "changed_at", "created_at")
#: quick, but in the proportions of the real thing
QUICK: dict[str, Any] = {
    "min_delay_ms": 50,
    "max_pages": 100,
    "fetch_slots": 8,
    "lease_seconds": 3,
    "poll_seconds": 0.2,
    "grace_seconds": 5,
    # no test waits for these, unless it says so: a machine with much else to do answers late
    "connect_timeout_seconds": 10,
    "read_timeout_seconds": 10,
    "total_timeout_seconds": 20,
    "request_retries": 0,
    "page_retries": 0,
}


def quick_settings(
    folder: Path, *origins: Origin, secrets: Mapping[str, str] | None = None, **overrides: Any
) -> settings.Settings:
    """Settings under which a crawl of these origins takes a second, not minutes; a new folder gets a database."""
    path = folder / "lamplighter.db"
    if "database_url" not in overrides and not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(migrated_file_of_this_process(), path)
    allowed = ",".join(origin.address for origin in origins)
    env = {f"{settings.SECRET_PREFIX}{name.upper()}": value for name, value in (secrets or {}).items()}
    env |= {f"{settings.SECRET_HOSTS_PREFIX}{name.upper()}": allowed for name in secrets or {}}
    return settings.load(env, **(QUICK | {"data_dir": folder, "allow_hosts": allowed} | overrides))


@asynccontextmanager
async def going(chosen: settings.Settings, *, schedule: bool = True) -> AsyncIterator[Service]:
    """A service that makes its rounds while the block lasts."""
    if not schedule:
        chosen = chosen.model_copy(update={"duties": "fetch,parse"})
    async with app.open_service(chosen) as service:
        rounds = asyncio.create_task(service.run())
        try:
            yield service
        finally:
            service.stopping.set()
            await rounds


async def watch(service: Service, url: str, **more: Any) -> int:
    """Adds a source, as an operator would, and returns its id."""
    new = NewSource(url=url, **more)
    source_id = await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", service.clock.now())))
    service.bells.events.ring()
    return source_id


async def first_run(service: Service, source_id: int, *, number: int = 1, patience: float = 300) -> CrawlRun:
    """The n-th run of a source, once it has ended."""
    async with asyncio.timeout(patience):
        while True:
            async with service.db.read() as db:
                job = await stored_jobs.of_source(db, source_id)
                run = await run_lists.by_number(db, job.id, number) if job is not None else None
            if run is not None and run.finished_at is not None:
                return run
            await service.bells.finished.wait(0.1)


async def crawl(service: Service, url: str, **more: Any) -> CrawlRun:
    """Adds a source and waits for its first run to end."""
    return await first_run(service, await watch(service, url, **more))


async def crawl_again(service: Service, source_id: int, *, number: int) -> CrawlRun:
    """Runs a source once more, at once, and waits for that run to end."""
    await service.db.write(
        lambda db: runs.run_now(
            db,
            source_id,
            now=service.clock.now(),
            deadline=timedelta(minutes=5),
            source_defaults=service.source_defaults,
        )
    )
    # Whoever still holds the host need not wait out the moment it holds it for.
    service.wake([host.id for host in await all_rows(service, hosts)])
    service.bells.hosts.ring()
    return await first_run(service, source_id, number=number)


async def age(service: Service, **by: float) -> None:
    """Makes every page look as if all that was done with it had been done that much earlier: days, hours …"""

    async def work(db: Connection) -> None:
        for row in (await db.execute(sa.select(pages))).all():
            earlier = {name: moment - timedelta(**by) for name in _MOMENTS if (moment := getattr(row, name))}
            await db.execute(sa.update(pages).where(pages.c.id == row.id).values(earlier))

    await service.db.write(work)


async def all_rows(service: Service, table: sa.Table) -> list[Any]:
    """Every row of a table, oldest first."""
    async with service.db.read() as db:
        return list((await db.execute(sa.select(table).order_by(*table.primary_key.columns))).all())


async def job_of(service: Service, source_id: int) -> Any:
    """The crawl job of a source, as stored."""
    return next(row for row in await all_rows(service, crawl_jobs) if row.source_id == source_id)


async def host_of(service: Service, origin: Origin) -> Any:
    """An origin's host, as stored; None before anybody has heard of it."""
    return next((row for row in await all_rows(service, hosts) if row.key == origin.address), None)


async def run_log_of(service: Service, run_id: int) -> list[str]:
    """What a run wrote down for its operator."""
    return [row.message for row in await all_rows(service, run_log_lines) if row.run_id == run_id]


def asked(origin: Origin) -> list[str]:
    """The paths an origin was asked for, robots.txt left out."""
    return [hit.path for hit in origin.log if hit.path != "/robots.txt"]


async def all_records(service: Service) -> list[Any]:
    """Every stored record, by title."""
    async with service.db.read() as db:
        return list((await db.execute(sa.select(records).order_by(records.c.title))).all())


async def all_pages(service: Service) -> dict[str, Any]:
    """Every stored page, by path and query."""
    async with service.db.read() as db:
        rows = (await db.execute(sa.select(pages))).all()
    return {"/" + row.url.split("/", 3)[3]: row for row in rows}
