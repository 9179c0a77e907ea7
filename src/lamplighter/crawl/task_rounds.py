"""Carries out the orders that are due: takes submitted pages into runs of their sources."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from lamplighter import telemetry
from lamplighter.crawl import effective
from lamplighter.crawl.bells import Bells
from lamplighter.crawl.finish import finish_done
from lamplighter.crawl.norms import windows_of
from lamplighter.crawl.planner import Planner
from lamplighter.crawl.scheduler import wake
from lamplighter.model.crawl import Trigger
from lamplighter.model.run_log import Action
from lamplighter.ports import Clock, Queue
from lamplighter.rules import frontier, window
from lamplighter.store import crawl_jobs, crawl_runs, host_times, hosts, page_orders, run_log, standstill
from lamplighter.store.database import Connection, Database, is_away
from lamplighter.store.page_orders import Due

log = telemetry.logger("tasks")
#: orders taken into runs in one transaction
_BATCH = 100
#: how long orders are left alone that could not be taken into a run
_ASIDE = timedelta(hours=1)


class _CannotBegin(Exception):
    """Orders that cannot be taken into a run, as the cause says."""

    def __init__(self, orders: Sequence[Due]) -> None:
        super().__init__([order.page_id for order in orders])
        self.orders = orders


class _Batch(NamedTuple):
    """What one look at the orders came to."""

    seen: int
    begun: int
    #: host -> the highest priority of what is to be asked there
    woken: Mapping[int, int] = MappingProxyType({})


class TaskRounds:
    """Answers one question: which submitted pages are to be asked for now?"""

    def __init__(
        self, db: Database, *, clock: Clock, queue: Queue, bells: Bells, planner: Planner, run_deadline: timedelta
    ) -> None:
        self._db = db
        self._clock = clock
        self._queue = queue
        self._bells = bells
        self._planner = planner
        self._run_deadline = run_deadline

    async def make_round(self) -> int:
        """Plans what runs have done, ends runs without pages, begins all orders that are due; returns how many."""
        await self._settle_recurring()
        await self._end_emptied()
        begun = 0
        while True:
            batch = await self._next_batch()
            begun += batch.begun
            if batch.begun:
                wake(self._queue, batch.woken)
            if batch.seen < _BATCH:
                return begun

    async def _settle_recurring(self) -> None:
        """A run of many pages may take an hour: what is to be visited every ten minutes does not wait for its end."""
        async with self._db.read() as db:
            going_on = await page_orders.open_task_runs(db)
        for run_id, began_at in going_on.items():
            await self._db.write(
                lambda db, run_id=run_id, since=began_at: page_orders.settle(  # type: ignore[misc]
                    db, run_id, since=since, only_recurring=True
                )
            )

    async def _end_emptied(self) -> None:
        async with self._db.read() as db:
            emptied = await page_orders.emptied_runs(db)
        for run_id in emptied:
            if await self._db.write(lambda db, run_id=run_id: self._end(db, run_id)):  # type: ignore[misc]
                self._bells.finished.ring()

    async def _end(self, db: Connection, run_id: int) -> list[int]:
        held = await crawl_runs.lock_open(db, [run_id])
        return await finish_done(db, held, now=self._clock.now(), planner=self._planner)

    async def _next_batch(self) -> _Batch:
        """One bad source does not stop the others: its orders are put aside, those chosen with them go on."""
        try:
            return await self._db.write(self._begin_batch)
        except _CannotBegin as error:
            bad, cause = error.orders, error.__cause__
        log.error("tasks.begin_failed", source=bad[0].source_id, pages=len(bad), exc_info=cause)
        until = self._clock.now() + _ASIDE
        await self._db.write(lambda db: page_orders.postpone(db, [order.page_id for order in bad], until=until))
        return _Batch(seen=_BATCH, begun=0)

    async def _begin_batch(self, db: Connection) -> _Batch:
        if await standstill.get(db) is not None:
            return _Batch(seen=0, begun=0)
        now = self._clock.now()
        chosen = await page_orders.due(db, now=now, limit=_BATCH)
        groups: dict[tuple[int, int], list[Due]] = defaultdict(list)
        for order in chosen:
            groups[order.source_id, order.host_id].append(order)
        begun, woken = 0, dict[int, int]()
        for (source_id, host_id), orders in sorted(groups.items()):
            try:
                count = await self._begin(db, source_id, host_id, orders, now=now)
            except Exception as error:
                if is_away(error):
                    raise
                raise _CannotBegin(orders) from error
            if count:
                begun += count
                woken[host_id] = max(woken.get(host_id, 0), *(order.priority for order in orders))
        return _Batch(seen=len(chosen), begun=begun, woken=woken)

    async def _begin(
        self, db: Connection, source_id: int, host_id: int, orders: Sequence[Due], *, now: datetime
    ) -> int:
        """Takes orders for one host into a run of their source, or puts them off until the host may be asked."""
        opening = await self._opening(db, source_id, host_id, now=now)
        if opening > now:
            await page_orders.postpone(db, [order.page_id for order in orders], until=opening)
            return 0
        run_id = await run_for(db, source_id, pages=len(orders), now=now, deadline=self._run_deadline)
        ranks = {order.page_id: frontier.rank(priority=order.priority, depth=order.depth) for order in orders}
        await page_orders.begin(db, run_id, ranks)
        await hosts.wake(db, [host_id], now=now)
        return len(orders)

    async def _opening(self, db: Connection, source_id: int, host_id: int, *, now: datetime) -> datetime:
        """When pages of this source may be asked for at this host: now, or when the windows of both next open."""
        job = await crawl_jobs.of_source(db, source_id)
        assert job is not None, "only sources with a crawl job are chosen"
        source = await effective.of_job(db, job, default=self._planner.norms.policy)
        host = (await host_times.many(db, [host_id])).get(host_id)
        return window.next_opening_of(windows_of(source, host), now) or now


async def run_for(
    db: Connection, source_id: int, *, pages: int, now: datetime, deadline: timedelta, bodies: int = 0
) -> int:
    """A run of the source that has room for so many submitted pages: the one that goes on, or a new one; its id."""
    job = await crawl_jobs.of_source(db, source_id)
    assert job is not None, "a source that takes submitted pages has a crawl job"
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is None or not await crawl_runs.lock_open(db, [going_on]):
        going_on = await _open(db, job.id, source_id, now=now, deadline=deadline)
    await page_orders.make_room(db, going_on, for_pages=pages, bodies=bodies)
    return going_on


async def _open(db: Connection, job_id: int, source_id: int, *, now: datetime, deadline: timedelta) -> int:
    """Opens a run without a start page; where its job stands is left as it is."""
    job = await crawl_jobs.lock(db, job_id)
    assert job is not None
    rival = await crawl_runs.open_of_job(db, job_id)  # opened while we waited for the job
    if rival is not None:
        return rival
    number = job.run_count + 1
    await crawl_jobs.change(db, job_id, now=now, run_count=number)
    run_id = await crawl_runs.add(
        db,
        job_id=job_id,
        source_id=source_id,
        number=number,
        trigger=Trigger.TASKS,
        now=now,
        deadline_at=now + deadline,
        page_budget=0,
        page_count=0,
        log_lines=1,
    )
    message = f"run {number} opened ({Trigger.TASKS}), for submitted pages only"
    opened = run_log.line(run_id, Action.RUN_OPENED, message, at=now, number=number, trigger=Trigger.TASKS)
    await run_log.write(db, [opened])
    return run_id
