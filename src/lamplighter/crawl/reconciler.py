"""Compares every crawl job with its source, whatever events said, were lost or came twice."""

from lamplighter import telemetry
from lamplighter.crawl import job_keeper
from lamplighter.crawl.norms import Norms
from lamplighter.ports import Clock
from lamplighter.store import sources
from lamplighter.store.database import Connection, Database

log = telemetry.logger("reconciler")
#: sources matched in one transaction
_BATCH = 200


class Reconciler:
    """One round over all sources at a time."""

    def __init__(self, db: Database, *, clock: Clock, norms: Norms) -> None:
        self._db = db
        self._clock = clock
        self._norms = norms

    async def reconcile(self) -> int:
        """Matches all jobs, and returns how many sources there were; one bad source does not stop the others."""
        seen, after = 0, 0
        while True:
            async with self._db.read() as db:
                ids = await sources.ids_after(db, after, limit=_BATCH)
            if not ids:
                return seen
            try:
                await self._db.write(lambda db, ids=ids: self._match(db, ids))  # type: ignore[misc]
            except Exception:
                for source_id in ids:
                    await self._try(source_id)
            seen, after = seen + len(ids), ids[-1]

    async def _match(self, db: Connection, ids: list[int]) -> None:
        for source_id in ids:
            await job_keeper.match(db, source_id, norms=self._norms, now=self._clock.now())

    async def _try(self, source_id: int) -> None:
        try:
            await self._db.write(lambda db: self._match(db, [source_id]))
        except Exception:
            log.exception("reconcile.failed", source=source_id)
