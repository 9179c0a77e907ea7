"""How many proxies should a host have?"""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.operations.proxies import domain_proxies, proxy_pool_advice
from lamplighter.operations.proxies.proxy_pool_advice import PoolAdvice
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.schema import tables
from tests.changing import add_proxy
from tests.moments import NOON
from tests.store.given_rows import a_run, write

HOUR = timedelta(hours=1)


async def _asked_host(db: Connection, *, domain_pool: int = 3, fetched: int = 0, cost: float = 0.0) -> int:
    """A host with so many proxies, one run in the last day and a job that comes back every hour."""
    host_id = (await hosts.ensure(db, ["a.example"], now=NOON))["a.example"]
    _, run_id = await a_run(db, "a")
    jobs, runs = tables.crawl_jobs, tables.crawl_runs
    await db.execute(sa.update(jobs).values(host_id=host_id, cost=cost, pace_seconds=3600))
    counts = {"pages_fetched": fetched - 2, "pages_unchanged": 1, "pages_failed": 1} if fetched else {}
    await db.execute(sa.update(runs).where(runs.c.id == run_id).values(started_at=NOON - HOUR, **counts))
    for number in range(domain_pool):
        proxy_id = await add_proxy(db, now=NOON, protocol="http", address=f"p{number}.example", port=80)
        await domain_proxies.assign(db, host_id, [proxy_id], priority=50, stamp=Stamp("test", NOON))
    return host_id


async def _advice(db: Database, name: str = "a.example") -> PoolAdvice:
    async with db.read() as connection:
        (found,) = await proxy_pool_advice.of_names(connection, [name], per_proxy=20, now=NOON)
    return found


async def test_requests_of_the_last_day_tell_how_many_are_needed(db: Database) -> None:
    await write(db, _asked_host, fetched=24 * 84)

    advice = await _advice(db)

    assert advice.words == "about 84 requests per hour, 20 per proxy: 5 to 6 proxies; has 3"
    assert (advice.basis, advice.is_short) == ("requests of the last day", True)


async def test_a_schedule_that_will_ask_for_more_counts_instead(db: Database) -> None:
    await write(db, _asked_host, fetched=24, cost=30.0)

    advice = await _advice(db)

    assert (advice.per_hour, advice.basis) == (30.0, "the schedule")
    assert (advice.size.words, advice.is_short) == ("2 to 3 proxies", False)


async def test_runs_before_the_last_day_count_no_more(db: Database) -> None:
    await write(db, _asked_host, fetched=240)
    await db.write(lambda c: c.execute(sa.update(tables.crawl_runs).values(started_at=NOON - 25 * HOUR)))

    assert (await _advice(db)).words == "no requests in the last day, and none planned"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        pytest.param(
            {"max_requests_per_hour": 10}, "about 84 requests per hour, 10 per proxy: 9 to 11", id="allowed less"
        ),
        pytest.param({"quarantined_until": NOON + HOUR}, "has 3, 0 of them working", id="resting"),
        pytest.param({"enabled": False}, "has 0", id="off"),
    ],
)
async def test_what_the_proxies_may_do_matters(db: Database, values: dict[str, Any], words: str) -> None:
    await write(db, _asked_host, fetched=24 * 84)
    await db.write(lambda c: c.execute(sa.update(tables.proxies).values(**values)))

    assert words in (await _advice(db)).words


async def test_a_host_without_its_own_has_the_default_pool(db: Database) -> None:
    await write(db, _asked_host, domain_pool=0, fetched=24 * 84)
    pooled = {"protocol": "http", "address": "pool.example", "port": 80, "in_default_pool": True}
    await db.write(lambda c: add_proxy(c, now=NOON, **pooled))

    assert (await _advice(db)).words.endswith("has 1 in the default pool")


async def test_nobody_is_advised_about_a_host_that_we_have_not_met(db: Database) -> None:
    with pytest.raises(BadInput, match="not a known host"):
        await _advice(db, "nobody.example")
