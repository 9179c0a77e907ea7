"""What does it cost to decide when to visit: one source, one host whose sources tell on each other, a million sources?

    python -m benchmarks.deciding [--sources 1000000] [--siblings 670]

Figures are CPU time of this process: the median of many tries, or of one for the price. The sources of the host were
visited once a day for two weeks, and a third of the visits found a change. What a look at it reads and writes is told
beside it, on a SQLite of its own.
"""

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle
from typing import Any, Final

import numpy as np
import sqlalchemy as sa

from benchmarks.measuring import databases
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size, Tell
from benchmarks.measuring.showing import alone
from lamplighter.crawl.planning import activity_looks, price_solving
from lamplighter.crawl.planning.activity_keeper import ActivityKeeper, moment_of
from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.schedule import Belief
from lamplighter.rules.change import belief
from lamplighter.rules.change.pricing import VisitDemand
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import host_activity
from lamplighter.store.schema import migrate, tables

NOW: Final = datetime(2026, 3, 14, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: days of visits behind the host, more than are looked at
_DAYS: Final = 14
_TRIES: Final = 21
#: visits of one source, over which one is averaged
_VISITS: Final = 2_000
#: sources of a host, where the price is found; some hosts have less capacity than they would be asked for
_SHARING: Final = 100
#: bars: microseconds, milliseconds, seconds
MOST_UPDATE, MOST_LOOK, MOST_PRICE = 20.0, 5.0, 30.0
#: hours between two looks
_EPOCH: Final = 2.0
#: and it predicted well
_LOOKED_AN_EPOCH_AGO: Final = sa.update(tables.host_activity).values(looked_at=NOW - _EPOCH * HOUR, gain=20.0)
#: sources of the installation, and of the host
_SIZES: Final = {Size.FULL: (1_000_000, 670), Size.QUICK: (100_000, 670), Size.TINY: (500, 8)}


def main() -> int:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=int, default=1_000_000)
    parser.add_argument("--siblings", type=int, default=670)
    arguments = parser.parse_args()
    return alone(lambda tell: measured(arguments.sources, arguments.siblings, tell=tell))


