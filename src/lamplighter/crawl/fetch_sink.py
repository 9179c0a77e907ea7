"""Where answers become durable: bodies into the archive, then pages, hosts and runs in one transaction."""

from collections.abc import Callable, Mapping, Sequence

from lamplighter import crash_points, telemetry
from lamplighter.crawl import spans
from lamplighter.crawl.answers import Answer, Limits, ParseLease
from lamplighter.crawl.archiving import Archiving
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.fetch_flush import Flush
from lamplighter.crawl.planner import Planner
from lamplighter.crawl.run_memory import RunMemory
from lamplighter.crawl.versioning import BodiesLost
from lamplighter.model.host import Host
from lamplighter.model.page import HeldBody
from lamplighter.model.run_log import Keeping
from lamplighter.ports import Clock
from lamplighter.store.database import Database
from lamplighter.store.pages import Downloaded

log = telemetry.logger("fetch")
#: hosts whose stored state is remembered
_SAVED_HOSTS = 10_000
_BY_DEFAULT = Keeping()


class FetchSink:
    """Commits batches of answers."""

    def __init__(
        self,
        db: Database,
        *,
        archiving: Archiving,
        clock: Clock,
        bells: Bells,
        memory: RunMemory,
        planner: Planner,
        limits: Limits,
        keeping: Keeping = _BY_DEFAULT,
        hand_over: Callable[[int], ParseLease | None],
        settled: Callable[[Sequence[Answer], Mapping[int, HeldBody], set[int]], None],
        downloaded: Callable[[Sequence[Downloaded], bool], None],
    ) -> None:
        self._db = db
        self._archiving = archiving
        self._clock = clock
        self._bells = bells
        self._memory = memory
        self._planner = planner
        self._limits = limits
        self._keeping = keeping
        self._hand_over = hand_over
        self._settled = settled
        self._downloaded = downloaded
        #: hosts as last stored, so that a host about which nothing new was learnt costs no write
        self._saved_hosts: dict[int, Host] = {}

    async def commit(self, batch: Sequence[Answer]) -> None:
        """Makes a batch durable, then tells those who wait for it."""
        crash_points.reached("fetch.after_response")
        flush = await self._written(batch)
        spans.of_answers(batch, flush.runs, began_at=flush.now, now=self._clock.now())
        if len(self._saved_hosts) > _SAVED_HOSTS:
            self._saved_hosts.clear()
        self._saved_hosts |= flush.learnt
        crash_points.reached("fetch.after_commit")
        self._settled(batch, flush.bodies, flush.woken)
        if flush.downloads:
            self._downloaded(flush.downloads, flush.lease is not None)
        if flush.finished:
            crash_points.reached("finish.after_commit")
            for run_id in flush.finished:
                self._memory.forget(run_id)
            self._bells.finished.ring()

    async def _written(self, batch: Sequence[Answer]) -> Flush:
        lost: frozenset[str] = frozenset()
        while True:
            brought = await self._archiving.keep(((answer.page, answer.visit) for answer in batch), lost=lost)
            crash_points.reached("fetch.after_archive")
            flush = Flush(
                now=self._clock.now(),
                brought=brought,
                limits=self._limits,
                lease=self._hand_over(len(brought.hashes)),
                saved_hosts=self._saved_hosts,
                planner=self._planner,
                keeping=self._keeping,
            )
            try:
                await self._db.write(lambda db, flush=flush: flush.write(db, batch))  # type: ignore[misc]
            except BodiesLost as error:
                lost |= error.hashes
            else:
                return flush
