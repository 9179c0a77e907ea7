"""Builds the record search: the database, an optional search server, and the loop that keeps it up to date."""

from lamplighter import telemetry
from lamplighter.adapters.search.database_index import DatabaseIndex
from lamplighter.app.engines import index_of
from lamplighter.crawl.process.loops import Loop
from lamplighter.crawl.records.index_round import IndexRound
from lamplighter.model.fleet import Lead
from lamplighter.operations.records.record_finder import RecordFinder
from lamplighter.ports import Clock
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database
from lamplighter.store.records import index_state

log = telemetry.logger("index")
#: how often changes for the search server are looked for
TELL_SECONDS = 2.0


class RecordIndex:
    """The record search and its loop."""

    def __init__(self, settings: Settings, db: Database, *, clock: Clock) -> None:
        self._db = db
        #: None when records are searched in the database
        self.server = index_of(settings)
        embedded = DatabaseIndex(db)
        self.finder = RecordFinder(db, embedded=embedded, server=self.server, clock=clock)
        self.keeper = IndexRound(db, server=self.server, clock=clock) if self.server is not None else None

    @property
    def loops(self) -> list[Loop]:
        """The search server's loop, if any."""
        if self.keeper is None:
            return []
        return [Loop(name="index", step=self.keeper.make_round, seconds=TELL_SECONDS, lead=Lead.SWEEP)]

    async def warn_if_unattended(self) -> None:
        """Warns if a search server is on in the database, but not in the settings."""
        if self.server is not None:
            return
        async with self._db.read() as db:
            state = await index_state.get(db)
        if state.is_on:
            remedy = "set LAMPLIGHTER_INDEX_URL, or stop it with `lamplighter index off`"
            log.warning("index.unattended", engine=state.engine, remedy=remedy)

    async def close(self) -> None:
        """Closes the search client."""
        if self.server is not None:
            await self.server.close()