def measured(count: int, siblings: int, *, tell: Tell) -> Findings:
    """The three costs."""
    tell("learning from visits")
    update = statistics.median(_cpu_seconds(_visits) / _VISITS for _ in range(_TRIES))
    tell(f"looking at a host of {siblings:,} sources")
    arithmetic, look = asyncio.run(_looks(siblings))
    tell(f"pricing {count:,} sources")
    demand = _demand(count)
    capacity = {host: 2.0 * (1 + host % 10) for host in range(count // _SHARING + 1)}
    price = _cpu_seconds(lambda: price_solving.solved(demand, count / 24.0, capacity))
    return Findings(
        figures=(
            Figure(name="one update and wait", value=round(1e6 * update, 1), unit="µs", at_most=MOST_UPDATE),
            Figure(
                name=f"the activity of a host of {siblings:,} sources, per epoch",
                value=round(1e3 * arithmetic, 2),
                unit="ms",
                at_most=MOST_LOOK,
            ),
            Figure(name=f"the price of {count:,} sources", value=round(price, 2), unit="s", at_most=MOST_PRICE),
        ),
        sheets=(
            Sheet(
                title=f"A look at a host of {siblings:,} sources, CPU milliseconds",
                headings=("", "ms"),
                rows=(
                    ("its activity, and whose visits come forward", f"{1e3 * arithmetic:.2f}"),
                    ("with what is read and written", f"{1e3 * look:.2f}"),
                ),
            ),
        ),
    )


def _cpu_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _visits() -> None:
    """Visits of one source, each of which teaches something and plans the next."""
    known, hours = Belief(a=0.6, b=40.0), 24.0
    for turn in range(_VISITS):
        known = belief.capped((belief.changed if turn % 3 == 0 else belief.unchanged)(known, hours), shape=0.6)
        hours = belief.wait_hours(known, price=3.0, age=30.0 * (turn % 9), least=0.25, most=720.0)


def _demand(count: int) -> VisitDemand:
    """Sources from the liveliest to the dead."""
    draw = np.random.default_rng(1)
    a = draw.uniform(0.3, 8, count)
    return VisitDemand(
        a=a,
        b=a * draw.lognormal(3, 2, count),
        weight=2.0 ** draw.uniform(-2, 2, count),
        signal=np.where(draw.uniform(size=count) < 0.1, 0.8, 0.0),
        age=draw.lognormal(4, 2, count),
        cost=np.floor(draw.lognormal(0.5, 1, count)) + 1,
        least=np.full(count, 0.25),
        most=np.full(count, 24.0 * 30),
        host=np.arange(count) // _SHARING,
    )


class _Still:
    """A clock that stands."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return NOW.timestamp()


async def _looks(count: int) -> tuple[float, float]:
    """CPU seconds of a look at the host, in the middle of many: of its arithmetic, and of all of it."""
    async with databases.empty("sqlite", url=None) as address, Database(address) as db:
        await _fill(db, count)
        await databases.tidy(db, address)
        clock = _Still()
        planner = Planner(source_defaults=SourceDefaults(), clock=clock, draw=lambda: 0.5)
        keeper = ActivityKeeper(db, clock=clock, planner=planner)
        await keeper.look_if_due()
        arithmetic, whole = [], []
        for _ in range(_TRIES):
            await db.write(lambda db: db.execute(_LOOKED_AN_EPOCH_AGO))
            async with db.read() as connection:
                [host] = await host_activity.crowded(connection, sources=1)
                moment = await moment_of(connection, host, mean_hours=24.0, epoch=_EPOCH, now=NOW)
            look = partial(activity_looks.looked, moment, price=3.0, polite_per_hour=360.0)
            arithmetic.append(_cpu_seconds(look))
            began = time.process_time()
            await keeper.look_if_due()
            whole.append(time.process_time() - began)
        return statistics.median(arithmetic), statistics.median(whole)


async def _fill(db: Database, count: int) -> None:
    """A host whose sources were visited once a day; what changed on a day changed on a third of them."""
    await migrate.upgrade(db)
    draw, kept = random.Random(1), {"created_at": NOW, "updated_at": NOW}
    numbers, last = range(1, count + 1), {number: NOW - DAY * draw.random() for number in range(1, count + 1)}
    about = {"recipe": {}, "max_depth": 3, "priority": 50, "enabled": True}
    job = {"state": "scheduled", "priority": 50, "host_id": 1, "belief_a": 2.0, "belief_b": 144.0, "visit_count": _DAYS}
    job |= {"interval_seconds": 86400, "pace_seconds": 86400.0}
    run = {"trigger": "schedule", "outcome": "ok", "page_budget": 1, "pages_fetched": 1}
    changes = cycle([1, 0, 0])

    def visits(number: int) -> Iterator[dict[str, Any]]:
        for turn in range(_DAYS):
            at = last[number] - turn * DAY
            yield run | {
                "public_id": f"{number}-{turn}",
                "job_id": number,
                "source_id": number,
                "number": _DAYS - turn,
                "started_at": at,
                "deadline_at": at + HOUR,
                "finished_at": at,
                "pages_changed": next(changes),
            }

    async with db.exclusive() as connection:
        await connection.execute(sa.insert(tables.hosts).values(id=1, key="h.example", updated_at=NOW))
        await connection.execute(
            sa.insert(tables.sources),
            [about | kept | {"public_id": f"s{n}", "name": f"s{n}", "url": f"https://h.example/{n}"} for n in numbers],
        )
        await connection.execute(
            sa.insert(tables.crawl_jobs),
            [
                job
                | kept
                | {
                    "public_id": f"j{number}",
                    "source_id": number,
                    "visited_at": last[number],
                    "changed_at": last[number] - 2 * DAY,
                    "next_run_at": last[number] + DAY,
                }
                for number in numbers
            ],
        )
        await connection.execute(
            sa.insert(tables.crawl_runs), [visit for number in numbers for visit in visits(number)]
        )
        await connection.execute(sa.insert(tables.pricing).values(id=1, price=3.0, solved_at=NOW))


PART: Final = Part(
    name="deciding",
    title="What deciding costs",
    about=(
        "CPU time to learn from a visit and plan the next, to find out how busy a host is whose sources tell on each "
        "other, and to find the price of a fetch."
    ),
    run=lambda size, tell: measured(*_SIZES[size], tell=tell),
)


if __name__ == "__main__":
    sys.exit(main())
