"""Reads the next pages of hosts: on SQLite for all rounds together that need more at the same time.

There a query takes less than the hop to the thread that runs it. PostgreSQL answers several rounds at once.
"""

from collections.abc import Mapping

from lamplighter.model.page import Page
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.engine.shared_query import SharedQuery
from lamplighter.store.pages import pages


class DuePages:
    """The pages that hosts are to be asked for next."""

    def __init__(self, db: Database, *, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._query: SharedQuery[int, list[Page]] = SharedQuery(db, self._look)

    async def of(self, host_id: int, *, limit: int) -> list[Page]:
        """The next pages of a host, in their order."""
        if self._db.is_sqlite:
            return await self._query.get(host_id, limit) or []
        return await self._db.look(lambda db: pages.due(db, host_id, now=self._clock.now(), limit=limit))

    async def _look(self, db: Connection, wanted: Mapping[int, int]) -> dict[int, list[Page]]:
        now = self._clock.now()
        return {host_id: await pages.due(db, host_id, now=now, limit=limit) for host_id, limit in wanted.items()}
