"""What does it cost to find records among 100,000, and what does being able to find them cost a write?

    python -m benchmarks.search [--records 100000] [--database sqlite,postgresql] [--url postgresql+asyncpg://…]

Without a URL a PostgreSQL of its own is started in a temporary folder, if one is installed. Figures are CPU time: of
this process on SQLite, of the server's process on PostgreSQL. Searches are the median of several; each answers a page
of 50 and how many records there are in all. Writes are made by turns to a database as it is, to one that notes them for
a search server, to one that could not note them, and to one that cannot be searched either, whose triggers and indexes
for that were dropped: so other work on the machine slows all of them alike.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import databases
from lamplighter.model.access import Stamp
from lamplighter.model.record import Record, RecordKind
from lamplighter.model.record_search import RecordFilter, RecordOrder, SortKey
from lamplighter.operations.records import record_search
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.rules.records import search_query
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.records import index_state, records
from lamplighter.store.records import record_search as stored
from lamplighter.store.records.records import NewRecord
from lamplighter.store.schema import migrate
from tests.servers import postgres

NOW: Final = datetime(2026, 3, 14, 12, tzinfo=UTC)
TRIES: Final = 7
BATCH: Final = 500
SOURCES: Final = 200
#: few enough for either database to keep all of them in memory
WRITTEN: Final = 2_000
#: how many of the records have a word, by its place among the words of the language
WORDS: Final = {"in nearly all": 0, "in half": 25, "in a tenth": 220, "in a hundredth": 2_200, "in few": 15_000}
_SYLLABLES: Final = "ka lo mi ter san ve dor pli na gu shi bre el on fa ry cu tem po zi".split()
_FOR_SEARCH: Final = ("ix_records_present", "ix_records_published", "ix_records_deadline", "ix_records_price")
_TRIGGERS: Final = ("record_text_new", "record_text_changed", "record_text_gone")
_NOTING: Final = ("index_outbox_new", "index_outbox_changed", "index_outbox_gone")
#: what is compared
_WAYS: Final = ("as it is", "noted for a search server", "without noting", "nor search")

Work = Callable[[Connection], Awaitable[Any]]


class Writer:
    """Makes up records in a language whose words are as unevenly frequent as those of any."""

    def __init__(self) -> None:
        self._chance = random.Random(7)
        made = dict.fromkeys("".join(self._chance.choices(_SYLLABLES, k=1 + number % 4)) for number in range(60_000))
        self.words: list[str] = list(made)[:20_000]
        total, self._weights = 0.0, list[float]()
        for rank in range(len(self.words)):
            total += 1 / (rank + 3)
            self._weights.append(total)

    def text(self, length: int) -> str:
        return " ".join(self._chance.choices(self.words, cum_weights=self._weights, k=length))

    def record(self, number: int) -> Record:
        kind = (RecordKind.JOB, RecordKind.ARTICLE, RecordKind.PRODUCT)[number % 3]
        is_job = kind is RecordKind.JOB
        return Record(
            kind=kind,
            url=f"https://h{number % SOURCES}.example/{number}",
            canonical_hash=f"{number:064}",
            content_hash="v1",
            title=self.text(6).capitalize(),
            organisation=self.text(2),
            location_raw="Geneva, Switzerland",
            country_iso=self._chance.choice(("DE", "FR", "CH", "KE", None)),
            deadline=(NOW + timedelta(days=number % 60)).date() if is_job else None,
            published_at=NOW - timedelta(minutes=self._chance.randrange(200_000)),
            description=self.text(self._chance.randint(80, 400)),
            language=self._chance.choice(("en", "de", "fr")),
            fields=self._fields(kind),
            quality=0.5,
            provenance=dict.fromkeys(("title", "organisation", "description"), ("jsonld", 0.9)),
        )

    def _fields(self, kind: RecordKind) -> dict[str, Any]:
        if kind is RecordKind.JOB:
            return {"level_norm": self._chance.choice(("junior", "mid", "senior")), "work_modality": "remote"}
        if kind is RecordKind.PRODUCT:
            return {"price": round(self._chance.uniform(1, 500), 2), "currency": "EUR", "brand": self.text(1)}
        return {"text": self.text(400), "word_count": 400}


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--database", default="sqlite,postgresql")
    parser.add_argument("--url")
    arguments = parser.parse_args()
    for kind in arguments.database.split(","):
        asyncio.run(_show(kind, arguments.records, url=arguments.url))


async def _show(kind: str, size: int, *, url: str | None) -> None:
    writer = Writer()
    async with AsyncExitStack() as stack:
        addresses = await stack.enter_async_context(_databases(kind, url=url))
        dbs = [await stack.enter_async_context(Database(address)) for address in addresses]
        address, db = addresses[0], dbs[0]
        costs = await _writes(dbs, writer)
        await _fill(db, writer, size)
        if not db.is_sqlite:
            await postgres.command(address, "VACUUM ANALYZE")
        table = Table("", "CPU ms", "found", title=f"{kind}: a page of {size:,} records")
        for name, work in _searches(writer.words):
            cost, found = await _middle(db, work)
            table.add_row(name, f"{cost * 1000:.1f}", f"{found:,}")
    Console().print(table)
    table = Table("", *_WAYS, title=f"{kind}: writes, CPU µs a record")
    for name, each in costs.items():
        table.add_row(name, *(f"{cost * 1e6:.1f}" for cost in each))
    Console().print(table)


@asynccontextmanager
async def _databases(kind: str, *, url: str | None) -> AsyncIterator[list[str]]:
    """The addresses of empty databases, one for each way."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        if kind == "sqlite":
            yield [f"sqlite:///{folder}/{number}.db" for number, _ in enumerate(_WAYS)]
            return
        server = url or stack.enter_context(postgres.cluster(Path(folder)))
        yield [await stack.enter_async_context(postgres.fresh_database(server)) for _ in _WAYS]


