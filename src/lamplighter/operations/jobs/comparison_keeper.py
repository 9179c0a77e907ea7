"""Compares the policies on our own history once a day, so that the dashboard can say what `learned` saves."""

from datetime import timedelta

from lamplighter import telemetry
from lamplighter.errors import NotPossible
from lamplighter.ports import Clock
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.fleet import upkeep
from lamplighter.store.fleet.upkeep import Upkeep
from lamplighter.store.jobs import pricing

log = telemetry.logger("comparison")
EVERY = timedelta(days=1)


class ComparisonKeeper:
    """Keeps the latest comparison a day old at most."""

    def __init__(self, db: Database, *, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def compare_if_old(self) -> bool:
        """Compares the policies again if the last time was a day ago; returns whether it did."""
        now = self._clock.now()
        async with self._db.read() as db:
            last = await upkeep.last(db, Upkeep.COMPARISON)
            is_priced = (await pricing.get(db)).solved_at is not None
        # Without a price nothing is learned here.
        if not is_priced or (last is not None and now - last.at < EVERY):
            return False
        from lamplighter.operations.jobs import policy_comparison  # loads a library of arrays

        try:
            compared = await policy_comparison.compare_policies(self._db, now=now)
        except NotPossible as error:
            log.debug("policies.not_compared", reason=str(error))
            return False
        log.info("policies.compared", sources=compared.sources, changes=compared.changes, saving=compared.saving)
        return True


async def saving(db: Connection) -> str:
    """What `learned` saves here, in one line, by the latest comparison; empty before enough was seen."""
    last = await upkeep.last(db, Upkeep.COMPARISON)
    return str(last.figures.get("saving", "")) if last is not None else ""
