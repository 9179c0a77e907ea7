"""Which proxies do domains have, and which domains a proxy?"""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.errors import BadInput
from lamplighter.model.host import HostPolicy
from lamplighter.operations import domain_proxies, domains
from lamplighter.operations.proxies import Health, health_of
from lamplighter.store import proxies, tables
from lamplighter.store.database import Connection, Database
from tests.moments import NOON
from tests.store.given import write

AROUND = domains.Around(
    defaults=HostPolicy(), agent="LamplighterBot/1.0 (+https://bot.example/)", run_deadline=timedelta(hours=1)
)


async def _domain(db: Connection, name: str) -> int:
    settings = domains.Settings(base_url=f"https://{name}/")
    return await domains.add(db, None, settings, actor="test", now=NOON, around=AROUND)


async def _proxy(db: Connection, name: str) -> int:
    return await proxies.add(db, now=NOON, protocol="http", address=name, port=80)


async def _two_of_each(db: Connection) -> tuple[list[int], list[int]]:
    found = [await _domain(db, name) for name in ("b.example", "a.example")]
    exits = [await _proxy(db, name) for name in ("one.example", "two.example")]
    for domain_id in found:
        await domain_proxies.assign(db, domain_id, exits, priority=50, actor="test", now=NOON)
    return found, exits


async def _read(db: Database, work: Any, *arguments: Any, **more: Any) -> Any:
    async with db.read() as connection:
        return await work(connection, *arguments, **more)


async def test_domains_are_listed_by_name_with_all_their_proxies(db: Database) -> None:
    (b, a), exits = await write(db, _two_of_each)
    await write(db, domain_proxies.assign, b, exits[1:], priority=90, actor="test", now=NOON)

    listed, total = await _read(db, domain_proxies.listed, limit=10, offset=0)
    second, _ = await _read(db, domain_proxies.listed, limit=1, offset=1)

    assert [(each.domain_id, each.domain_name) for each in listed] == [(a, "a.example"), (b, "b.example")]
    assert [[one.proxy_id for one in each.standings] for each in listed] == [exits, exits[::-1]]
    assert (total, [each.domain_id for each in second]) == (2, [b])


async def test_a_domain_has_no_exit_when_each_proxy_is_off_somewhere(db: Database) -> None:
    (_, a), (one, two) = await write(db, _two_of_each)
    await write(db, domain_proxies.disable, a, one, actor="test", now=NOON)

    before = await _read(db, domain_proxies.without_exit, limit=10)
    await db.write(
        lambda c: c.execute(sa.update(tables.proxies).values(enabled=False).where(tables.proxies.c.id == two))
    )
    after = await _read(db, domain_proxies.without_exit, limit=10)

    assert (before, after) == ([], ["a.example"])


async def test_a_proxy_knows_its_domains(db: Database) -> None:
    (b, a), (one, _) = await write(db, _two_of_each)

    used_for = await _read(db, domain_proxies.of_proxy, one)

    assert [(domain_id, name) for domain_id, name, _ in used_for] == [(a, "a.example"), (b, "b.example")]


async def test_a_domain_is_found_by_its_name_however_it_is_written(db: Database) -> None:
    (b, _), _ = await write(db, _two_of_each)

    assert await _read(db, domain_proxies.domain_called, " B.example ") == b
    assert await _read(db, domain_proxies.domain_names, limit=1) == ["a.example"]


@pytest.mark.parametrize("name", ["", "c.example", "a\x00.example"])
async def test_a_name_that_is_no_domain_is_told(db: Database, name: str) -> None:
    with pytest.raises(BadInput, match="is no domain"):
        await _read(db, domain_proxies.domain_called, name)


@pytest.mark.parametrize("priority", [-1, 101])
async def test_a_priority_out_of_range_is_refused(db: Database, priority: int) -> None:
    (b, _), exits = await write(db, _two_of_each)

    with pytest.raises(BadInput, match="out of range"):
        await write(db, domain_proxies.assign, b, exits, priority=priority, actor="test", now=NOON)


@pytest.mark.parametrize(
    ("enabled", "failures", "used", "health"),
    [
        (False, 9, 9, Health.OFF),
        (True, 0, 0, Health.UNUSED),
        (True, 0, 1, Health.GOOD),
        (True, 1, 1, Health.SHAKY),
        (True, 5, 9, Health.FAILING),
    ],
)
def test_a_proxy_fares_as_its_last_requests_did(enabled: bool, failures: int, used: int, health: Health) -> None:
    assert health_of(enabled=enabled, failures_in_a_row=failures, used=used) is health