async def _writes(dbs: Sequence[Database], writer: Writer) -> dict[str, list[float]]:
    """CPU seconds for each record, in each way."""
    for each in dbs:
        await migrate.upgrade(each)
        for number in range(SOURCES):
            await each.write(
                lambda connection, number=number: sources.add(  # type: ignore[misc]
                    connection, NewSource(url=f"https://h{number}.example/"), stamp=Stamp("benchmark", NOW)
                )
            )
    _, noting, without, nor_search = dbs
    await noting.write(lambda connection: index_state.turn_on(connection, "benchmark"))
    for each in (without, nor_search):
        await each.write(lambda connection: _drop(connection, "TRIGGER", _NOTING))
    await nor_search.write(lambda connection: _drop(connection, "TRIGGER", _TRIGGERS))
    await nor_search.write(lambda connection: _drop(connection, "INDEX", _FOR_SEARCH))
    batches = [_finds(writer, start, 50) for start in range(0, WRITTEN, 50)]
    changed = [[_changed(find, content_hash="v2", quality=0.6) for find in batch] for batch in batches]
    retitled = [[_changed(find, content_hash="v3", title="Another") for find in batch] for batch in changed]
    steps: dict[str, list[Work]] = {
        "new": [_put(batch) for batch in batches],
        "seen again": [_touch(range(start, start + 50)) for start in range(1, WRITTEN, 50)],
        "changed, but not in its words": [_put(batch) for batch in changed],
        "changed in its words": [_put(batch) for batch in retitled],
    }
    return {name: await _by_turns(dbs, works) for name, works in steps.items()}


async def _drop(connection: Connection, what: str, names: Sequence[str]) -> None:
    table = " ON records" if what == "TRIGGER" and connection.dialect.name == "postgresql" else ""
    for name in names:
        await connection.execute(sa.text(f"DROP {what} {name}{table}"))


def _finds(writer: Writer, start: int, count: int) -> list[NewRecord]:
    made = (writer.record(number) for number in range(start, start + count))
    return [NewRecord(int(record.canonical_hash) % SOURCES + 1, None, "k", False, record) for record in made]


