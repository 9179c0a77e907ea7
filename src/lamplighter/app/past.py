"""Lets a service live through days that are over: its own scheduler, crawl and alerts, on virtual time.

Its sites answer in this process, at the time of its clock. The clock goes from one due job to the next; of the
background loops only those have their turn whose work these days would have shown.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from lamplighter.adapters.virtual_time import VirtualTime
from lamplighter.app.service import Service, open_service
from lamplighter.app.virtual import Virtual
from lamplighter.crawl.process.loops import Step
from lamplighter.fetch.transfer import Wire
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.hosts import host_times
from lamplighter.store.jobs import crawl_jobs

#: alerts are looked at no more rarely than this
_LONGEST_STEP = timedelta(hours=6)
#: how often it is looked whether the open runs have ended; after so many looks those are ended that cannot end
_LOOK_SECONDS, _SWEEP_LOOKS = 1.0, 600

#: the sites, by a function that tells the time
Web = Callable[[Callable[[], datetime]], Wire]


class Act(NamedTuple):
    """What somebody does to the service, and when."""

    at: datetime
    does: Callable[[Service], Awaitable[None]]


def live(
    settings: Settings,
    web: Web,
    *,
    since: datetime,
    acts: Sequence[Act],
    hosts: Sequence[str],
    may_go_on: Callable[[Connection], Coroutine[Any, Any, bool]],
) -> None:
    """Opens a service at `since`, and lets it live from act to act; once it may not go on, it does the rest at once.

    `hosts` are those of the web, which may be asked although they are on loopback.
    """
    loop = VirtualTime()

    async def whole() -> None:
        virtual = Virtual(loop, web, start=since)
        async with open_service(settings, also_allow=hosts, virtual=virtual) as service:
            await _Past(service, virtual, acts=acts, may_go_on=may_go_on).pass_by()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(whole())


class _Past:
    def __init__(
        self,
        service: Service,
        virtual: Virtual,
        *,
        acts: Sequence[Act],
        may_go_on: Callable[[Connection], Coroutine[Any, Any, bool]],
    ) -> None:
        self._service = service
        self._clock, self._loop = virtual.clock, virtual.loop
        self._acts = acts
        self._may_go_on = partial(service.db.look, may_go_on)
        self._daily: tuple[Step, ...] = (
            service.leading.cohort_keeper.gather_if_old,
            service.leading.activity_keeper.look_if_due,
            service.leading.pricer.reprice_if_old,
        )
        self._next_day = self._clock.now()

    async def pass_by(self) -> None:
        """Lives until the last act is done."""
        self._service.loops = []
        phases = asyncio.create_task(self._service.run())
        try:
            for act in self._acts:
                await self._live_until(act.at)
                await act.does(self._service)
        finally:
            with self._loop.real_work():
                self._service.stopping.set()
                await phases

    async def _live_until(self, moment: datetime) -> None:
        while await self._may_go_on():
            await self._live_now()
            if self._clock.now() >= moment:
                return
            await self._go_on(moment)

    async def _live_now(self) -> None:
        """Does what is due."""
        service = self._service
        await service.fleet.membership.beat()
        await service.events.deliver.deliver_all()
        if self._clock.now() >= self._next_day:
            self._next_day += timedelta(days=1)
            for step in self._daily:
                await step()
        await service.leading.janitor.sweep()
        await service.leading.scheduler.open_due()
        looks = 0
        while await service.db.look(self._is_busy):
            await asyncio.sleep(_LOOK_SECONDS)
            looks += 1
            if looks % _SWEEP_LOOKS == 0:
                await service.leading.janitor.sweep()
        await service.notifying.watch.keep()
        await service.notifying.hand_out.hand_out()

    async def _is_busy(self, db: Connection) -> bool:
        return bool((await host_times.open_runs(db, now=self._clock.now())).by_host)

    async def _go_on(self, moment: datetime) -> None:
        """Sets the clock to when the next job is due, or to that moment."""
        now = self._clock.now()
        latest = min(now + _LONGEST_STEP, moment)
        due = await self._service.db.look(lambda db: crawl_jobs.next_due_at(db, now=now, until=latest))
        at = due or latest
        self._clock.set(at)
        # Nothing was due meanwhile: nobody was away.
        await self._service.db.write(lambda db: upkeep.note(db, Upkeep.LOOK, now=at))
