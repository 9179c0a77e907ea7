"""Does all crawling stand still? Looked for every second in each process, so that whoever asks need not wait."""

from lamplighter import telemetry
from lamplighter.crawl.bells import Bells
from lamplighter.errors import StandingStill
from lamplighter.model.fleet import Standstill
from lamplighter.store import standstill
from lamplighter.store.database import Database

log = telemetry.logger("crawl")


class StandstillWatch:
    """Remembers what the switch last said; while the database is away, that holds on."""

    def __init__(self, db: Database, *, bells: Bells) -> None:
        self._db = db
        self._bells = bells
        #: why nobody crawls; None while they do
        self.current: Standstill | None = None

    async def look(self) -> None:
        """Looks at the switch; when it was turned on again, wakes whoever waited for that."""
        before = self.current
        async with self._db.read() as db:
            self.current = await standstill.get(db)
        if before is None and self.current is not None:
            log.warning("crawl.paused", by=self.current.paused_by, reason=self.current.reason)
        elif before is not None and self.current is None:
            log.info("crawl.resumed")
            for bell in (self._bells.jobs, self._bells.tasks, self._bells.hosts):
                bell.ring()

    def refuse(self) -> None:
        """The last look before a request of a run: raises when nothing is to be asked."""
        if self.current is not None:
            raise StandingStill(self.current.sentence)
