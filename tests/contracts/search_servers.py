"""Records that every index is asked for, and each kind of index to ask."""

import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
import sqlalchemy as sa

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.adapters.search.database_index import DatabaseIndex
from lamplighter.adapters.search.elasticsearch import Elasticsearch
from lamplighter.adapters.search.meilisearch import Meilisearch
from lamplighter.adapters.search.search_http import SearchTimeouts
from lamplighter.crawl.records.index_round import IndexRound
from lamplighter.model.record import Record, RecordKind
from lamplighter.model.record_search import RecordFilter, RecordOrder, SortKey
from lamplighter.operations.records.record_finder import RecordFinder
from lamplighter.ports import IndexAway, SearchServer
from lamplighter.rules.records import search_query
from lamplighter.store.engine.database import Database
from lamplighter.store.records import records
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.servers import elasticsearch, meilisearch
from tests.store.given_rows import a_source, write
from tests.store.records.given_records import found, posting

KINDS = ("sqlite", "postgresql", "meilisearch", "elasticsearch", "real meilisearch", "real elasticsearch")
_REAL = {
    "real meilisearch": "LAMPLIGHTER_TEST_MEILISEARCH_URL",
    "real elasticsearch": "LAMPLIGHTER_TEST_ELASTICSEARCH_URL",
}
#: a test does not wait for a server that was away as long as an operator would
BRISK = SearchTimeouts(search=2, write=5, cooldown=0.02, longest_cooldown=0.1)
MARCH, APRIL = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)

RECORDS = (
    posting(
        1,
        title="Water engineer",
        organisation='The "Relief" Fund',
        country_iso="KE",
        language="en",
        deadline=date(2026, 5, 1),
        published_at=MARCH,
        fields={"level_norm": "senior", "mission_tags": ["water", "health"], "career_type": "full_time, temporary"},
    ),
    posting(
        2,
        title="Writer",
        location_raw="Genève",
        description="Writes about water & <b>wells</b>, full-time.",
        country_iso="CH",
        language="fr-CH",
        deadline=date(2026, 6, 1),
        published_at=APRIL,
        fields={"level_norm": "junior", "work_modality": "remote", "international_eligible": True},
    ),
    posting(
        3,
        kind=RecordKind.PRODUCT,
        title="Lamp",
        fields={
            "price": 19.9,
            "currency": "EUR",
            "brand": "Lux",
            "availability": "in_stock",
            "rating": 4.5,
            "category": "Lamps",
        },
    ),
    posting(
        4,
        kind=RecordKind.PRODUCT,
        title="Lantern",
        organisation="C:\\lights",
        fields={"price": 100, "currency": "USD", "brand": "Nox", "rating": 3},
    ),
)


@dataclass(frozen=True)
class Searching:
    """An index, and the records that it is about."""

    db: Database
    finder: RecordFinder
    #: None for the embedded one
    server: SearchServer | None
    #: keeps the server up to date
    round: IndexRound | None
    #: what stands in for the server; None for a real one
    stub: Any = None

    async def keep(self, given: Any = RECORDS, *, source: str = "a") -> int:
        """Stores records of a new source, and has the server told."""
        source_id = await write(self.db, a_source, source)
        await write(self.db, records.put, [found(source_id, None, record) for record in given], now=NOON)
        await self.tell()
        return source_id

    async def tell(self) -> None:
        """Has the server told of everything, and find it."""
        if self.round is not None and self.server is not None:
            await self.round.make_round()
            with suppress(IndexAway):
                await self.server.count()  # which makes it look at what was written

    async def numbers(
        self, typed: str = "", *, by: SortKey | None = None, down: bool = True, **wanted: Any
    ) -> list[int]:
        """The numbers of the records that are found, in their order."""
        _, numbers = await self.asked(typed, by=by, down=down, **wanted)
        return numbers

    async def asked(
        self, typed: str = "", *, by: SortKey | None = None, down: bool = True, **wanted: Any
    ) -> tuple[str, list[int]]:
        """The same, and who answered."""
        by = by or (SortKey.RELEVANCE if typed else SortKey.FIRST_SEEN)
        order = RecordOrder(by=by, descending=down)
        hits, engine = await self.finder.find(RecordFilter(text=search_query.parse(typed), **wanted), order)
        assert hits.total == len(hits.page)
        return engine, [await self._number(hit.id) for hit in hits.page]

    async def _number(self, record_id: int) -> int:
        async with self.db.read() as db:
            query = sa.select(tables.records.c.canonical_hash).where(tables.records.c.id == record_id)
            return int(await db.scalar(query))


def many(count: int, *, start: int = 1, **values: Any) -> list[Record]:
    """Records that differ by their number."""
    return [posting(number, **values) for number in range(start, start + count)]


@asynccontextmanager
async def opened(kind: str, request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Searching]:
    """An index of a kind over an empty database."""
    async with AsyncExitStack() as stack:
        if kind == "postgresql":
            url = await stack.enter_async_context(_postgres(request))
        else:
            path = folder / "searched.db"
            shutil.copyfile(request.getfixturevalue("migrated_file"), path)
            url = f"sqlite:///{path}"
        db = await stack.enter_async_context(Database(url))
        server, stub = await _server_of(kind, stack)
        yield searching(db, server, stub)


def searching(db: Database, server: SearchServer | None, stub: Any = None) -> Searching:
    """An index over a database."""
    clock = DatabaseClock(None)
    finder = RecordFinder(db, embedded=DatabaseIndex(db), server=server, clock=clock)
    keeper = IndexRound(db, server=server, clock=clock) if server is not None else None
    return Searching(db, finder, server, keeper, stub)


@asynccontextmanager
async def _postgres(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    async with request.getfixturevalue("migrated_databases").one() as url:
        yield url


async def _server_of(kind: str, stack: AsyncExitStack) -> tuple[SearchServer | None, Any]:
    if kind in ("sqlite", "postgresql"):
        return None, None
    if kind in _REAL:
        url = os.environ.get(_REAL[kind])
        if url is None:
            pytest.skip(f"no {kind} here: set {_REAL[kind]} to its address")
        return await _real(kind, url, stack), None
    stub: Any = meilisearch.Meilisearch() if kind == "meilisearch" else elasticsearch.Elasticsearch()
    await stack.enter_async_context(stub)
    return await server_at(kind, stub.url, stack, patience=BRISK), stub


async def server_at(
    kind: str, url: str, stack: AsyncExitStack, *, prefix: str = "test", patience: SearchTimeouts | None = None
) -> SearchServer:
    """Our side of a server."""
    make: Callable[..., Any] = Meilisearch if "meilisearch" in kind else Elasticsearch
    server: SearchServer = make(url, key=None, prefix=prefix, patience=patience)
    stack.push_async_callback(server.close)
    return server


async def _real(kind: str, url: str, stack: AsyncExitStack) -> SearchServer:
    """A real server, on which we leave nothing behind."""
    prefix = f"test{uuid4().hex[:12]}"

    async def clear() -> None:
        async with aiohttp.ClientSession() as session:
            if "meilisearch" in kind:
                await session.delete(f"{url}/indexes/{prefix}_records")
            else:
                async with session.get(f"{url}/{prefix}.*.*/_alias") as reply:
                    names = await reply.json()
                for name in names:
                    await session.delete(f"{url}/{name}")

    stack.push_async_callback(clear)
    return await server_at(kind, url, stack, prefix=prefix)
