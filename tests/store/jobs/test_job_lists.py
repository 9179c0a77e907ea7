"""Lists of crawl jobs: what is in them, in which order, and at what cost."""

import time
from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.crawl import JobState
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Database
from lamplighter.store.jobs import job_lists, tallies
from lamplighter.store.jobs.job_lists import JobFilter
from lamplighter.store.schema import tables
from tests.changing import set_job
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, the_job, write
from tests.store.query_plans import plan_of

ALL = JobFilter()
#: how a list is asked for that nobody filtered or sorted
PLAIN: dict[str, Any] = {"sort": "created_at", "descending": True, "limit": 50, "offset": 0}


async def _named(db: Database, which: JobFilter = ALL, **how: Any) -> list[str]:
    """The names of the listed jobs' sources, in order."""
    details = await write(db, job_lists.page, which, **(PLAIN | how))
    sources = tables.sources
    async with db.read() as connection:
        rows = await connection.execute(sa.select(sources.c.id, sources.c.name))
    names = {row.id: row.name.removesuffix(".example") for row in rows}
    return [names[detail.job.source_id] for detail in details]


async def _set_source(db: Database, name: str, **values: Any) -> None:
    async with db.exclusive() as connection:
        mine = sa.update(tables.sources).where(tables.sources.c.name == f"{name}.example")
        await connection.execute(mine.values(**values))


async def test_filters_narrow_the_list_and_its_count_alike(db: Database) -> None:
    jobs = {name: await write(db, a_job, name, priority=10 * n) for n, name in enumerate(("ant", "bee", "cow"), 1)}
    await write(db, set_job, jobs["bee"], now=NOON, state=JobState.PAUSED, auto_managed=False)
    public_id = (await the_job(db, jobs["cow"])).source_id
    async with db.read() as connection:
        uuid = await connection.scalar(sa.select(tables.sources.c.public_id).where(tables.sources.c.id == public_id))

    for which, names in [
        (JobFilter(), ["ant", "bee", "cow"]),
        (JobFilter(states=(JobState.PAUSED,)), ["bee"]),
        (JobFilter(states=(JobState.PAUSED, JobState.PENDING), priority_min=20), ["bee", "cow"]),
        (JobFilter(priority_max=10), ["ant"]),
        (JobFilter(auto_managed=True), ["ant", "cow"]),
        (JobFilter(search="BEE.ex"), ["bee"]),
        (JobFilter(search="%"), []),
        (JobFilter(source=uuid), ["cow"]),
        (JobFilter(host="ant.example"), []),
    ]:
        assert await _named(db, which, sort="source_name", descending=False) == names, which
        assert await write(db, job_lists.count, which) == len(names), which


@pytest.mark.parametrize(
    ("sort", "descending", "names"),
    [
        ("created_at", True, ["c", "b", "a"]),
        ("next_run_at", False, ["b", "a", "c"]),
        ("next_run_at", True, ["a", "b", "c"]),
        ("priority", True, ["c", "b", "a"]),
        ("source_name", False, ["a", "b", "c"]),
        ("status", False, ["c", "b", "a"]),
    ],
)
async def test_a_list_is_sorted_by_the_database_and_what_has_no_value_comes_last(
    db: Database, sort: str, descending: bool, names: list[str]
) -> None:
    times: dict[str, datetime | None] = {"a": NOON + HOUR, "b": NOON, "c": None}
    states = {"a": JobState.SCHEDULED, "b": JobState.PENDING, "c": JobState.COMPLETED}
    for number, name in enumerate(times):
        job_id = await write(db, a_job, name, priority=number)
        await write(db, set_job, job_id, now=NOON, next_run_at=times[name], state=states[name])

    assert await _named(db, sort=sort, descending=descending) == names


