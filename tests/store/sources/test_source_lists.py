"""Lists of sources: sorted along an index, and chosen by the very status that is shown."""

import re
from itertools import product
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.crawl import JobState, PauseReason, RunOutcome, Trigger
from lamplighter.model.source import SourceStatus
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema.tables import crawl_jobs as jobs_table
from lamplighter.store.sources import source_lists
from lamplighter.store.sources.source_lists import SourceFilter, SourceSort
from tests.changing import set_job, set_source
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, a_run, a_source, write
from tests.store.query_plans import plan_of

_INDEXES = {
    SourceSort.NAME: "ix_sources_name",
    SourceSort.PRIORITY: "ix_sources_priority",
    SourceSort.CREATED_AT: "ix_sources_created",
    SourceSort.UPDATED_AT: "ix_sources_updated",
    SourceSort.NEXT_RUN_AT: "ix_crawl_jobs_next_run",
    SourceSort.LAST_RUN_AT: "ix_crawl_jobs_last_run",
    SourceSort.STATUS: "ix_crawl_jobs_state",
}


async def test_a_page_is_found_along_an_index_and_not_by_sorting(db: Database) -> None:
    await db.write(lambda connection: _many(connection, 30))
    unique = "sqlite_autoindex_sources" if db.is_sqlite else "uq_sources_url"
    wanted = [(sort, descending) for sort in (*_INDEXES, SourceSort.URL) for descending in (False, True)]

    plans = {(sort, down): await _plan(db, sort, descending=down) for sort, down in wanted}

    assert [case for case, plan in plans.items() if _INDEXES.get(case[0], unique) not in plan] == []
    assert [case for case, plan in plans.items() if "TEMP B-TREE" in plan or "Sort" in plan] == []


async def _plan(db: Database, sort: SourceSort, *, descending: bool) -> str:
    async def page(connection: Connection) -> None:
        await source_lists.page(connection, SourceFilter(), sort=sort, descending=descending, limit=10, offset=0)

    return await plan_of(db, page)


@pytest.mark.parametrize(
    ("which", "index"),
    [
        pytest.param(SourceFilter(tag="a"), "ix_source_tags_sources", id="with a tag"),
        pytest.param(SourceFilter(status=SourceStatus.PAUSED), "ix_crawl_jobs_state", id="paused"),
        pytest.param(SourceFilter(has_failures=True), "ix_crawl_jobs_unwell", id="failing"),
    ],
)
async def test_sources_are_chosen_and_counted_by_an_index_alone(
    db: Database, which: SourceFilter, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_lists, "FEW", -1)
    await db.write(lambda connection: _many(connection, 30))

    async def page(connection: Connection) -> None:
        await source_lists.page(connection, which, sort=SourceSort.NAME, descending=False, limit=10, offset=0)

    plan = await plan_of(db, page, start="SELECT count")

    assert index in plan
    assert "Seq Scan" not in plan
    assert not re.search(r"SCAN \w+($|\n)", plan)


@pytest.mark.parametrize("sort", SourceSort)
async def test_few_matches_are_listed_as_they_would_be_among_many(
    db: Database, sort: SourceSort, monkeypatch: pytest.MonkeyPatch
) -> None:
    await db.write(lambda connection: _many(connection, 12))
    await write(db, a_source, "s0x")

    async def listed(offset: int) -> tuple[list[int], int]:
        which = SourceFilter(search="S")
        return await write(db, source_lists.page, which, sort=sort, descending=True, limit=5, offset=offset)

    offsets = (0, 5, 10, 15)
    few = [await listed(offset) for offset in offsets]
    monkeypatch.setattr(source_lists, "FEW", 3)
    many = [await listed(offset) for offset in offsets]

    assert few == many
    assert [(len(ids), total) for ids, total in few] == [(5, 13), (5, 13), (3, 13), (0, 13)]


@pytest.mark.parametrize("deleted", [None, NOON], ids=["kept", "deleted"])
async def test_every_source_is_found_by_the_status_it_shows(db: Database, deleted: Any) -> None:
    reasons = (None, *PauseReason)
    cases = [(state, reason, on) for state, reason, on in product(JobState, reasons, (True, False))]
    ids = [await write(db, _source_with, number, *case, deleted) for number, case in enumerate(cases)]
    ids += [await write(db, a_source, "jobless")]

    shown = {each.source.id: each.status for each in await write(db, source_lists.details, ids)}
    found: dict[int, SourceStatus] = {}
    for status in SourceStatus:
        which = SourceFilter(status=status)
        matching = await write(db, source_lists.ids_after, which, 0, limit=1000)
        named = {"sort": SourceSort.NAME, "descending": False, "limit": 1, "offset": 0}
        assert (await write(db, source_lists.page, which, **named))[1] == len(matching)
        found |= dict.fromkeys(matching, status)

    assert found == shown


async def test_the_latest_run_that_says_something_is_shown(db: Database) -> None:
    source_id, first = await write(db, a_run, "a")
    job = await write(db, crawl_jobs.of_source, source_id)
    runs = [first] + [await write(db, _run, job, number) for number in (2, 3, 4)]
    for run_id, outcome in zip(runs, (RunOutcome.OK, RunOutcome.WARN, RunOutcome.CANCELLED), strict=False):
        close = {"outcome": outcome, "message": outcome.value, "records_shown": 0}
        await write(db, crawl_runs.close, run_id, now=NOON, **close)

    (listed,) = await write(db, source_lists.details, [source_id])

    assert listed.run is not None
    assert (listed.run.outcome, listed.run.message) == (RunOutcome.WARN, "warn")


async def test_what_was_never_run_comes_last_whichever_way_a_list_is_sorted(db: Database) -> None:
    ran = [(await write(db, a_run, name))[0] for name in ("a", "b")]
    never = await write(db, a_source, "c")
    await db.write(lambda connection: connection.execute(sa.update(jobs_table).values(last_run_at=NOON)))

    pages = [
        (await write(db, source_lists.page, SourceFilter(), sort=sort, descending=descending, limit=9, offset=0))[0]
        for sort, descending in product((SourceSort.LAST_RUN_AT, SourceSort.NEXT_RUN_AT), (False, True))
    ]

    assert [sorted(page[:2]) for page in pages] == [ran] * 4
    assert [page[2:] for page in pages] == [[never]] * 4


async def _many(db: Connection, count: int) -> None:
    for number in range(count):
        await a_job(db, f"s{number}", due=NOON + number * HOUR)


async def _source_with(
    db: Connection, number: int, state: JobState, reason: PauseReason | None, on: bool, deleted: Any
) -> int:
    job_id = await a_job(db, f"s{number}")
    await set_job(db, job_id, now=NOON, state=state, pause_reason=reason)
    job = await crawl_jobs.lock(db, job_id)
    assert job is not None
    await set_source(db, job.source_id, now=NOON, enabled=on, deleted_at=deleted)
    return job.source_id


async def _run(db: Connection, job: Any, number: int) -> int:
    return await crawl_runs.add(
        db,
        job_id=job.id,
        source_id=job.source_id,
        number=number,
        trigger=Trigger.MANUAL,
        now=NOON + number * HOUR,
        deadline_at=NOON + 9 * HOUR,
        page_budget=1,
    )
