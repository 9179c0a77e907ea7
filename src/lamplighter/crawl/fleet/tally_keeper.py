"""Folds new tally parts, and checks once a day that the tallies are right."""

from datetime import timedelta

from lamplighter import telemetry
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.jobs import tallies
from lamplighter.store.runs import run_tallies

log = telemetry.logger("tallies")
EVERY = timedelta(days=1)
#: how long runs are tallied: as long as their hours may still be unwritten
KEPT = timedelta(days=9)


class TallyKeeper:
    """Keeps tallies small and right."""

    def __init__(self, db: Database, *, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def fold(self) -> None:
        """Folds new parts into the tallies."""
        await self._db.write(tallies.fold)

    async def check_if_old(self) -> bool:
        """Compares the tallies with a fresh count once a day; returns whether it did."""
        now = self._clock.now()
        async with self._db.read() as db:
            last = await upkeep.last(db, Upkeep.TALLIES)
            if last is not None and now - last.at < EVERY:
                return False
            # Count in a read first, so that SQLite's only writer is not blocked meanwhile.
            are_right = await tallies.are_right(db, since=now - KEPT)

        async def settle(db: Connection) -> int:
            await run_tallies.forget(db, before=now - KEPT)
            repaired = 0 if are_right else await tallies.repair(db, since=now - KEPT)
            await upkeep.note(db, Upkeep.TALLIES, now=now, figures={"repaired": repaired})
            return repaired

        if repaired := await self._db.write(settle):
            log.warning("tallies.repaired", tallies=repaired)
        return True
