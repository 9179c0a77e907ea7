"""The page sink: what was fetched and read is one transaction, and no page costs a statement of its own."""

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fetching.page_versioning import body_after
from lamplighter.crawl.fetching.page_visits import PageVisit, ParseLease, RetryLimits, downloaded
from lamplighter.crawl.pages.page_results import PageReading, PageResult
from lamplighter.crawl.pages.page_sink import PageSink
from lamplighter.crawl.reading.reader_messages import Digest
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.model.host import Host, HostPolicy
from lamplighter.model.page import Phase
from lamplighter.model.visit import NO_VALIDATORS, Fetched
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.pages import pages
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.counting import statements
from tests.crawl.planning.planners import planner
from tests.moments import NOON
from tests.store.given_rows import a_run, rows_of, some_pages, write
from tests.store.records.given_records import posting

#: that a commit takes, whatever the number of its pages; two more where it adds hosts
MOST_STATEMENTS = 23


class Pages:
    """Pages of one open run, as fetched from a host that is held; each shows a record and leads to a new page."""

    def __init__(self, db: Database, folder: Path) -> None:
        self.db = db
        clock = At()
        self.stored: list[Sequence[PageResult]] = []
        self.archiving = BodyArchiving(db, FileArchive(folder, clock=clock))
        self._lease = ParseLease("me", clock.now() + timedelta(minutes=1))
        self._sink = PageSink(
            db,
            archiving=self.archiving,
            clock=clock,
            tools=RunTools(planner=planner(clock), notice_writer=NoticeWriter(clock=clock)),
            limits=RetryLimits(page_retries=2, max_redirects=5),
            queue=InProcessQueue(),
            settled=lambda batch, _: self.stored.append(batch),
        )

    async def fetched(self, name: str, count: int) -> list[PageVisit]:
        """Visits of so many new pages, their bodies archived."""

        async def work(db: Connection) -> tuple[Host, list[Any]]:
            source_id, run_id = await a_run(db, name, budget=10_000)
            ids = await some_pages(db, source_id, run_id, *(f"/{name}/{number}" for number in range(count)))
            host = await hosts.get(db, "a.example", defaults=HostPolicy())
            assert host is not None
            return host, [page for page in await pages.due(db, host.id, now=NOON, limit=1000) if page.id in ids]

        host, found = await write(self.db, work)
        visits = [
            PageVisit(page, _answer(page.url, f"<p>{number}</p>"), host, "allowed") for number, page in enumerate(found)
        ]
        return await self.archiving.keep(visits)

    async def store(self, results: Sequence[PageResult]) -> list[str]:
        """Stores results as one batch; returns what the database was asked."""
        with statements() as sent:
            await self._sink.commit(results)
        return sent

    async def store_apart(self, visits: Sequence[PageVisit]) -> None:
        """Stores pages as downloaded first, and what was read of them later."""
        await self.store([PageResult(visited, None, self._lease) for visited in visits])
        rows = await rows_of(self.db, tables.pages, tables.pages.c.id.in_([each.page.id for each in visits]))
        assert {(row.phase, row.lease_owner) for row in rows} == {("downloaded", "me")}
        await self.store([PageResult(None, _reading(visited)) for visited in visits])


def _answer(url: str, text: str) -> Fetched:
    took = timedelta(milliseconds=20)
    body = f"<html>{text} {url}</html>".encode()
    return Fetched(
        url=url, status=200, body=body, content_type="text/html", validators=NO_VALIDATORS, at=NOON, took=took
    )


def _reading(visited: PageVisit) -> PageReading:
    page, visit = visited.page, visited.visit
    assert isinstance(visit, Fetched)
    digest = Digest(page.id, f"hash of {page.url}", [posting(page.id)], [], [f"{page.url}/next"], [], ())
    return PageReading(downloaded(page, body_after(page, visit, visited.body_hash or "", "")), 50, digest)


def _both(visited: PageVisit) -> PageResult:
    return PageResult(visited, _reading(visited))


async def test_pages_that_were_fetched_and_read_are_one_commit_of_few_statements(db: Database, tmp_path: Path) -> None:
    site = Pages(db, tmp_path)
    sent = [
        await site.store([_both(visited) for visited in await site.fetched(name, count)])
        for name, count in (("a", 4), ("b", 100))
    ]
    rows = await rows_of(db, tables.pages)

    assert [row.phase for row in rows].count(Phase.COMPLETED) == 104
    assert [row.phase for row in rows].count(Phase.PENDING) == 104
    assert [len(each) for each in sent] <= [MOST_STATEMENTS + 2, MOST_STATEMENTS]
    assert sum(statement.startswith("BEGIN") for statement in sent[1]) == db.is_sqlite
    assert [bool(re.match("UPDATE pages", statement)) for statement in sent[1]].count(True) == 1


@pytest.mark.parametrize(
    "table", [tables.pages, tables.page_versions, tables.crawl_runs, tables.records], ids=lambda table: table.name
)
async def test_a_page_ends_the_same_whether_it_was_stored_at_once_or_before_it_was_read(
    db: Database, tmp_path: Path, table: Any
) -> None:
    site = Pages(db, tmp_path)
    await site.store([_both(visited) for visited in await site.fetched("a", 2)])
    await site.store_apart(await site.fetched("b", 2))
    rows = await rows_of(db, table)
    half = len(rows) // 2

    assert half
    assert [_plain(row, "a") for row in rows[:half]] == [_plain(row, "b") for row in rows[half:]]


async def test_a_visit_and_its_reading_that_meet_in_one_batch_are_stored_together(db: Database, tmp_path: Path) -> None:
    site = Pages(db, tmp_path)
    visits = await site.fetched("a", 3)
    apart = [PageResult(visited) for visited in visits] + [PageResult(None, _reading(each)) for each in visits]

    sent = await site.store(apart)
    rows = await rows_of(db, tables.pages, tables.pages.c.fetched_at.is_not(None))

    assert [row.phase for row in rows] == ["completed"] * 3
    assert [bool(re.match("UPDATE pages", statement)) for statement in sent].count(True) == 1


async def test_what_was_read_of_a_page_whose_host_was_lost_is_not_stored(db: Database, tmp_path: Path) -> None:
    site = Pages(db, tmp_path)
    visits = await site.fetched("a", 2)
    lost = [visited._replace(host=_with_token(visited.host, 99)) for visited in visits]

    await site.store([_both(visited) for visited in lost])

    assert {row.phase for row in await rows_of(db, tables.pages)} == {"pending"}
    assert await rows_of(db, tables.records) == []
    assert len(site.stored) == 1


def _with_token(host: Host, token: int) -> Host:
    values: dict[str, Any] = {name: getattr(host, name) for name in host.__dataclass_fields__}
    return Host(**values | {"lease_token": token})


#: columns that differ because they name other rows, other times, or the place in the archive
_OTHERS = (
    "id",
    "source_id",
    "job_id",
    "run_id",
    "page_id",
    "body_id",
    "public_id",
    "found_on",
    "rank",
    "key",
    "body_key",
)
_HASHES = ("hash", "url_key", "body_hash", "canonical_hash", "content_hash")


def _plain(row: Any, name: str) -> dict[str, Any]:
    values = {key: value for key, value in row._mapping.items() if key not in (*_OTHERS, *_HASHES)}
    return {key: _nameless(value, name) if isinstance(value, str) else value for key, value in values.items()}


def _nameless(text: str, name: str) -> str:
    return re.sub(r"\d+", "n", text.replace(f"/{name}/", "/x/"))
