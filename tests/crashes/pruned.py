"""A database with old rows that are to be deleted, in more steps than one, and young ones that are to stay."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from lamplighter.crawl.fleet.pruning import AT_ONCE
from lamplighter.model.crawl import JobState
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from tests.crashes.installation import Installation, Places
from tests.crashes.situations import Situation
from tests.crashes.snapshot import Snapshot
from tests.store.given_rows import a_run

#: of each kind; two steps and some
_OLD, _YOUNG = 2 * AT_ONCE + 50, 7
_LONG_AGO = timedelta(days=400)
#: when each of them was written
_TIMES = (tables.run_log_lines.c.at, tables.events.c.created_at, tables.receipts.c.processed_at)


class Pruned(Situation):
    """Log lines, events and receipts of a year ago."""

    name = "pruned"
    points = frozenset({"prune.after_step"})

    @classmethod
    @asynccontextmanager
    async def open(cls, folder: Path, kind: str, places: Places, *, is_empty: bool) -> AsyncIterator["Pruned"]:
        url = await places.database(kind, folder, is_empty=is_empty)
        async with Installation(folder, url, lease=places.lease) as installation:
            yield cls(installation, ())

    async def begin(self) -> None:
        now = self.installation.now()
        await self.installation.db.write(lambda db: _fill(db, now=now))

    async def is_settled(self) -> bool:
        old = self.installation.now() - _LONG_AGO / 2
        return not any([await self._count(time < old, of=time.table) for time in _TIMES])

    async def snapshot(self) -> Snapshot:
        seen = await super().snapshot()
        return seen | {f"rows of {time.table}": [(await self._count(sa.true(), of=time.table),)] for time in _TIMES}

    async def _count(self, which: sa.ColumnElement[bool], *, of: sa.FromClause) -> int:
        (row,) = await self.installation.rows(sa.select(sa.func.count()).select_from(of).where(which))
        return int(row[0])


async def _fill(db: Connection, *, now: datetime) -> None:
    _, run_id = await a_run(db)
    await db.execute(sa.update(tables.crawl_runs).values(started_at=now, finished_at=now, outcome="ok"))
    # Nobody visits its source, and of its own events none is left to deliver.
    await db.execute(sa.update(tables.sources).values(enabled=False))
    await db.execute(sa.update(tables.crawl_jobs).values(state=JobState.PAUSED, next_run_at=None))
    await db.execute(sa.update(tables.events).values(created_at=now, delivered_at=now))
    times = [now - _LONG_AGO] * _OLD + [now] * _YOUNG
    lines = [{"run_id": run_id, "at": at, "level": "info", "category": "test", "message": "test"} for at in times]
    await db.execute(sa.insert(tables.run_log_lines), lines)
    await db.execute(sa.insert(tables.events), [_event(number, at) for number, at in enumerate(times)])
    receipts = [{"event_id": _event(number, at)["event_id"], "processed_at": at} for number, at in enumerate(times)]
    await db.execute(sa.insert(tables.receipts), receipts)


def _event(number: int, at: datetime) -> dict[str, Any]:
    return {"event_id": f"event-{number}", "type": "TEST", "payload": {}, "created_at": at, "delivered_at": at}
