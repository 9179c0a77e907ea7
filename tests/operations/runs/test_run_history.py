"""The history of runs: what is found in it, and by which index."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from lamplighter.errors import NotFound, NotPossible
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome, Trigger
from lamplighter.operations.runs import run_history, runs
from lamplighter.store.engine.database import Database
from lamplighter.store.runs import run_history as stored
from lamplighter.store.runs.run_history import RunFilter
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_run, some_pages, write
from tests.store.query_plans import plan_of


async def _runs_of(db: Database, *names: str, **columns: Any) -> None:
    """One run of each source, an hour apart."""
    for place, name in enumerate(names):
        _, run_id = await write(db, a_run, name)
        which = tables.crawl_runs.c.id == run_id
        values = {"started_at": NOON + place * HOUR, **columns}
        async with db.exclusive() as connection:
            await connection.execute(sa.update(tables.crawl_runs).where(which).values(values))


async def _found(db: Database, **wanted: Any) -> list[str]:
    page = await write(db, run_history.listed, RunFilter(**wanted), limit=10, offset=0)
    assert page.total == len(page.rows)
    return [each.source_name for each in page.rows]


async def _public_id(db: Database) -> str:
    async with db.read() as connection:
        return str(await connection.scalar(sa.select(tables.crawl_runs.c.public_id)))


async def test_the_latest_run_comes_first(db: Database) -> None:
    await _runs_of(db, "a", "b", "c")

    assert await _found(db) == ["c.example", "b.example", "a.example"]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        pytest.param({"search": "B.EX"}, ["b.example"], id="a part of the name"),
        pytest.param({"search": "%"}, [], id="a sign that means something to LIKE"),
        pytest.param({"since": NOON + HOUR}, ["b.example"], id="begun since"),
        pytest.param({"outcome": RunOutcome.FAIL}, [], id="ended otherwise"),
        pytest.param({"is_open": True}, ["b.example", "a.example"], id="goes on"),
        pytest.param({"trigger": Trigger.MANUAL}, [], id="opened otherwise"),
        pytest.param({"source_id": str(uuid4())}, [], id="of another source"),
    ],
)
async def test_only_what_is_wanted_is_found(db: Database, wanted: dict[str, Any], names: list[str]) -> None:
    await _runs_of(db, "a", "b")

    assert await _found(db, **wanted) == names


async def test_a_list_is_read_in_the_order_of_an_index(db: Database) -> None:
    since = RunFilter(since=NOON)

    lately = await plan_of(db, lambda connection: stored.listed(connection, since, limit=10, offset=0))
    of_source = await plan_of(
        db, lambda connection: stored.listed(connection, replace(since, source_id="x"), limit=10, offset=0)
    )

    assert "ix_crawl_runs_started" in lately
    assert "ix_crawl_runs_source" in of_source


async def test_the_pages_of_a_run_are_found_by_its_index(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1", "/2")

    rows, total = await write(db, stored.pages_of, run_id, limit=1, offset=1)
    plan = await plan_of(db, lambda connection: stored.pages_of(connection, run_id, limit=1, offset=0))

    assert ([row.url for row in rows], total) == (["https://a.example/1"], 2)
    assert "Seq Scan" not in plan
    if db.is_sqlite:
        assert "ix_pages_run" in plan
        assert "TEMP B-TREE" not in plan


async def test_the_pages_of_a_run_are_counted_up_to_a_bound(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, *(f"/{number}" for number in range(5)))
    monkeypatch.setattr(stored, "MOST_COUNTED", 2)

    _, total = await write(db, stored.pages_of, run_id, limit=1, offset=0)

    assert total == 3


async def test_runs_that_go_on_are_found_among_those_alone(db: Database) -> None:
    going_on = RunFilter(is_open=True)

    plan = await plan_of(db, lambda connection: stored.listed(connection, going_on, limit=10, offset=0))
    count = await plan_of(
        db, lambda connection: stored.listed(connection, going_on, limit=10, offset=0), start="SELECT count"
    )

    assert "ix_crawl_runs_open" in plan
    assert "ix_crawl_runs_open" in count
    assert "ix_crawl_runs_started" not in plan + count


async def test_a_cancelled_run_ends_at_once_and_its_job_goes_on_as_usual(db: Database) -> None:
    source_id, run_id = await write(db, a_run)
    await write(db, some_pages, source_id, run_id, "/1")
    async with db.exclusive() as connection:
        await connection.execute(sa.update(tables.crawl_jobs).values(state="running"))

    await write(db, runs.cancel, await _public_id(db), stamp=Stamp("mara", NOON))

    detail = await write(db, run_history.one, await _public_id(db))
    assert (detail.run.outcome, detail.run.message, detail.left.to_ask) == ("cancelled", "cancelled by mara", 0)
    assert (detail.job.state, detail.next_run_at) == ("scheduled", NOON + HOUR)
    assert "mara cancelled the previous run" in (detail.why_then or "")


async def test_a_run_that_has_ended_cannot_be_cancelled(db: Database) -> None:
    await _runs_of(db, "a", finished_at=NOON + HOUR, outcome="ok")

    with pytest.raises(NotPossible, match="has ended"):
        await write(db, runs.cancel, await _public_id(db), stamp=Stamp("mara", NOON))


async def test_an_unknown_run_is_not_found(db: Database) -> None:
    for work in (lambda: write(db, run_history.one, "x"), lambda: write(db, runs.cancel, "x", stamp=Stamp("m", NOON))):
        with pytest.raises(NotFound):
            await work()
