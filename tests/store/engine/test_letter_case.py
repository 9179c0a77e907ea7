"""What is looked for just as it is written is found, whichever letters the database takes for the same."""

import pytest
import sqlalchemy as sa

from lamplighter.model.record_search import RecordFilter, RecordOrder
from lamplighter.model.run_log import LogAction
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import takedowns
from lamplighter.store.records import record_search, records
from lamplighter.store.runs import run_history, run_log
from lamplighter.store.runs.run_history import RunFilter
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, a_source, write
from tests.store.records.given_records import found, posting


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(RecordFilter(organisation="Ärzte ohne GRENZEN"), id="organisation"),
        pytest.param(RecordFilter(brand="Ünïcode"), id="brand"),
        pytest.param(RecordFilter(category="ÉCLAIRAGE"), id="category"),
        pytest.param(RecordFilter(language="PT"), id="language"),
        pytest.param(RecordFilter(language="pt-br"), id="language and country"),
    ],
)
async def test_a_record_is_found_by_what_it_says_with_capitals(db: Database, wanted: RecordFilter) -> None:
    source_id = await write(db, a_source)
    said = {"brand": "Ünïcode", "category": "ÉCLAIRAGE"}
    record = posting(1, organisation="Ärzte ohne Grenzen", language="pt-BR", fields=said)
    await write(db, records.put, [found(source_id, None, record), found(source_id, None, posting(2))], now=NOON)

    async with db.read() as connection:
        hits = await record_search.find(connection, wanted, RecordOrder())

    assert (len(hits.page), hits.total) == (1, 1)


@pytest.mark.parametrize(("search", "total"), [("Ärzte", 1), ("Ärzte OHNE", 1), ("Ä%", 0)])
async def test_runs_and_their_lines_are_found_by_a_part_with_capitals(db: Database, search: str, total: int) -> None:
    _, run_id = await write(db, a_run)

    async def say(connection: Connection) -> None:
        await connection.execute(sa.update(tables.sources).values(name="Ärzte ohne Grenzen"))
        await run_log.write(connection, [run_log.line(run_id, LogAction.PAGE_FAILED, "Ärzte ohne Grenzen", at=NOON)])

    await db.write(say)

    async with db.read() as connection:
        _, runs = await run_history.listed(connection, RunFilter(search=search), limit=10, offset=0)
        lines = await run_log.of_run(connection, run_id, search=search)

    assert (runs, len(lines)) == (total, total)


async def test_a_takedown_is_found_by_a_part_with_capitals(db: Database) -> None:
    await write(db, takedowns.add, "example.org", reason=None, now=NOON)

    async with db.read() as connection:
        _, total = await takedowns.listed(connection, search="Example.ORG", limit=10, offset=0)

    assert total == 1
