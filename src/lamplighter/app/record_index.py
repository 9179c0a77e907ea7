"""Puts together what finds records: the database, the search server if there is one, and what keeps that up to date."""

from lamplighter import telemetry
from lamplighter.adapters.database_index import DatabaseIndex
from lamplighter.app.engines import index_of
from lamplighter.app.opening import Store
from lamplighter.crawl.index_round import IndexRound
from lamplighter.crawl.loops import Loop
from lamplighter.model.fleet import Lead
from lamplighter.operations.record_finder import RecordFinder
from lamplighter.settings import Settings
from lamplighter.store import index_state

log = telemetry.logger("index")
#: how often is looked for what the search server has to be told
_TELL_SECONDS = 2.0


class RecordIndex:
    """Everything about finding records."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._db = store.db
        #: None when the database finds them
        self.server = index_of(settings)
        embedded = DatabaseIndex(store.db)
        self.finder = RecordFinder(store.db, embedded=embedded, server=self.server, clock=store.clock)
        self.keeper = IndexRound(store.db, server=self.server, clock=store.clock) if self.server is not None else None

    @property
    def loops(self) -> list[Loop]:
        """Keeps the search server up to date."""
        if self.keeper is None:
            return []
        return [Loop(name="index", step=self.keeper.make_round, seconds=_TELL_SECONDS, lead=Lead.SWEEP)]

    async def warn_if_unattended(self) -> None:
        """Says so when a server was to be kept up to date, and this process knows of none."""
        if self.server is not None:
            return
        async with self._db.read() as db:
            state = await index_state.get(db)
        if state.is_on:
            remedy = "set LAMPLIGHTER_INDEX_URL, or stop it with `lamplighter index off`"
            log.warning("index.unattended", engine=state.engine, remedy=remedy)

    async def close(self) -> None:
        """Ends the session with the server."""
        if self.server is not None:
            await self.server.close()
