"""What the service does by itself costs the same however long it has been at work."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.site.filled_database import fill
from lamplighter import app
from lamplighter.app.background import loops_of
from lamplighter.store.engine.database import Database
from lamplighter.store.schema.tables import crawl_jobs
from tests.service.in_process import quick_settings

#: instructions of SQLite's machine after which it is looked which statement they belong to
GRAIN = 100
#: what a statement may take whatever it is about, and by how much more there may be to do with ten times the history
FLOOR, GROWTH = 5_000, 3


@contextmanager
def instructions() -> Iterator[Counter[str]]:
    """How many instructions of SQLite's machine each statement takes meanwhile, on connections opened meanwhile."""
    spent: Counter[str] = Counter()
    latest: dict[int, str] = {}

    def watch(connection: Any, _: object) -> None:
        def count() -> int:
            spent[latest.get(id(connection), "")] += GRAIN
            return 0

        connection.set_progress_handler(count, GRAIN)

    def note(c: sa.Connection, _cursor: object, statement: str, _p: object, _x: object, _many: bool) -> None:
        latest[id(c.connection.dbapi_connection)] = statement

    sa.event.listen(sa.Engine, "connect", watch)
    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield spent
    finally:
        sa.event.remove(sa.Engine, "connect", watch)
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


async def spent_on_a_round(folder: Path, *, runs: int, pages: int) -> Counter[str]:
    """By statement: every loop steps once, after a round in which it caught up with what it found."""
    settings = quick_settings(folder, keep_run_days=365)
    async with Database(f"sqlite:///{folder}/lamplighter.db") as db:
        await fill(db, sources=100, pages=pages, runs=runs)
        # Nothing is due, so that nobody is asked.
        await db.write(lambda connection: connection.execute(sa.update(crawl_jobs).values(next_run_at=None)))
    with instructions() as spent:
        async with app.open_service(settings, kind="serve") as service:
            loops = loops_of(service)
            for loop in loops:
                await loop.step()
            spent.clear()
            for loop in loops:
                await loop.step()
            return +spent


async def test_no_loop_does_more_because_there_were_more_runs_and_pages(tmp_path: Path) -> None:
    young, old = tmp_path / "young", tmp_path / "old"
    before = await spent_on_a_round(young, runs=10, pages=1_000)
    after = await spent_on_a_round(old, runs=100, pages=20_000)

    grown = {text: (before[text], count) for text, count in after.items() if count > GROWTH * before[text] + FLOOR}
    assert grown == {}
