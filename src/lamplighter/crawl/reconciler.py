"""Compares every crawl job with its source, whatever events said, were lost or came twice."""

from collections import Counter

from lamplighter import telemetry
from lamplighter.crawl import job_keeper
from lamplighter.crawl.job_change import Became
from lamplighter.crawl.norms import Norms
from lamplighter.ports import Clock
from lamplighter.store import sources
from lamplighter.store.database import Database

log = telemetry.logger("reconciler")
#: sources looked at together
_BATCH = 500


class Reconciler:
    """One round over all sources at a time."""

    def __init__(self, db: Database, *, clock: Clock, norms: Norms) -> None:
        self._db = db
        self._clock = clock
        self._norms = norms

    async def reconcile(self) -> int:
        """Matches all jobs, and returns how many sources there were; one bad source does not stop the others."""
        seen, after, became = 0, 0, Counter[Became]()
        while True:
            async with self._db.read() as db:
                ids = await sources.ids_after(db, after, limit=_BATCH)
                unlike = await job_keeper.unmatched(db, ids, norms=self._norms, now=self._clock.now())
            if not ids:
                break
            if unlike:
                became += await self._matched(unlike)
            seen, after = seen + len(ids), ids[-1]
        if became:
            log.info("reconcile.matched", sources=seen, **{str(each): count for each, count in became.items()})
        return seen

    async def _matched(self, ids: list[int]) -> Counter[Became]:
        try:
            return await self._match(ids)
        except Exception:
            became = Counter[Became]()
            for source_id in ids:
                became += await self._try(source_id)
            return became

    async def _match(self, ids: list[int]) -> Counter[Became]:
        now = self._clock.now()
        matched = await self._db.write(lambda db: job_keeper.match_many(db, ids, norms=self._norms, now=now))
        return Counter(matched.values())

    async def _try(self, source_id: int) -> Counter[Became]:
        try:
            return await self._match([source_id])
        except Exception:
            log.exception("reconcile.failed", source=source_id)
            return Counter()
