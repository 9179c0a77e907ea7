"""What does a burst of source events cost, from the outbox through Redis to the crawl jobs?

    python -m benchmarks.events [--events 10000] [--consumers 1] [--carrier outbox,redis] [--database sqlite,postgresql]

Servers of its own are started in temporary folders. Two bursts: sources that are new and get their jobs, and sources
that were changed in nothing that bears on their jobs. CPU is that of this process alone, which publishes and settles;
how far it is behind is printed on the way.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from lamplighter import telemetry
from lamplighter.crawl.jobs.job_reconciler import Reconciler
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import migrate, tables
from tests.contracts.event_carriers import Carrier, through_outbox, through_redis
from tests.servers import postgres, redis

CHUNK: Final = 1_000
LOOK_SECONDS: Final = 2.0


class Cost(NamedTuple):
    """What a burst came to."""

    seconds: float
    cpu_seconds: float


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--consumers", type=int, default=1)
    parser.add_argument("--carrier", default="outbox,redis")
    parser.add_argument("--database", default="sqlite,postgresql")
    asked = parser.parse_args()
    telemetry.configure("warning")
    table = Table(title=f"{asked.events:,} events, {asked.consumers} consumer(s)")
    for heading in ("database", "carrier", "burst", "seconds", "events/s", "CPU ms/event"):
        table.add_column(heading, justify="right")
    for database in asked.database.split(","):
        for carrier in asked.carrier.split(","):
            for burst, cost in asyncio.run(_measure(database, carrier, asked.events, asked.consumers)).items():
                rate, cpu = asked.events / cost.seconds, 1000 * cost.cpu_seconds / asked.events
                table.add_row(database, carrier, burst, f"{cost.seconds:.1f}", f"{rate:,.0f}", f"{cpu:.2f}")
    Console().print(table)


async def _measure(database: str, kind: str, size: int, consumers: int) -> dict[str, Cost]:
    async with AsyncExitStack() as stack:
        db = await stack.enter_async_context(_migrated(database))
        url = stack.enter_context(_redis()) if kind == "redis" else None
        processes = []
        for number in range(consumers):
            opened = through_redis(db, url, instance=str(number)) if url else through_outbox(db)
            processes.append(await stack.enter_async_context(opened))
        await _add_sources(db, size)
        costs = {"new sources": await _burst(processes, size)}
        await _tell(db, "SOURCE_UPDATED")
        costs["nothing to do"] = await _burst(processes, size)
        first = processes[0]
        round_ = Reconciler(db, clock=first.clock, source_defaults=first.source_defaults)
        costs["reconciler's round"] = await _timed(round_.reconcile())
        return costs


async def _burst(processes: Sequence[Carrier], size: int) -> Cost:
    async def work() -> None:
        looking = asyncio.create_task(_look(processes[0]))
        publishing = asyncio.create_task(processes[0].pass_on())
        await asyncio.gather(*(_settle_all(process) for process in processes))
        await publishing
        looking.cancel()

    cost = await _timed(work())
    assert await _waiting(processes[0].db) == 0
    return cost


async def _settle_all(process: Carrier) -> None:
    while await _waiting(process.db):
        await process.deliver.deliver_all()


async def _look(process: Carrier) -> None:
    """How far behind, on the way."""
    began = time.monotonic()
    while True:
        figures = await process.carrier.figures()
        behind = await _waiting(process.db)
        print(f"  {time.monotonic() - began:5.1f} s: {behind} to settle, {figures.lag} of them not yet received")
        await asyncio.sleep(LOOK_SECONDS)


async def _timed(work: Awaitable[object]) -> Cost:
    began, cpu = time.monotonic(), time.process_time()
    await work
    return Cost(time.monotonic() - began, time.process_time() - cpu)


async def _waiting(db: Database) -> int:
    query = sa.select(sa.func.count()).select_from(tables.events).where(tables.events.c.delivered_at.is_(None))
    async with db.read() as connection:
        return int(await connection.scalar(query))


async def _add_sources(db: Database, size: int) -> None:
    now = datetime.now(UTC)
    about = {"recipe": {}, "max_depth": 3, "priority": 50, "enabled": True, "created_at": now, "updated_at": now}
    for start in range(0, size, CHUNK):
        numbers = range(start, min(size, start + CHUNK))
        rows = [
            {"public_id": str(uuid4()), "name": f"s{each}", "url": f"https://s{each}.example/", **about}
            for each in numbers
        ]
        await db.write(lambda connection, rows=rows: connection.execute(sa.insert(tables.sources), rows))  # type: ignore[misc]
    await _tell(db, "SOURCE_CREATED")


async def _tell(db: Database, kind: str) -> None:
    """One event about every source."""

    async def work(connection: Connection) -> None:
        known = (await connection.execute(sa.select(tables.sources.c.id, tables.sources.c.public_id))).all()
        now = datetime.now(UTC)
        rows = [
            {
                "event_id": str(uuid4()),
                "type": kind,
                "source_id": row.id,
                "source_public_id": row.public_id,
                "payload": {},
                "created_at": now,
            }
            for row in known
        ]
        for start in range(0, len(rows), CHUNK):
            await connection.execute(sa.insert(tables.events), rows[start : start + CHUNK])

    await db.write(work)


@asynccontextmanager
async def _migrated(kind: str) -> AsyncIterator[Database]:
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            async with _opened(f"sqlite:///{folder}/events.db") as db:
                yield db
            return
        with postgres.cluster(Path(folder)) as server:
            async with postgres.fresh_database(server) as address, _opened(address) as db:
                yield db


@asynccontextmanager
async def _opened(address: str) -> AsyncIterator[Database]:
    async with Database(address) as db:
        await migrate.upgrade(db)
        yield db


@contextmanager
def _redis() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, redis.server(Path(folder)) as server, server.empty_database() as url:
        yield url


if __name__ == "__main__":
    main()
