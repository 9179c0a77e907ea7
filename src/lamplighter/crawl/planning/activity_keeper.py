"""Finds out how busy hosts are, and brings visits forward where the visits to their siblings found changes."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lamplighter import telemetry
from lamplighter.crawl.planning.planner import Planner
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import host_activity, host_times
from lamplighter.store.hosts.host_activity import CrowdedHost, Sibling, StoredActivity
from lamplighter.store.jobs import crawl_jobs

if TYPE_CHECKING:
    from lamplighter.crawl.planning.activity_looks import Moment

log = telemetry.logger("activity")
#: a host with fewer sources tells too little
LEAST_SOURCES = 4
#: in look-backs: how far back the visit before a visit is searched
_BEFORE = 4


class ActivityKeeper:
    """Looks at each host with several sources once in an epoch."""

    def __init__(self, db: Database, *, clock: Clock, planner: Planner) -> None:
        self._db = db
        self._clock = clock
        self._planner = planner

    async def look_if_due(self) -> int:
        """Looks at the hosts whose epoch is over, and returns how many visits came forward."""
        now, moved = self._clock.now(), 0
        async with self._db.read() as db:
            crowded = await host_activity.crowded(db, sources=LEAST_SOURCES)
        if not crowded:
            return 0
        from lamplighter.rules.change import activity  # loads a library of arrays

        for host in crowded:
            mean_hours = host.sources / host.pace / 3600
            epoch = activity.epoch_hours(mean_hours)
            if host.looked_at is None or now - host.looked_at >= timedelta(hours=epoch):
                moved += await self._look(host, mean_hours, epoch, now)
        return moved

    async def _look(self, host: CrowdedHost, mean_hours: float, epoch: float, now: datetime) -> int:
        from lamplighter.crawl.planning import activity_looks

        async with self._db.read() as db:
            moment = await moment_of(db, host, mean_hours=mean_hours, epoch=epoch, now=now)
            price = (await self._planner.outlooks.latest(db, now=now)).price(host.id)
            times = (await host_times.many(db, [host.id])).get(host.id)
        polite = self._planner.source_defaults.polite_per_hour(times) if times is not None else 0.0
        found, chosen = activity_looks.looked(moment, price=price, polite_per_hour=polite)
        return await self._db.write(lambda db: self._save(db, moment, found, chosen))

    async def _save(
        self, db: Connection, moment: "Moment", found: StoredActivity, chosen: Sequence[tuple[Sibling, float]]
    ) -> int:
        """Stores the activity, and announces changes to the chosen ones, spread over the epoch."""
        await host_activity.save(db, found)
        told, moved = moment.told() if chosen else {}, 0
        for number, (sibling, signal) in enumerate(chosen):
            job = await crawl_jobs.lock(db, sibling.id)
            if job is None or job.learnt is None or job.learnt.signal or job.next_run_at != sibling.next_run_at:
                continue
            at = moment.now + timedelta(hours=moment.epoch) * ((number + 0.5) / len(chosen))
            change = await self._planner.after_announcement(db, job, probability=signal, now=at, siblings=told)
            await crawl_jobs.change(db, job.id, change, now=moment.now)
            moved += 1
        if moved:
            log.info("siblings.told", host=moment.host.id, jobs=moved, **told)
        return moved


async def moment_of(db: Connection, host: CrowdedHost, *, mean_hours: float, epoch: float, now: datetime) -> "Moment":
    """What is known of a host."""
    from lamplighter.crawl.planning.activity_looks import Moment
    from lamplighter.rules.change import activity

    look_back = timedelta(hours=activity.LOOK_BACK * mean_hours)
    return Moment(
        host=host,
        now=now,
        mean_hours=mean_hours,
        epoch=epoch,
        siblings=await host_activity.siblings(db, host.id),
        visits=await host_activity.visits(db, host.id, since=now - look_back, earliest=now - _BEFORE * look_back),
        before=await host_activity.of_host(db, host.id),
    )
