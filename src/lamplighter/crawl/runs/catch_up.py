"""Spreads overdue jobs after a time without scheduling, so that they do not all run at once.

A last scheduler round in the future means that the clock was set back: hosts then wait as long as by the old clock,
and not until the new clock reaches the same time again.

The cause does not matter: the machine slept, the service was off, crawling was paused, or the database was restored
from an old backup. The time of the last round is in the database, so a restore sets it back too.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from lamplighter import telemetry
from lamplighter.model.host import HostPolicy
from lamplighter.ports import Clock
from lamplighter.rules.schedule import catch_up
from lamplighter.rules.schedule.catch_up import CatchUpTime, Overdue
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import crawl_pause, upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.hosts import host_times
from lamplighter.store.jobs import job_load
from lamplighter.store.jobs.job_load import Postponed
from lamplighter.store.runs import crawl_runs

log = telemetry.logger("scheduler")
#: how often a scheduler round is noted
_NOTED_EVERY = timedelta(minutes=1)
#: jobs moved in one transaction
_AT_ONCE = 500


class CatchUp:
    """Runs before the scheduler reads due jobs."""

    def __init__(self, db: Database, *, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        #: by this process
        self._noted_at: datetime | None = None

    async def look(self, *, defaults: HostPolicy) -> int:
        """Spreads overdue jobs if no scheduler ran for long; returns how many have to wait.

        `defaults` are for hosts that have no policy of their own.
        """
        now = self._clock.now()
        # abs(): after the clock was set back, rounds must still be noted.
        if self._noted_at is not None and abs(now - self._noted_at) < _NOTED_EVERY:
            return 0
        async with self._db.read() as db:
            if await crawl_pause.get(db) is not None:
                return 0  # no run is opened: for the jobs that is as if no scheduler ran
            last = await _last_look(db)
        away = now - last if last is not None else timedelta(0)
        waiting = await self._spread(away, now=now) if away > catch_up.PATIENCE else 0
        if away < -_NOTED_EVERY:
            await self._set_back(-away, now=now, defaults=defaults)
        # Last, so that after a crash the next process continues with the jobs still overdue.
        await self._db.write(lambda db: upkeep.note(db, Upkeep.LOOK, now=now))
        self._noted_at = now
        return waiting

    async def _spread(self, away: timedelta, *, now: datetime) -> int:
        async with self._db.read() as db:
            rows = await job_load.missed(db, now=now)
        overdue = [Overdue(row.id, row.next_run_at, timedelta(seconds=row.pace_seconds), row.urgency) for row in rows]
        later = [turn for turn in catch_up.spread(overdue, now=now) if turn.at > now]
        for start in range(0, len(later), _AT_ONCE):
            some = later[start : start + _AT_ONCE]
            await self._db.write(lambda db, some=some: _postpone(db, some, away=away, now=now))  # type: ignore[misc]
        silent_since = now - away + catch_up.PATIENCE
        await self._db.write(lambda db: crawl_runs.make_up_for(db, away, now=now, silent_since=silent_since))
        minutes = round(away / timedelta(minutes=1))
        log.warning("schedule.caught_up", away_minutes=minutes, jobs_overdue=len(overdue), jobs_spread=len(later))
        return len(later)

    async def _set_back(self, by: timedelta, *, now: datetime, defaults: HostPolicy) -> None:
        """Moves host times back, never by more than the clock was."""
        count = await self._db.write(lambda db: host_times.set_back(db, by=by, now=now, defaults=defaults))
        log.warning("schedule.clock_set_back", minutes=round(by / timedelta(minutes=1)), hosts=count)


async def _last_look(db: Connection) -> datetime | None:
    """When a scheduler last ran; if none was noted, when the latest run began."""
    noted = await upkeep.last(db, Upkeep.LOOK)
    return noted.at if noted is not None else await crawl_runs.latest_start(db)


async def _postpone(db: Connection, turns: Sequence[CatchUpTime], *, away: timedelta, now: datetime) -> None:
    reasons = await job_load.reasons(db, [turn.job.id for turn in turns])
    postponed = [
        Postponed(
            job=turn.job.id,
            from_at=turn.job.next_run_at,
            to_at=turn.at,
            why=catch_up.explained(reasons.get(turn.job.id), away=away, waits=turn.at - now),
        )
        for turn in turns
    ]
    await job_load.postpone(db, postponed, now=now)
