"""Stores visits: bodies in the archive, then pages, hosts and runs in one transaction."""

from collections.abc import Callable, Mapping, Sequence

from lamplighter import crash_points, telemetry
from lamplighter.crawl.fetching.body_archiving import BodyArchiving
from lamplighter.crawl.fetching.fetch_commit import FetchCommit
from lamplighter.crawl.fetching.page_versioning import BodiesLost
from lamplighter.crawl.fetching.page_visits import PageVisit, ParseLease, RetryLimits
from lamplighter.crawl.process import spans
from lamplighter.crawl.reading.parse_phase import ParsePhase
from lamplighter.crawl.runs.run_memory import RunTools
from lamplighter.model.host import Host
from lamplighter.model.page import HeldBody
from lamplighter.ports import Clock, Queue
from lamplighter.store.engine.database import Database
from lamplighter.store.pages.pages import Downloaded

log = telemetry.logger("fetch")
#: hosts whose stored state is remembered
_SAVED_HOSTS = 10_000


class Handover:
    """Passes fetched pages to a parse phase: that of this process while it has room, else that of any process."""

    def __init__(self, parse_phase: ParsePhase | None, *, queue: Queue) -> None:
        #: of this process; None if it does not parse
        self._parse_phase = parse_phase
        self._queue = queue

    def lease(self, count: int) -> ParseLease | None:
        """The lease under which this process parses `count` more pages at once; None when other processes may."""
        return self._parse_phase.take_on(count) if self._parse_phase is not None else None

    def pass_on(self, stored: Sequence[Downloaded], lease: ParseLease | None) -> None:
        """Passes on pages stored with this lease, or none."""
        if lease is not None and self._parse_phase is not None:
            self._parse_phase.offer(stored)
        else:
            self._queue.offer_pages(page.id for page in stored)


class FetchSink:
    """Commits batches of visits."""

    def __init__(
        self,
        db: Database,
        *,
        archiving: BodyArchiving,
        clock: Clock,
        tools: RunTools,
        limits: RetryLimits,
        handover: Handover,
        settled: Callable[[Sequence[PageVisit], Mapping[int, HeldBody], set[int]], None],
    ) -> None:
        self._db = db
        self._archiving = archiving
        self._clock = clock
        self._tools = tools
        self._limits = limits
        self._handover = handover
        self._settled = settled
        #: hosts as last stored, so that an unchanged host costs no write
        self._saved_hosts: dict[int, Host] = {}

    async def commit(self, batch: Sequence[PageVisit]) -> None:
        """Stores a batch, then notifies fetch and parse phase."""
        crash_points.reached("fetch.after_response")
        flush = await self._written(batch)
        spans.of_visits(batch, flush.runs, began_at=flush.now, now=self._clock.now())
        if len(self._saved_hosts) > _SAVED_HOSTS:
            self._saved_hosts.clear()
        self._saved_hosts |= flush.learnt
        crash_points.reached("fetch.after_commit")
        self._settled(batch, flush.bodies, flush.woken)
        if flush.downloads:
            self._handover.pass_on(flush.downloads, flush.lease)
        if flush.finished:
            crash_points.reached("finish.after_commit")
            for run_id in flush.finished:
                self._tools.memory.forget(run_id)

    async def _written(self, batch: Sequence[PageVisit]) -> FetchCommit:
        lost: frozenset[str] = frozenset()
        while True:
            brought = await self._archiving.keep(((visited.page, visited.visit) for visited in batch), lost=lost)
            crash_points.reached("fetch.after_archive")
            flush = FetchCommit(
                now=self._clock.now(),
                brought=brought,
                limits=self._limits,
                lease=self._handover.lease(len(brought.hashes)),
                saved_hosts=self._saved_hosts,
                tools=self._tools,
            )
            try:
                await self._db.write(lambda db, flush=flush: flush.write(db, batch))  # type: ignore[misc]
            except BodiesLost as error:
                lost |= error.hashes
            else:
                return flush
