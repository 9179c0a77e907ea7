"""Gathers what was counted since the last time, and makes sure once a day that the tallies are right."""

from datetime import timedelta

from lamplighter import telemetry
from lamplighter.ports import Clock
from lamplighter.store import run_tallies, tallies, upkeep
from lamplighter.store.database import Connection, Database
from lamplighter.store.upkeep import Upkeep

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
        """Adds what came since to what was gathered before."""
        await self._db.write(tallies.fold)

    async def check_if_old(self) -> bool:
        """Compares the tallies with a fresh count when the last time is a day ago; returns whether it did."""
        now = self._clock.now()
        async with self._db.read() as db:
            last = await upkeep.last(db, Upkeep.TALLIES)
            if last is not None and now - last.at < EVERY:
                return False
            # Looked at first: SQLite's one writer is not kept from its work for as long as counting takes.
            are_right = await tallies.are_right(db, since=now - KEPT)

        async def settle(db: Connection) -> int:
            await run_tallies.forget(db, before=now - KEPT)
            repaired = 0 if are_right else await tallies.repair(db, since=now - KEPT)
            await upkeep.note(db, Upkeep.TALLIES, now=now, figures={"repaired": repaired})
            return repaired

        if repaired := await self._db.write(settle):
            log.warning("tallies.repaired", tallies=repaired)
        return True
