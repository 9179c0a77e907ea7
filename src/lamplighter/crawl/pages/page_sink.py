"""Stores results of pages in batches, each in one transaction."""

from collections.abc import Callable, Sequence

from lamplighter import crash_points
from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fetching.page_versioning import BodiesLost
from lamplighter.crawl.fetching.page_visits import RetryLimits
from lamplighter.crawl.pages.page_commit import PageCommit
from lamplighter.crawl.pages.page_results import PageResult
from lamplighter.crawl.pages.reading_rows import was_read
from lamplighter.crawl.process import spans
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.model.host import Host
from lamplighter.ports import Clock, Queue
from lamplighter.store.engine.database import Database

#: hosts whose stored state is remembered
_SAVED_HOSTS = 10_000
#: hears of a batch that is stored
Settled = Callable[[Sequence[PageResult], PageCommit], None]


class PageSink:
    """Commits batches of results."""

    def __init__(
        self,
        db: Database,
        *,
        archiving: BodyArchiving,
        clock: Clock,
        tools: RunTools,
        limits: RetryLimits,
        queue: Queue,
        settled: Settled,
    ) -> None:
        self._db = db
        self._archiving = archiving
        self._clock = clock
        self._tools = tools
        self._limits = limits
        self._queue = queue
        self._settled = settled
        #: hosts as last stored, so that an unchanged host costs no write
        self._saved_hosts: dict[int, Host] = {}

    async def commit(self, batch: Sequence[PageResult]) -> None:
        """Stores a batch, then notifies the waiting phases."""
        batch, commit = await self._written(batch)
        spans.of_results(batch, commit.runs, began_at=commit.now, now=self._clock.now())
        self._archiving.stored([result.visited for result in batch if result.visited is not None])
        if len(self._saved_hosts) > _SAVED_HOSTS:
            self._saved_hosts.clear()
        self._saved_hosts |= commit.learnt
        crash_points.reached("store.after_commit")
        if commit.downloads:
            crash_points.reached("fetch.after_commit")
        self._remember(batch, commit)
        self._settled(batch, commit)
        leased = {result.visited.page.id for result in batch if result.visited is not None and result.lease}
        if others := [page.id for page in commit.downloads if page.id not in leased]:
            self._queue.offer_pages(others)
        if commit.finished:
            crash_points.reached("finish.after_commit")

    async def _written(self, batch: Sequence[PageResult]) -> tuple[Sequence[PageResult], PageCommit]:
        while True:
            commit = PageCommit(
                now=self._clock.now(), limits=self._limits, saved_hosts=self._saved_hosts, tools=self._tools
            )
            try:
                await self._db.write(lambda db, commit=commit, batch=batch: commit.write(db, batch))  # type: ignore[misc]
            except BodiesLost as error:
                batch = await self._kept_again(batch, error.hashes)
            else:
                return batch, commit

    async def _kept_again(self, batch: Sequence[PageResult], lost: frozenset[str]) -> list[PageResult]:
        """Archives bodies once more that were known, and are not in the database."""
        without = [
            result.visited for result in batch if result.visited is not None and result.visited.body_hash in lost
        ]
        kept = {visited.page.id: visited for visited in await self._archiving.keep(without, lost=lost)}
        return [
            result._replace(visited=kept.get(result.visited.page.id, result.visited)) if result.visited else result
            for result in batch
        ]

    def _remember(self, batch: Sequence[PageResult], commit: PageCommit) -> None:
        memory, readings = self._tools.memory, commit.readings
        for run_id, urls in readings.offered.items():
            memory.offered(run_id, urls)
        for _, reading, _ in batch:
            if reading is not None and was_read(reading.result):
                page, content_hash = reading.page, reading.result.content_hash
                memory.read(page.run_id, content_hash, brought_records=page.id in readings.fruitful)
        for run_id in commit.finished:
            memory.forget(run_id)