def _changed(find: NewRecord, **values: Any) -> NewRecord:
    return find._replace(record=replace(find.record, **values))


def _put(finds: Sequence[NewRecord]) -> Work:
    return lambda connection: records.put(connection, finds, now=NOW)


def _touch(ids: Sequence[int]) -> Work:
    return lambda connection: records.touch(connection, ids, now=NOW)


async def _by_turns(dbs: Sequence[Database], works: Sequence[Work]) -> list[float]:
    costs = [0.0 for _ in dbs]
    for work in works:
        for place, db in enumerate(dbs):
            costs[place] += await db.write(lambda connection, work=work: _measured(connection, work))  # type: ignore[misc]
    return [cost / WRITTEN for cost in costs]


async def _measured(connection: Connection, work: Work) -> float:
    is_sqlite = connection.dialect.name == "sqlite"
    pid = None if is_sqlite else await connection.scalar(sa.text("SELECT pg_backend_pid()"))
    began = databases.cpu_seconds(pid, own=time.thread_time)
    await work(connection)
    return databases.cpu_seconds(pid, own=time.thread_time) - began


async def _fill(db: Database, writer: Writer, size: int) -> None:
    for start in range(WRITTEN, size, BATCH):
        finds = _finds(writer, start, min(BATCH, size - start))
        await db.write(lambda connection, finds=finds: records.put(connection, finds, now=NOW))  # type: ignore[misc]


def _searches(words: Sequence[str]) -> Iterator[tuple[str, Work]]:
    newest, best = RecordOrder(), RecordOrder(by=SortKey.RELEVANCE)
    yield "the newest", _search(RecordFilter(), newest)
    yield "of one kind", _search(RecordFilter(kind=RecordKind.JOB), newest)
    yield "of one country", _search(RecordFilter(country="KE"), newest)
    yield "by date of publication", _search(RecordFilter(), RecordOrder(by=SortKey.PUBLISHED))
    soonest = RecordOrder(by=SortKey.DEADLINE, descending=False)
    yield "jobs, the next deadline first", _search(RecordFilter(kind=RecordKind.JOB), soonest)
    cheap = RecordFilter(kind=RecordKind.PRODUCT, price_min=10, price_max=50)
    yield "products by price", _search(cheap, RecordOrder(by=SortKey.PRICE, descending=False))
    yield "by title (no index)", _search(RecordFilter(), RecordOrder(by=SortKey.TITLE, descending=False))
    yield "by level (no index)", _search(RecordFilter(kind=RecordKind.JOB, level="senior"), newest)
    for name, rank in WORDS.items():
        yield f"a word {name}", _search(_with(words[rank]), best)
    yield "two words", _search(_with(f"{words[220]} {words[300]}"), best)
    yield "a phrase", _search(_with(f'"{words[220]} {words[2]}"'), best)
    yield "a prefix", _search(_with(f"{words[220][:6]}*"), best)
    for facet in ("kind", "country", "source", "organisation", "level"):
        yield f"facet: {facet}", _facet(facet)


def _with(text: str) -> RecordFilter:
    return RecordFilter(text=search_query.parse(text))


def _search(wanted: RecordFilter, order: RecordOrder) -> Work:
    async def work(connection: Connection) -> int:
        _, total = await record_search.search(connection, wanted, order)
        return total

    return work


def _facet(name: str) -> Work:
    async def work(connection: Connection) -> int:
        return len(await stored.count_by(connection, RecordFilter(), name, most=20))

    return work


async def _middle(db: Database, work: Work) -> tuple[float, int]:
    """CPU seconds in the middle of several tries, and what was found."""
    costs, found = [], 0
    for _ in range(TRIES):
        async with db.read() as connection:
            pid = await databases.server_process(db, connection)
            # SQLite reads in other threads than this.
            began = databases.cpu_seconds(pid)
            found = await work(connection)
            costs.append(databases.cpu_seconds(pid) - began)
    return statistics.median(costs), found


if __name__ == "__main__":
    main()
