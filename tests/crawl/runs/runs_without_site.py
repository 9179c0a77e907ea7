"""Runs of a source without a site: tests say what each page showed, the sinks do the rest."""

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fetching.page_visits import RetryLimits
from lamplighter.crawl.pages.page_results import PageReading, PageResult
from lamplighter.crawl.pages.page_sink import PageSink
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.crawl.reading.reader_messages import Digest
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.model.crawl import CrawlRun
from lamplighter.model.host import HostPolicy
from lamplighter.model.page import Phase
from lamplighter.model.reading import PageRole
from lamplighter.model.record import Record, RejectedRecord
from lamplighter.model.run_log import Keeping
from lamplighter.operations.runs import runs
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import pages
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.runs import crawl_runs, run_pages
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.crawl.planning.planners import planner
from tests.store.given_rows import a_source, rows_of, some_pages, write

SITE = "https://a.example"
SOURCE_DEFAULTS = SourceDefaults(host=HostPolicy(max_pages=1000))


class StoppedClock(At):
    """Its date is set by tests; its seconds run."""

    def monotonic(self) -> float:
        return time.monotonic()


def read(
    records: Sequence[Record] = (),
    *,
    skipped: Sequence[RejectedRecord] = (),
    obstacle: str | None = None,
    text: str = "",
) -> Digest:
    """What a page showed; it reads differently whenever its records do."""
    said = text + "".join(record.canonical_hash + record.content_hash for record in records)
    return Digest(0, urls.url_key(said), list(records), list(skipped), [], [], (), obstacle=obstacle)


class Site:
    """A source at a.example: its start page is "/", pages below "/list" are lists, all others are linked."""

    def __init__(self, db: Database, name: str = "a", *, keeping: Keeping | None = None) -> None:
        self.db = db
        self._name = name
        self.clock = StoppedClock()
        self.source_id = 0
        self._planner = planner(self.clock)
        self._notice_writer = NoticeWriter(clock=self.clock)
        self._sink = PageSink(
            db,
            archiving=BodyArchiving(db, FileArchive(Path("no bodies here"))),
            clock=self.clock,
            tools=RunTools(planner=self._planner, notice_writer=self._notice_writer, keeping=keeping or Keeping()),
            limits=RetryLimits(page_retries=0, max_redirects=0),
            queue=InProcessQueue(),
            settled=lambda _batch, _commit: None,
        )

    async def run(
        self,
        shown: Mapping[str, Digest | str],
        *,
        unchanged: Iterable[str] = (),
        failed: Mapping[str, str] | None = None,
        overdue: bool = False,
    ) -> CrawlRun:
        """One run in which pages were read, answered 304 (the start page if nothing is said of it), or failed."""
        self.clock.at += timedelta(hours=6)
        run_id = await self.open()
        batch = [await self.reading(run_id, path, result) for path, result in shown.items()]
        for path in {*unchanged, "/"} - shown.keys() - (failed or {}).keys():
            await self._page(run_id, path, {"phase": Phase.COMPLETED}, "pages_unchanged")
        for path, reason in (failed or {}).items():
            await self._page(run_id, path, {"phase": Phase.FAILED, "reason": reason, "detail": "x"}, "pages_failed")
        if overdue:
            await self._page(run_id, "/late", {"phase": Phase.PENDING}, "pages_failed")
        await self.commit(batch)
        await write(self.db, self._end, run_id, overdue=overdue)
        async with self.db.read() as db:
            run = await crawl_runs.get(db, run_id)
        assert run is not None
        return run

    async def _end(self, db: Connection, run_id: int, *, overdue: bool) -> None:
        if overdue:
            await run_pages.close_open(db, run_id, phase=Phase.FAILED, reason="run_deadline", detail="x")
        if await crawl_runs.lock_open(db, [run_id]):
            await finish_done(
                db,
                [run_id],
                now=self.clock.now(),
                planner=self._planner,
                notice_writer=self._notice_writer,
                overdue=overdue,
            )

    async def open(self) -> int:
        """A new run, its start page pending."""
        self.source_id = self.source_id or await write(self.db, a_source, self._name)
        now = self.clock.now()
        return await write(
            self.db, runs.run_now, self.source_id, now=now, deadline=timedelta(hours=1), source_defaults=SOURCE_DEFAULTS
        )

    async def reading(self, run_id: int, path: str, result: Digest | str) -> PageReading:
        """A page of the run that was downloaded and read."""
        page_id = await self._page(run_id, path, {"phase": Phase.DOWNLOADED, "body_key": "k"}, "pages_fetched")
        page = Downloaded(
            id=page_id,
            source_id=self.source_id,
            run_id=run_id,
            url=SITE + path,
            depth=1,
            hops=0,
            role=_role(path),
            body_key="k",
            content_type=None,
            robots_tag=None,
            usage=None,
            crash_count=0,
        )
        return PageReading(page, 50, result)

    async def commit(self, batch: Sequence[PageReading]) -> None:
        """Makes readings durable."""
        if batch:
            await self._sink.commit([PageResult(None, reading) for reading in batch])

    async def rows(self, table: sa.Table) -> list[Any]:
        """Every row of a table, oldest first."""
        return await rows_of(self.db, table)

    async def log(self, run_id: int) -> list[str]:
        """What a run wrote down about records."""
        lines = await self.rows(tables.run_log_lines)
        return [line.message for line in lines if line.run_id == run_id and line.category == "record"]

    async def _page(self, run_id: int, path: str, values: Mapping[str, Any], counter: str) -> int:
        async def work(db: Connection) -> int:
            key = urls.url_key(SITE + path)
            known = (await pages.known(db, [key])).get(key, {}).get(self.source_id)
            role = _role(path)
            page_id = known.id if known else (await some_pages(db, self.source_id, run_id, path, role=role))[0]
            await pages.save(db, [{"page": page_id, "run_id": run_id, **values}])
            await crawl_runs.add_up(db, {run_id: {counter: 1}}, now=self.clock.now())
            return page_id

        return await self.db.write(work)


def _role(path: str) -> PageRole:
    return PageRole.SEED if path == "/" else PageRole.LISTING if path.startswith("/list") else PageRole.LINK
