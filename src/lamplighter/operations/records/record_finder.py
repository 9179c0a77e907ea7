"""Searches records through the search server while it responds, else through the database.

The database is the truth. The server only says which records, in which order; a hit that is gone or no longer matches
is left out, and that record is sent to the server again.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from lamplighter import telemetry
from lamplighter.model.record_search import Hits, RecordFilter, RecordOrder
from lamplighter.model.search_index import IndexQuery
from lamplighter.ports import Clock, Index, IndexAway, NotExpressible, SearchServer
from lamplighter.store.engine.database import Database
from lamplighter.store.records import index_outbox, index_state, record_filter, record_search

log = telemetry.logger("search")
T = TypeVar("T")
#: sources that a server is asked for by id; of a tag that more have, the database knows better
_MOST_SOURCES = 2_000


class FoundRecords(NamedTuple):
    """A page of hits, and who found them."""

    hits: Hits
    engine: str


class RecordFinder:
    """Runs searches and counts facets."""

    def __init__(self, db: Database, *, embedded: Index, server: SearchServer | None, clock: Clock) -> None:
        self._db = db
        self._embedded = embedded
        self._server = server
        self._clock = clock
        self._has_fallen_back = False

    async def find(self, wanted: RecordFilter, order: RecordOrder) -> FoundRecords:
        """A page of what a filter wants."""
        server = self._server
        if server is not None:
            hits = await self._of_server(wanted, lambda query: server.search(query, order))
            if hits is not None:
                return FoundRecords(await self._still_true(wanted, hits), server.engine)
        return FoundRecords(await self._embedded.search(IndexQuery(wanted), order), self._embedded.engine)

    async def facets(
        self, wanted: RecordFilter, names: Sequence[str], *, most: int
    ) -> dict[str, list[tuple[Any, int]]]:
        """How many of the wanted records have which value."""
        server = self._server
        if server is not None and names:
            counts = await self._of_server(wanted, lambda query: server.facets(query, names, most=most))
            if counts is not None:
                return counts
        return await self._embedded.facets(IndexQuery(wanted), names, most=most)

    async def _of_server(self, wanted: RecordFilter, ask: Callable[[IndexQuery], Awaitable[T]]) -> T | None:
        """The server's result; None if the database has to be searched."""
        async with self._db.read() as db:
            was_filled = (await index_state.get(db)).reconciled_at is not None
            source_ids = await record_filter.source_ids(db, wanted, most=_MOST_SOURCES + 1)
        if not was_filled or (source_ids is not None and not 0 < len(source_ids) <= _MOST_SOURCES):
            return None
        try:
            answer = await ask(IndexQuery(wanted, source_ids))
        except NotExpressible:
            return None
        except IndexAway as error:
            if not self._has_fallen_back:
                log.warning("search.fell_back", reason=str(error))
            self._has_fallen_back = True
            return None
        self._has_fallen_back = False
        return answer

    async def _still_true(self, wanted: RecordFilter, hits: Hits) -> Hits:
        """The hits that are as the server thinks they are."""
        ids = [hit.id for hit in hits.page]
        async with self._db.read() as db:
            true = await record_search.still_wanted(db, wanted, ids)
        untrue = [record_id for record_id in ids if record_id not in true]
        if untrue:
            now = self._clock.now()
            await self._db.write(lambda db: index_outbox.enter(db, untrue, now=now))
            log.info("search.untrue", records=len(untrue))
        return Hits([hit for hit in hits.page if hit.id in true], hits.total - len(untrue))
