"""Where the installation's policy is priority, a source's priority, rate limit and depth are its interval (seed S2)."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob
from lamplighter.model.schedule import PolicyName
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.source_fields import altered, input_from
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.sources import sources as stored
from tests.crawl.runs.due_jobs import on_sqlite
from tests.moments import NOON
from tests.store.given_rows import write

BY_PRIORITY = SourceDefaults(policy=PolicyName.PRIORITY)
ANNA = Stamp("anna", NOON)
#: the seed's tables: minutes and first wait by priority, and the factors as fractions
BASE = {"critical": (15, 0), "high": (30, 1), "normal": (60, 5), "low": (180, 10)}
RATES = {1: 1.5, 5: 1.5, 6: 1.0, 10: 1.0, 11: 0.75, 20: 0.75, 21: 0.5, 50: 0.5, None: 1.0}
DEPTHS: dict[Any, float] = {"page": 1.0, 1: 1.0, 2: 1.0, 3: 1.25, 5: 1.25, 6: 1.5, 10: 1.5, -1: 1.5, None: 1.25}


async def _job(db: Connection, number: int, **said: Any) -> CrawlJob:
    new = input_from({"url": f"https://s{number}.example/"} | said)
    source_id = await sources.create(db, new, source_defaults=BY_PRIORITY, stamp=ANNA)
    job = await crawl_jobs.of_source(db, source_id)
    assert job is not None
    return job


@on_sqlite
async def test_every_combination_has_the_interval_of_the_seed(db: Database) -> None:
    combinations = list(product(BASE, RATES, DEPTHS))

    async def work(connection: Connection) -> dict[tuple[Any, ...], int]:
        return {
            (level, rate, depth): (
                await _job(connection, number, priority=level, rate_limit=rate, max_depth=depth)
            ).interval
            // timedelta(minutes=1)
            for number, (level, rate, depth) in enumerate(combinations)
        }

    expected = {each: int(int(BASE[each[0]][0] * RATES[each[1]]) * DEPTHS[each[2]]) for each in combinations}
    assert len(expected) >= 87
    assert await db.write(work) == expected


@pytest.mark.parametrize(("level", "minutes"), [(level, row[1]) for level, row in BASE.items()])
@on_sqlite
async def test_the_first_run_waits_by_priority(db: Database, level: str, minutes: int) -> None:
    job = await write(db, _job, 1, priority=level)

    assert job.next_run_at == NOON + timedelta(minutes=minutes)
    assert ("by its priority" in str(job.next_run_reason)) == (minutes > 0)


@on_sqlite
async def test_another_rate_limit_is_another_interval_at_once(db: Database) -> None:
    await write(db, _job, 1, rate_limit=1)

    async def patched(connection: Connection, rate: float) -> timedelta:
        source = await stored.by_url(connection, "https://s1.example/")
        assert source is not None
        alter = {"source_defaults": BY_PRIORITY, "stamp": ANNA}
        await sources.change(connection, source, lambda new: altered(new, {"rate_limit": rate}), **alter)
        job = await crawl_jobs.of_source(connection, source.id)
        assert job is not None
        return job.interval

    intervals = [await write(db, patched, rate) for rate in (1, 10, 50)]

    assert [interval // timedelta(minutes=1) for interval in intervals] == [112, 75, 37]
