"""What may be a little old is read once for all who ask."""

import asyncio
from datetime import timedelta

import pytest

from lamplighter.store.engine.cached_query import CachedQuery
from lamplighter.store.engine.database import Connection, Database
from tests.clocks import At
from tests.crawl.runs.due_jobs import on_sqlite


class _Counted:
    """Says how often it was looked at; the first look fails when it is told to."""

    def __init__(self, *, fails_first: bool = False) -> None:
        self.looks = 0
        self._fails_first = fails_first

    async def look(self, _: Connection) -> int:
        self.looks += 1
        if self._fails_first and self.looks == 1:
            raise OSError("the database is away")
        return self.looks


@on_sqlite
async def test_one_looks_and_all_others_wait_for_it(db: Database) -> None:
    counted, clock = _Counted(), At()
    recent = CachedQuery(db, counted.look, seconds=5, clock=clock)

    first = await asyncio.gather(*(recent.get() for _ in range(20)))
    clock.at += timedelta(seconds=5)
    still = await recent.get()
    clock.at += timedelta(seconds=1)
    later = await asyncio.gather(*(recent.get() for _ in range(20)))

    assert (set(first), still, set(later)) == ({1}, 1, {2})


@on_sqlite
async def test_a_look_that_failed_is_no_answer(db: Database) -> None:
    recent = CachedQuery(db, _Counted(fails_first=True).look, seconds=5, clock=At())

    with pytest.raises(OSError, match="away"):
        await recent.get()

    assert await recent.get() == 2


async def test_what_is_forgotten_while_a_query_is_under_way_is_queried_again(db: Database) -> None:
    answers = iter(["old", "new"])

    async def look(_: Connection) -> str:
        answer = next(answers)
        if answer == "old":
            cached.forget()
        return answer

    cached = CachedQuery(db, look, seconds=60, clock=At())

    assert await cached.get() == "new"
