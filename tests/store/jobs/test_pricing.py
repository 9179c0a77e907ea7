"""What a fetch is worth, in the database."""

import asyncio
from datetime import timedelta

from lamplighter.crawl.planning import budget_spending
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import host_times, hosts
from lamplighter.store.jobs import pricing
from lamplighter.store.jobs.pricing import Pricing
from tests.changing import set_job
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_job, the_job, write


async def test_a_new_installation_knows_no_price(db: Database) -> None:
    assert await write(db, pricing.get) == Pricing()


async def test_what_is_not_given_stays_as_it_is(db: Database) -> None:
    await write(db, pricing.save, price=0.25, owed=1.5, figures={"sources": 3}, solved_at=NOON)

    await write(db, pricing.save_budget_free_at, NOON + HOUR)

    assert await write(db, pricing.get) == Pricing(
        price=0.25, owed=1.5, figures={"sources": 3}, solved_at=NOON, budget_free_at=NOON + HOUR
    )


async def test_prices_of_hosts_take_the_place_of_earlier_ones(db: Database) -> None:
    ids = await write(db, hosts.ensure, ["a.example", "b.example"], now=NOON)

    await write(db, pricing.save_host_prices, {ids["a.example"]: 1.5})
    await write(db, pricing.save_host_prices, {ids["b.example"]: 2.5})

    assert await write(db, pricing.host_prices) == {ids["b.example"]: 2.5}


async def test_no_charge_is_lost_when_many_charge_at_once(db: Database) -> None:
    job_id = await write(db, a_job)
    ids = await write(db, hosts.ensure, ["a.example"], now=NOON)
    await write(db, set_job, job_id, now=NOON, host_id=ids["a.example"], cost=2)
    await write(db, pricing.save_budget_free_at, NOON)
    job = await the_job(db, job_id)
    source_defaults = SourceDefaults(budget_per_hour=60, host_budget_per_hour=30)

    async def charge(connection: Connection) -> None:
        await budget_spending.charge(connection, [job], source_defaults=source_defaults, now=NOON)

    await asyncio.gather(*(db.write(charge) for _ in range(10)))

    (host,) = (await write(db, host_times.many, ids.values())).values()
    assert (await write(db, pricing.get)).budget_free_at == NOON + timedelta(minutes=20)
    assert host.budget_free_at == NOON + timedelta(minutes=40)
