"""What happened over time, as plots: true to what is stored, and honest about what is not known."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from lamplighter.model.plot import Period, Plot
from lamplighter.model.run_figures import RunFigures, Times, stored
from lamplighter.operations.runs import plots
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import samples
from lamplighter.store.fleet.samples import Sample
from lamplighter.store.hosts import hosts
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run, write

NOW = NOON + 0.5 * HOUR


async def ran(db: Database, name: str, *, host: str = "a.example", began: datetime = NOON, **columns: Any) -> int:
    """A run of a source on this host; returns the id of the host."""

    async def work(connection: Connection) -> int:
        source_id, run_id = await a_run(connection, name)
        host_id = (await hosts.ensure(connection, [host], now=NOON))[host]
        jobs, runs = tables.crawl_jobs, tables.crawl_runs
        mine = sa.update(jobs).where(jobs.c.source_id == source_id)
        await connection.execute(mine.values(host_id=host_id, last_run_at=began))
        ended = {"started_at": began, "finished_at": began + timedelta(minutes=1), "outcome": "ok"}
        await connection.execute(sa.update(runs).where(runs.c.id == run_id).values(**ended, **columns))
        return host_id

    return await db.write(work)


def answered(*milliseconds: float) -> dict[str, Any]:
    """The figures of a run with these response times."""
    return {"figures": stored(RunFigures(response_ms=Times.of(*milliseconds)))}


def last(plot: Plot) -> dict[str, float | None]:
    """What is drawn in the step that is not over yet."""
    return {each.label: each.values[-1] for each in plot.series}


async def test_pages_and_records_are_drawn_by_their_outcome_in_the_hour_in_which_their_run_began(db: Database) -> None:
    outcomes = {"pages_fetched": 5, "pages_unchanged": 3, "pages_failed": 2, "pages_refused": 1}
    await ran(db, "a", **outcomes, records_inserted=4, records_updated=3, records_unchanged=9, bytes_fetched=700)

    async with db.read() as connection:
        pages = await plots.pages(connection, Period.DAY, NOW)
        records = await plots.records(connection, Period.DAY, NOW)
        received = await plots.received(connection, Period.DAY, NOW)

    assert last(pages) == {"fetched": 5, "not modified": 3, "failed": 2, "refused": 1}
    assert last(records) == {"new": 4, "changed": 3, "as before": 9}
    assert last(received) == {"received": 700}
    assert {value for each in pages.series for value in each.values[:-1]} == {0}


async def test_what_the_budget_has_left_is_known_only_where_the_budget_is(db: Database) -> None:
    await ran(db, "a", pages_fetched=5, pages_unchanged=3, pages_failed=2, pages_refused=1)
    await ran(db, "b", began=NOON - HOUR, pages_fetched=50)
    before, over = Sample(1, 1, 1, None, None, None), Sample(1, 1, 1, None, None, 30.0)
    await write(db, samples.write, before, now=NOON - HOUR)
    await write(db, samples.write, over, now=NOON)

    async with db.read() as connection:
        drawn = await plots.budget(connection, Period.DAY, NOW)

    spent, left = drawn.series
    assert (spent.values[-2:], left.values[-2:]) == ([50, 10], [None, 20.0])


async def test_response_times_are_those_of_all_runs_of_a_step(db: Database) -> None:
    host_id = await ran(db, "a", **answered(100, 200))
    await ran(db, "b", **answered(300))
    await ran(db, "c", host="other.example", **answered(9000))

    async with db.read() as connection:
        drawn = await plots.response_times_of(connection, host_id, Period.DAY, NOW)

    average, slow = drawn.series
    assert average.values[-2:] == [None, 200.0]
    assert slow.values[-1] == 300.0


async def test_of_many_hosts_those_with_the_most_responses_are_drawn(db: Database) -> None:
    for number in range(1, 8):
        await ran(db, f"s{number}", host=f"h{number}.example", **answered(*[10.0] * number))

    async with db.read() as connection:
        drawn = await plots.response_times(connection, Period.DAY, NOW)

    assert [each.label for each in drawn.series] == [f"h{number}.example" for number in (7, 6, 5, 4, 3)]
    assert drawn.note == "the hosts with the most responses"
