"""What does it cost to find records among 100,000, and what does being able to find them cost a write?

    python -m benchmarks.search [--records 100000] [--database sqlite,postgresql] [--url postgresql+asyncpg://…]

Without a URL a PostgreSQL of its own is started in a temporary folder, if one is installed. Figures are CPU time: of
this process on SQLite, of the server's process on PostgreSQL. Searches are the median of several; each answers a page
of 50 and how many records there are in all. Writes are made by turns to a database that can be searched and to one
whose triggers and indexes for that were dropped, so that other work on the machine slows both alike.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from lamplighter.model.record import Record, RecordKind
from lamplighter.model.record_search import Order, RecordFilter, SortKey
from lamplighter.operations import record_search, sources
from lamplighter.operations.sources import NewSource
from lamplighter.rules import search_query
from lamplighter.store import migrate, records
from lamplighter.store.database import Connection, Database
from lamplighter.store.records import Find
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
    async with _databases(kind, url=url) as (address, other), Database(address) as db, Database(other) as plain:
        costs = await _writes(db, plain, writer)
        await _fill(db, writer, size)
        if not db.is_sqlite:
            await postgres.command(address, "VACUUM ANALYZE")
        table = Table("", "CPU ms", "found", title=f"{kind}: a page of {size:,} records")
        for name, work in _searches(writer.words):
            cost, found = await _middle(db, work)
            table.add_row(name, f"{cost * 1000:.1f}", f"{found:,}")
    Console().print(table)
    table = Table("", "CPU µs a record", "without search", title=f"{kind}: writes")
    for name, (own, without) in costs.items():
        table.add_row(name, f"{own * 1e6:.0f}", f"{without * 1e6:.0f}")
    Console().print(table)


@asynccontextmanager
async def _databases(kind: str, *, url: str | None) -> AsyncIterator[tuple[str, str]]:
    """The addresses of two empty databases."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            yield f"sqlite:///{folder}/search.db", f"sqlite:///{folder}/plain.db"
            return
        if url is not None:
            async with postgres.fresh_database(url) as one, postgres.fresh_database(url) as other:
                yield one, other
            return
        with postgres.cluster(Path(folder)) as server:
            async with postgres.fresh_database(server) as one, postgres.fresh_database(server) as other:
                yield one, other


async def _writes(db: Database, plain: Database, writer: Writer) -> dict[str, tuple[float, float]]:
    """CPU seconds for each record, in a database that can be searched and in one that cannot."""
    for each in (db, plain):
        await migrate.upgrade(each)
        for number in range(SOURCES):
            await each.write(
                lambda connection, number=number: sources.add(  # type: ignore[misc]
                    connection, NewSource(url=f"https://h{number}.example/"), actor="benchmark", now=NOW
                )
            )
    await plain.write(_without_search)
    batches = [_finds(writer, start, 50) for start in range(0, WRITTEN, 50)]
    changed = [[_changed(find, content_hash="v2", quality=0.6) for find in batch] for batch in batches]
    retitled = [[_changed(find, content_hash="v3", title="Another") for find in batch] for batch in changed]
    steps: dict[str, list[Work]] = {
        "new": [_put(batch) for batch in batches],
        "seen again": [_touch(range(start, start + 50)) for start in range(1, WRITTEN, 50)],
        "changed, but not in its words": [_put(batch) for batch in changed],
        "changed in its words": [_put(batch) for batch in retitled],
    }
    return {name: await _by_turns((db, plain), works) for name, works in steps.items()}


async def _without_search(connection: Connection) -> None:
    table = "" if connection.dialect.name == "sqlite" else " ON records"
    for trigger in _TRIGGERS:
        await connection.execute(sa.text(f"DROP TRIGGER {trigger}{table}"))
    for index in _FOR_SEARCH:
        await connection.execute(sa.text(f"DROP INDEX {index}"))


def _finds(writer: Writer, start: int, count: int) -> list[Find]:
    made = (writer.record(number) for number in range(start, start + count))
    return [Find(int(record.canonical_hash) % SOURCES + 1, None, "k", False, record) for record in made]


def _changed(find: Find, **values: Any) -> Find:
    return find._replace(record=replace(find.record, **values))


def _put(finds: Sequence[Find]) -> Work:
    return lambda connection: records.put(connection, finds, now=NOW)


def _touch(ids: Sequence[int]) -> Work:
    return lambda connection: records.touch(connection, ids, now=NOW)


async def _by_turns(dbs: tuple[Database, Database], works: Sequence[Work]) -> tuple[float, float]:
    costs = [0.0, 0.0]
    for work in works:
        for place, db in enumerate(dbs):
            costs[place] += await db.write(lambda connection, work=work: _measured(connection, work))  # type: ignore[misc]
    return costs[0] / WRITTEN, costs[1] / WRITTEN


async def _measured(connection: Connection, work: Work) -> float:
    is_sqlite = connection.dialect.name == "sqlite"
    pid = None if is_sqlite else await connection.scalar(sa.text("SELECT pg_backend_pid()"))
    began = _cpu(pid)
    await work(connection)
    return _cpu(pid) - began


async def _fill(db: Database, writer: Writer, size: int) -> None:
    for start in range(WRITTEN, size, BATCH):
        finds = _finds(writer, start, min(BATCH, size - start))
        await db.write(lambda connection, finds=finds: records.put(connection, finds, now=NOW))  # type: ignore[misc]


def _searches(words: Sequence[str]) -> Iterator[tuple[str, Work]]:
    newest, best = Order(), Order(by=SortKey.RELEVANCE)
    yield "the newest", _search(RecordFilter(), newest)
    yield "of one kind", _search(RecordFilter(kind=RecordKind.JOB), newest)
    yield "of one country", _search(RecordFilter(country="KE"), newest)
    yield "by date of publication", _search(RecordFilter(), Order(by=SortKey.PUBLISHED))
    soonest = Order(by=SortKey.DEADLINE, descending=False)
    yield "jobs, the next deadline first", _search(RecordFilter(kind=RecordKind.JOB), soonest)
    cheap = RecordFilter(kind=RecordKind.PRODUCT, price_min=10, price_max=50)
    yield "products by price", _search(cheap, Order(by=SortKey.PRICE, descending=False))
    yield "by title (no index)", _search(RecordFilter(), Order(by=SortKey.TITLE, descending=False))
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


def _search(wanted: RecordFilter, order: Order) -> Work:
    async def work(connection: Connection) -> int:
        _, total = await record_search.search(connection, wanted, order)
        return total

    return work


def _facet(name: str) -> Work:
    async def work(connection: Connection) -> int:
        return len((await record_search.facets(connection, RecordFilter(), [name]))[name])

    return work


async def _middle(db: Database, work: Work) -> tuple[float, int]:
    """CPU seconds in the middle of several tries, and what was found."""
    costs, found = [], 0
    for _ in range(TRIES):
        async with db.read() as connection:
            pid = None if db.is_sqlite else await connection.scalar(sa.text("SELECT pg_backend_pid()"))
            # SQLite reads in other threads than this.
            began = time.process_time() if pid is None else _cpu(pid)
            found = await work(connection)
            costs.append((time.process_time() if pid is None else _cpu(pid)) - began)
    return statistics.median(costs), found


def _cpu(pid: int | None) -> float:
    """CPU seconds of this thread, or of another process."""
    if pid is None:
        return time.thread_time()
    # The schedstat's first number counts nanoseconds; /proc/PID/stat only hundredths of a second.
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


if __name__ == "__main__":
    main()