async def test_what_is_deleted_or_not_crawled_from_its_url_is_in_no_list_and_in_no_count(db: Database) -> None:
    jobs = {name: await write(db, a_job, name) for name in ("kept", "deleted", "gone", "tasks")}
    cancelled = {"now": NOON, "state": JobState.CANCELLED}
    await write(db, set_job, jobs["deleted"], deleted_at=NOON, **cancelled)
    await write(db, set_job, jobs["gone"], **cancelled)
    await _set_source(db, "gone", deleted_at=NOON)
    await write(db, set_job, jobs["tasks"], now=NOON, state=JobState.PAUSED, pause_reason="tasks")
    await _set_source(db, "tasks", is_implicit=True)

    counts = source_state.by_status(await write(db, tallies.jobs))

    assert await _named(db) == ["kept"]
    assert {state: number for state, number in counts.items() if number} == {"pending": 1}
    assert await write(db, job_lists.count, JobFilter()) == 1
    assert await write(db, job_lists.ids, JobFilter(), limit=9) == [(await the_job(db, jobs["kept"])).public_id]


async def _hundred_thousand(db: Database, count: int) -> None:
    """So many jobs, each with a plan of the usual length, copied by the database itself."""
    job_id = await write(db, a_job)
    reason = {"steps": [{"step": "policy", "seconds": 1.5, "more": "x" * 400}], "expected": {"visits": 0}}
    await write(db, set_job, job_id, now=NOON, next_run_at=NOON, next_run_reason=reason)
    first = sa.select(sa.literal(100).label("n")).cte("numbers", recursive=True)
    numbers = first.union_all(sa.select(first.c.n + 1).where(first.c.n < 99 + count))
    n = numbers.c.n

    def hours(column: sa.Column[Any], number: sa.ColumnElement[int]) -> sa.ColumnElement[Any]:
        if db.is_sqlite:  # which counts microseconds
            return sa.type_coerce(column, sa.Integer) + number * 3_600_000_000
        return column + number * sa.literal_column("interval '1 hour'")

    jobs, named = tables.crawl_jobs, {"id": n, "public_id": sa.cast(n, sa.String)}
    planned = {
        "source_id": n,
        "state": sa.case((n % 40 == 0, "paused"), else_="scheduled"),
        "next_run_at": hours(jobs.c.next_run_at, n % 997),
        "created_at": hours(jobs.c.created_at, n % 1009),
    }
    async with db.exclusive() as connection:
        await connection.execute(_copies(tables.sources, numbers, **named, url=sa.cast(n, sa.String)))
        await connection.execute(_copies(jobs, numbers, **named, **planned))
        await connection.execute(sa.text("ANALYZE"))


def _copies(table: sa.Table, numbers: sa.CTE, **changed: sa.ColumnElement[Any]) -> sa.Insert:
    """The table's first row again for each number, changed so."""
    columns = (changed.get(column.name, column) for column in table.c)
    row = sa.select(*columns).select_from(table.join(numbers, sa.true())).where(table.c.id < 100)
    return sa.insert(table).from_select([column.name for column in table.c], row)


@pytest.mark.parametrize(
    ("sort", "descending", "index"),
    [
        ("created_at", True, "ix_crawl_jobs_created"),
        ("created_at", False, "ix_crawl_jobs_created"),
        ("next_run_at", False, "ix_crawl_jobs_next_run"),
        ("source_name", False, "ix_sources_name"),
    ],
)
async def test_the_first_page_is_read_from_an_index_without_a_sort(
    db: Database, sort: str, descending: bool, index: str
) -> None:
    await _hundred_thousand(db, 2000)

    plan = await plan_of(
        db, lambda c: job_lists.page(c, JobFilter(), sort=sort, descending=descending, limit=50, offset=0)
    )

    assert index in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
async def test_the_first_of_a_hundred_thousand_jobs_are_listed_and_counted_within_half_a_second(db: Database) -> None:
    await _hundred_thousand(db, 100_000)
    spent = []

    for _ in range(3):
        began = time.process_time()
        async with db.read() as connection:
            await job_lists.page(connection, JobFilter(), **PLAIN)
            total = await job_lists.count(connection, JobFilter())
        spent.append(time.process_time() - began)

    assert total == 100_001
    assert min(spent) < 0.5
