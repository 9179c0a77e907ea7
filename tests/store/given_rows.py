"""Rows for tests to start from: a source, its job, a run, a host, pages."""

from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa

from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob, Trigger
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import pages
from lamplighter.store.pages.pages import NewPage
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema import tables
from tests.changing import add_job
from tests.moments import NOON

T = TypeVar("T")
HOUR = timedelta(hours=1)


async def rows_of(db: Database, table: sa.Table, *which: sa.ColumnElement[bool]) -> list[Any]:
    """The rows of a table, or those for which all of this is true, oldest first."""
    async with db.read() as connection:
        query = sa.select(table).where(*which).order_by(*table.primary_key.columns)
        return list(await connection.execute(query))


async def a_source(db: Connection, name: str = "a") -> int:
    """A source at https://{name}.example/."""
    return await sources.add(db, NewSource(url=f"https://{name}.example/"), stamp=Stamp("test", NOON))


async def a_job(db: Connection, name: str = "a", *, due: datetime = NOON, priority: int = 50) -> int:
    """A pending job of a new source."""
    source_id = await a_source(db, name)
    return await add_job(db, source_id=source_id, priority=priority, interval=HOUR, next_run_at=due, now=NOON)


async def the_job(db: Database, job_id: int) -> CrawlJob:
    """A job as stored."""
    job = await db.write(lambda connection: crawl_jobs.lock(connection, job_id))
    assert job is not None
    return job


async def a_run(db: Connection, name: str = "a", *, number: int = 1, budget: int = 100) -> tuple[int, int]:
    """An open run of a new source; returns the source's id and the run's."""
    job_id = await a_job(db, name)
    job = await crawl_jobs.lock(db, job_id)
    assert job is not None
    run_id = await crawl_runs.add(
        db,
        job_id=job_id,
        source_id=job.source_id,
        number=number,
        trigger=Trigger.SCHEDULE,
        now=NOON,
        deadline_at=NOON + HOUR,
        page_budget=budget,
    )
    return job.source_id, run_id


async def some_pages(db: Connection, source_id: int, run_id: int | None, *paths: str, **columns: Any) -> list[int]:
    """Pending pages of a.example; returns their ids."""
    host_id = (await hosts.ensure(db, ["a.example"], now=NOON))["a.example"]
    found = []
    for path in paths:
        url = f"https://a.example{path}"
        new = NewPage(
            source_id=source_id,
            run_id=run_id,
            host_id=host_id,
            url=url,
            url_key=urls.url_key(url),
            role=PageRole.LINK,
            depth=1,
            rank=50_001,
            phase=Phase.PENDING,
            created_at=NOON,
        )
        named = {name: value for name, value in columns.items() if name in NewPage._fields}
        await pages.add(db, [new._replace(**named)])
        known = (await pages.known(db, [urls.url_key(url)]))[urls.url_key(url)]
        found.append(known[source_id].id)
    others = {name: value for name, value in columns.items() if name not in NewPage._fields}
    if others:
        await db.execute(sa.update(tables.pages).where(tables.pages.c.id.in_(found)).values(others))
    return found


async def write(db: Database, work: Callable[..., Coroutine[Any, Any, T]], *arguments: Any, **more: Any) -> T:
    """Does one thing in a transaction of its own."""
    return await db.write(lambda connection: work(connection, *arguments, **more))
