"""Rows that are written on SQLite without SQLAlchemy are those that it would have written."""

from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.page import Phase
from lamplighter.store.engine import many_rows
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import pages
from lamplighter.store.schema import tables
from tests.counting import statements
from tests.moments import NOON
from tests.store.given_rows import a_run, rows_of, some_pages, write

_HOSTS = sa.insert(tables.hosts)
_WINDOWS = [{"days": "mon", "from": "08:00"}]


def _row(key: str) -> dict[str, Any]:
    return {"key": key, "updated_at": NOON, "windows": _WINDOWS, "allow_js": None, "min_delay_ms": 5, "enabled": True}


async def test_times_json_and_nothing_arrive_as_they_were(db: Database) -> None:
    async def work(connection: Connection) -> None:
        for key in "abc":  # only what is executed again is prepared
            await connection.execute(_HOSTS, [_row(key), _row(key * 2)])

    await db.write(work)
    first, *others = [dict(row._mapping) | {"id": 0, "key": ""} for row in await rows_of(db, tables.hosts)]

    assert len(others) == 5
    assert others == [first] * 5
    assert (first["updated_at"], first["windows"], first["allow_js"]) == (NOON, _WINDOWS, None)


async def test_every_row_gets_what_the_statement_itself_sets(db: Database) -> None:
    statement = (
        sa.update(tables.pages)
        .where(tables.pages.c.id == sa.bindparam("page"))
        .values(phase=Phase.FAILED, failed_at=NOON, reason=sa.bindparam("why"))
    )

    async def work(connection: Connection) -> None:
        source_id, run_id = await a_run(connection)
        ids = await some_pages(connection, source_id, run_id, "/1", "/2", "/3")
        for why in ("once", "twice"):
            await connection.execute(statement, [{"page": page_id, "why": f"{why} {page_id}"} for page_id in ids])

    await db.write(work)
    rows = await rows_of(db, tables.pages)

    assert [(row.phase, row.failed_at, row.reason) for row in rows] == [
        ("failed", NOON, f"twice {row.id}") for row in rows
    ]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
async def test_what_is_prepared_is_what_sqlalchemy_writes_for_the_table(db: Database) -> None:
    row = {"page": 1, "phase": Phase.COMPLETED, "fetched_at": NOON}

    async def work(connection: Connection) -> tuple[str, str]:
        with statements() as sent:
            for _ in range(2):
                await pages.save(connection, [row])
        return sent[0], sent[1]

    by_sqlalchemy, prepared = await write(db, work)

    assert prepared == by_sqlalchemy == "UPDATE pages SET phase=?, fetched_at=? WHERE pages.id = ?"


async def test_a_statement_that_returns_rows_is_left_to_sqlalchemy(db: Database) -> None:
    statement = sa.insert(tables.hosts).returning(tables.hosts.c.key)

    async def work(connection: Connection) -> list[str]:
        found = []
        for key in "ab":
            found += [row.key for row in await connection.execute(statement, [_row(key), _row(key * 2)])]
        assert many_rows.of(statement, [_row("c")], connection.dialect) is None
        return found

    assert sorted(await db.write(work)) == ["a", "aa", "b", "bb"]
