"""What an operator can see of a crawl: its run, its job, and the pages, records and log lines of its source alone."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.crawl import CrawlRun
from lamplighter.store.schema import tables
from tests.service.in_process import crawl_again, first_run, job_of, run_log_of, watch
from tests.service.waiting import until


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A source after one of its runs."""

    run: CrawlRun
    job: Any
    #: by path and query
    pages: Mapping[str, Any]
    #: by title
    records: Sequence[Any]
    #: what the run wrote down
    log: Sequence[str]

    @property
    def message(self) -> str:
        """How the run ended, in words."""
        return self.run.message or ""

    @property
    def titles(self) -> list[str]:
        """Of its records."""
        return [record.title for record in self.records]

    def reasons(self) -> dict[str, str | None]:
        """Why each page is as it is."""
        return {path: page.reason for path, page in self.pages.items()}


async def see(service: Service, run: CrawlRun) -> Seen:
    """A source as it stands after this run."""
    return Seen(
        run=run,
        job=await job_of(service, run.source_id),
        pages={"/" + row.url.split("/", 3)[3]: row for row in await _of_source(service, tables.pages, run.source_id)},
        records=sorted(await _of_source(service, tables.records, run.source_id), key=lambda row: row.title or ""),
        log=await run_log_of(service, run.id),
    )


async def crawled(service: Service, url: str, **more: Any) -> Seen:
    """Adds a source and looks at it when its first run has ended."""
    return await see(service, await first_run(service, await watch(service, url, **more)))


async def all_crawled(service: Service, *urls: str, **more: Any) -> list[Seen]:
    """The same for many at once."""
    return await asyncio.gather(*(crawled(service, url, **more) for url in urls))


async def crawled_again(service: Service, seen: Seen) -> Seen:
    """The same source after one more run."""
    return await see(service, await crawl_again(service, seen.run.source_id, number=seen.run.number + 1))


async def host_with(service: Service, column: str, key: str) -> Any:
    """A host, by its name and port, once something is written down in this column: a moment after its run has ended."""
    query = sa.select(tables.hosts).where(tables.hosts.c.key == key)

    async def look() -> Any:
        async with service.db.read() as db:
            host = (await db.execute(query)).one_or_none()
        return host if getattr(host, column, None) else None

    return await until(look)


async def versions_of(service: Service, seen: Seen, path: str) -> int:
    """How many versions of a page are kept."""
    versions = tables.page_versions
    query = sa.select(sa.func.count()).select_from(versions).where(versions.c.page_id == seen.pages[path].id)
    async with service.db.read() as db:
        return int((await db.execute(query)).scalar_one())


async def _of_source(service: Service, table: sa.Table, source_id: int) -> list[Any]:
    query = sa.select(table).where(table.c.source_id == source_id).order_by(*table.primary_key.columns)
    async with service.db.read() as db:
        return list((await db.execute(query)).all())
