"""Starts due tasks: adds submitted pages to runs of their sources."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from lamplighter import telemetry
from lamplighter.crawl.alerts.notice_writer import NoticeWriter
from lamplighter.crawl.planning import effective_source
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.planning.source_defaults import windows_of
from lamplighter.crawl.runs.run_finish import finish_done
from lamplighter.crawl.runs.scheduler import wake
from lamplighter.model.crawl import JobChange, Trigger
from lamplighter.model.run_log import LogAction
from lamplighter.ports import Clock, Queue
from lamplighter.rules.pages import frontier
from lamplighter.rules.schedule import window
from lamplighter.store.engine.database import Connection, Database, is_away
from lamplighter.store.fleet import crawl_pause
from lamplighter.store.hosts import host_times, hosts
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.pages import tasks
from lamplighter.store.pages.tasks import DueTask
from lamplighter.store.runs import crawl_runs, run_log
from lamplighter.store.sources import sources

log = telemetry.logger("tasks")
#: tasks added to runs in one transaction
_BATCH = 100
#: when tasks are tried again that could not be added to a run
_ASIDE = timedelta(hours=1)


class _CannotBegin(Exception):
    """Tasks that cannot be added to a run; see the cause."""

    def __init__(self, orders: Sequence[DueTask]) -> None:
        super().__init__([order.page_id for order in orders])
        self.orders = orders


class _Batch(NamedTuple):
    """The result of one transaction."""

    seen: int
    begun: int
    #: host -> the highest priority of its pages
    woken: Mapping[int, int] = MappingProxyType({})


class TaskRounds:
    """Decides which submitted pages are fetched now."""

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        queue: Queue,
        planner: Planner,
        notice_writer: NoticeWriter,
        run_deadline: timedelta,
    ) -> None:
        self._db = db
        self._clock = clock
        self._queue = queue
        self._planner = planner
        self._notice_writer = notice_writer
        self._run_deadline = run_deadline

    async def make_round(self) -> int:
        """Settles recurring tasks, ends runs without pages, starts all due tasks; returns how many."""
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
        """Settles recurring tasks of open runs: a short interval must not wait for the end of a long run."""
        async with self._db.read() as db:
            going_on = await tasks.open_task_runs(db)
        for run_id, began_at in going_on.items():
            await self._db.write(
                lambda db, run_id=run_id, since=began_at: tasks.settle(  # type: ignore[misc]
                    db, run_id, since=since, only_recurring=True
                )
            )

    async def _end_emptied(self) -> None:
        async with self._db.read() as db:
            emptied = await tasks.emptied_runs(db)
        for run_id in emptied:
            await self._db.write(lambda db, run_id=run_id: self._end(db, run_id))  # type: ignore[misc]

    async def _end(self, db: Connection, run_id: int) -> list[int]:
        held = await crawl_runs.lock_open(db, [run_id])
        now = self._clock.now()
        return await finish_done(db, held, now=now, planner=self._planner, notice_writer=self._notice_writer)

    async def _next_batch(self) -> _Batch:
        """Starts a batch; tasks of a bad source are postponed, and the others are tried again."""
        try:
            return await self._db.write(self._begin_batch)
        except _CannotBegin as error:
            bad, cause = error.orders, error.__cause__
        async with self._db.read() as db:
            whose = await sources.public_id(db, bad[0].source_id)
        log.error("tasks.begin_failed", source_id=whose, pages=len(bad), exc_info=cause)
        until = self._clock.now() + _ASIDE
        await self._db.write(lambda db: tasks.postpone(db, [order.page_id for order in bad], until=until))
        return _Batch(seen=_BATCH, begun=0)

    async def _begin_batch(self, db: Connection) -> _Batch:
        if await crawl_pause.get(db) is not None:
            return _Batch(seen=0, begun=0)
        now = self._clock.now()
        chosen = await tasks.due(db, now=now, limit=_BATCH)
        groups: dict[tuple[int, int], list[DueTask]] = defaultdict(list)
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
        self, db: Connection, source_id: int, host_id: int, orders: Sequence[DueTask], *, now: datetime
    ) -> int:
        """Adds tasks of one host to a run of their source, or postpones them until a window opens."""
        opening = await self._opening(db, source_id, host_id, now=now)
        if opening > now:
            await tasks.postpone(db, [order.page_id for order in orders], until=opening)
            return 0
        run_id = await run_for(db, source_id, pages=len(orders), now=now, deadline=self._run_deadline)
        ranks = {order.page_id: frontier.rank(priority=order.priority, depth=order.depth) for order in orders}
        await tasks.begin(db, run_id, ranks)
        await hosts.wake(db, [host_id], now=now)
        return len(orders)

    async def _opening(self, db: Connection, source_id: int, host_id: int, *, now: datetime) -> datetime:
        """When pages of this source and host may be fetched: now, or when the windows of both next open."""
        job = await crawl_jobs.of_source(db, source_id)
        assert job is not None, "only sources with a crawl job are chosen"
        source = await effective_source.of_job(db, job, default=self._planner.source_defaults.policy)
        host = (await host_times.many(db, [host_id])).get(host_id)
        return window.next_opening_of(windows_of(source, host), now) or now


async def run_for(
    db: Connection, source_id: int, *, pages: int, now: datetime, deadline: timedelta, bodies: int = 0
) -> int:
    """The id of a run of the source with room for so many submitted pages: the open one, or a new one."""
    job = await crawl_jobs.of_source(db, source_id)
    assert job is not None, "a source that takes submitted pages has a crawl job"
    going_on = await crawl_runs.open_of_job(db, job.id)
    if going_on is None or not await crawl_runs.lock_open(db, [going_on]):
        going_on = await _open(db, job.id, source_id, now=now, deadline=deadline)
    await tasks.make_room(db, going_on, for_pages=pages, bodies=bodies)
    return going_on


async def _open(db: Connection, job_id: int, source_id: int, *, now: datetime, deadline: timedelta) -> int:
    """Opens a run without a start page; its job's state does not change."""
    job = await crawl_jobs.lock(db, job_id)
    assert job is not None
    rival = await crawl_runs.open_of_job(db, job_id)  # opened while we waited for the job
    if rival is not None:
        return rival
    number = job.run_count + 1
    await crawl_jobs.change(db, job_id, JobChange(run_count=number), now=now)
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
    opened = run_log.line(run_id, LogAction.RUN_OPENED, message, at=now, number=number, trigger=Trigger.TASKS)
    await run_log.write(db, [opened])
    return run_id
