"""Compares every crawl job with its source, so that lost or repeated events do no harm."""

from collections import Counter

from lamplighter import telemetry
from lamplighter.crawl.jobs import job_keeper
from lamplighter.crawl.jobs.job_change import JobChangeResult
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Database
from lamplighter.store.sources import sources

log = telemetry.logger("reconciler")
#: sources checked together
_BATCH = 500


class Reconciler:
    """Matches the jobs of all sources."""

    def __init__(self, db: Database, *, clock: Clock, source_defaults: SourceDefaults) -> None:
        self._db = db
        self._clock = clock
        self.source_defaults = source_defaults

    async def reconcile(self) -> int:
        """Matches all jobs and returns the number of sources; one bad source does not stop the others."""
        seen, after, became = 0, 0, Counter[JobChangeResult]()
        while True:
            async with self._db.read() as db:
                ids = await sources.ids_after(db, after, limit=_BATCH)
                unlike = await job_keeper.unmatched(
                    db, ids, source_defaults=self.source_defaults, now=self._clock.now()
                )
            if not ids:
                break
            if unlike:
                became += await self._matched(unlike)
            seen, after = seen + len(ids), ids[-1]
        if became:
            log.info("reconcile.matched", sources=seen, **{str(each): count for each, count in became.items()})
        return seen

    async def _matched(self, ids: list[int]) -> Counter[JobChangeResult]:
        try:
            return await self._match(ids)
        except Exception:
            became = Counter[JobChangeResult]()
            for source_id in ids:
                became += await self._try(source_id)
            return became

    async def _match(self, ids: list[int]) -> Counter[JobChangeResult]:
        now = self._clock.now()
        matched = await self._db.write(
            lambda db: job_keeper.match_many(db, ids, source_defaults=self.source_defaults, now=now)
        )
        return Counter(matched.values())

    async def _try(self, source_id: int) -> Counter[JobChangeResult]:
        try:
            return await self._match([source_id])
        except Exception:
            async with self._db.read() as db:
                log.exception("reconcile.failed", source_id=await sources.public_id(db, source_id))
            return Counter()
