"""Searches records in the database itself, by SQLite's FTS5 or PostgreSQL's text search: always up to date."""

from collections.abc import Sequence
from typing import Any

from lamplighter.model.record_search import Hits, RecordOrder
from lamplighter.model.search_index import IndexQuery
from lamplighter.store.engine.database import Database
from lamplighter.store.records import record_search


class DatabaseIndex:
    """The embedded index."""

    engine = "database"

    def __init__(self, db: Database) -> None:
        self._db = db

    async def search(self, query: IndexQuery, order: RecordOrder) -> Hits:
        """A page of hits."""
        async with self._db.read() as connection:
            return await record_search.find(connection, query.wanted, order)

    async def facets(self, query: IndexQuery, names: Sequence[str], *, most: int) -> dict[str, list[tuple[Any, int]]]:
        """Counts of values."""
        async with self._db.read() as connection:
            return {name: await record_search.count_by(connection, query.wanted, name, most=most) for name in names}
