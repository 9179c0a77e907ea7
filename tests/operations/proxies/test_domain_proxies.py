"""Which proxies do domains have, and which domains a proxy?"""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.errors import BadInput
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostPolicy
from lamplighter.model.proxy import ProxyMode
from lamplighter.operations.hosts import domains
from lamplighter.operations.proxies import domain_proxies
from lamplighter.operations.proxies.proxies import ProxyHealth, health_of
from lamplighter.rules.proxies import hourly_use
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import hosts
from lamplighter.store.proxies import proxy_lists
from lamplighter.store.schema import tables
from tests.changing import add_proxy
from tests.moments import NOON
from tests.store.given_rows import write

HOUR = timedelta(hours=1)
AROUND = domains.DomainDefaults(
    defaults=HostPolicy(), agent="LamplighterBot/1.0 (+https://bot.example/)", run_deadline=timedelta(hours=1)
)


async def _domain(db: Connection, name: str) -> int:
    settings = domains.DomainInput(base_url=f"https://{name}/")
    return await domains.add(db, None, settings, stamp=Stamp("test", NOON), around=AROUND)


async def _proxy(db: Connection, name: str) -> int:
    return await add_proxy(db, now=NOON, protocol="http", address=name, port=80)


async def _two_of_each(db: Connection) -> tuple[list[int], list[int]]:
    found = [await _domain(db, name) for name in ("b.example", "a.example")]
    domain_pool = [await _proxy(db, name) for name in ("one.example", "two.example")]
    for domain_id in found:
        await domain_proxies.assign(db, domain_id, domain_pool, priority=50, stamp=Stamp("test", NOON))
    return found, domain_pool


async def _read(db: Database, work: Any, *arguments: Any, **more: Any) -> Any:
    async with db.read() as connection:
        return await work(connection, *arguments, **more)


async def test_domains_are_listed_by_name_with_all_their_proxies(db: Database) -> None:
    (b, a), domain_pool = await write(db, _two_of_each)
    await write(db, domain_proxies.assign, b, domain_pool[1:], priority=90, stamp=Stamp("test", NOON))

    listed, total = await _read(db, domain_proxies.listed, limit=10, offset=0, now=NOON)
    second, _ = await _read(db, domain_proxies.listed, limit=1, offset=1, now=NOON)

    assert [(each.domain_id, each.domain_name) for each in listed] == [(a, "a.example"), (b, "b.example")]
    assert [[one.proxy_id for one in each.proxies] for each in listed] == [domain_pool, domain_pool[::-1]]
    assert (total, [each.domain_id for each in second]) == (2, [b])


async def test_a_domain_has_no_exit_when_each_proxy_is_off_somewhere(db: Database) -> None:
    (_, a), (one, two) = await write(db, _two_of_each)
    await write(db, domain_proxies.disable, a, one, stamp=Stamp("test", NOON))

    before = await _read(db, proxy_lists.hosts_without_proxy, limit=10, now=NOON)
    await db.write(
        lambda c: c.execute(sa.update(tables.proxies).values(enabled=False).where(tables.proxies.c.id == two))
    )
    after = await _read(db, proxy_lists.hosts_without_proxy, limit=10, now=NOON)

    assert (before, after) == ([], ["a.example"])


async def test_a_proxy_knows_its_domains(db: Database) -> None:
    (b, a), (one, _) = await write(db, _two_of_each)

    used_for = await _read(db, domain_proxies.of_proxy, one, now=NOON)

    assert [(domain_id, name) for domain_id, name, _ in used_for] == [(a, "a.example"), (b, "b.example")]


async def test_a_host_is_found_by_its_name_however_it_is_written(db: Database) -> None:
    (b, _), _ = await write(db, _two_of_each)

    assert await _read(db, domain_proxies.host_called, " B.example ") == b
    assert await _read(db, proxy_lists.host_names, limit=1) == ["a.example"]


@pytest.mark.parametrize("name", ["", "c.example", "a\x00.example"])
async def test_a_name_that_is_no_host_of_ours_is_told(db: Database, name: str) -> None:
    with pytest.raises(BadInput, match="is not a known host"):
        await _read(db, domain_proxies.host_called, name)


@pytest.mark.parametrize("priority", [-1, 101])
async def test_a_priority_out_of_range_is_refused(db: Database, priority: int) -> None:
    (b, _), domain_pool = await write(db, _two_of_each)

    with pytest.raises(BadInput, match="out of range"):
        await write(db, domain_proxies.assign, b, domain_pool, priority=priority, stamp=Stamp("test", NOON))


async def test_a_host_that_is_no_domain_may_have_proxies_too(db: Database) -> None:
    one = await write(db, _proxy, "one.example")
    host_id = (await write(db, hosts.ensure, ["plain.example"], now=NOON))["plain.example"]

    await write(db, domain_proxies.assign, host_id, [one], priority=50, stamp=Stamp("test", NOON))

    domain_pool = await _read(db, domain_proxies.of_domain, host_id, now=NOON)
    assert (domain_pool.domain_name, [each.proxy_id for each in domain_pool.proxies]) == ("plain.example", [one])


async def _three(db: Connection, **proxies: Any) -> int:
    """A host with three proxies; what is said of a standing is said of the first one."""
    host_id = (await hosts.ensure(db, ["a.example"], now=NOON))["a.example"]
    domain_pool = [await _proxy(db, f"{name}.example") for name in ("one", "two", "three")]
    await domain_proxies.assign(db, host_id, domain_pool, priority=50, stamp=Stamp("test", NOON))
    if proxies:
        first = tables.proxy_standings.c.proxy_id == domain_pool[0]
        await db.execute(sa.update(tables.proxy_standings).where(first).values(**proxies))
    return host_id


async def test_the_least_recently_used_of_the_best_priority_comes_next(db: Database) -> None:
    host_id = await write(db, _three, last_used_at=NOON - HOUR, priority=50)
    better = tables.proxy_standings.c.proxy_id == 3
    values = {"priority": 90, "last_used_at": NOON}
    await db.write(lambda c: c.execute(sa.update(tables.proxy_standings).where(better).values(**values)))

    domain_pool = await _read(db, domain_proxies.of_domain, host_id, now=NOON)

    assert [each.proxy_id for each in domain_pool.in_turn] == [3, 2, 1]


@pytest.mark.parametrize(
    ("first", "alerts"),
    [
        pytest.param({}, (), id="three working"),
        pytest.param({"enabled": False}, ("fewer than 3 working",), id="one is off"),
        pytest.param({"quarantined_until": NOON + HOUR}, ("fewer than 3 working",), id="one rests"),
        pytest.param({"quarantined_until": NOON - HOUR}, (), id="one has rested"),
        pytest.param({"success_total": 89, "failure_total": 11}, ("more than 10 % fail",), id="one in ten fails"),
        pytest.param({"success_total": 9, "failure_total": 1}, (), id="exactly one in ten"),
    ],
)
async def test_a_pool_in_trouble_says_so(db: Database, first: dict[str, Any], alerts: tuple[str, ...]) -> None:
    host_id = await write(db, _three, **first)

    domain_pool = await _read(db, domain_proxies.of_domain, host_id, now=NOON)

    assert domain_pool.alerts(usual=ProxyMode.ONLY) == alerts


@pytest.mark.parametrize(
    ("mode", "alerts"),
    [
        (None, ("none working: its pages wait",)),
        ("prefer", ("none working: requests go directly",)),
        ("never", ()),
    ],
)
async def test_without_a_working_proxy_it_depends_on_the_host_what_happens(
    db: Database, mode: str | None, alerts: tuple[str, ...]
) -> None:
    host_id = await write(db, _three)
    await db.write(lambda c: c.execute(sa.update(tables.proxies).values(quarantined_until=NOON + HOUR)))
    await db.write(lambda c: c.execute(sa.update(tables.hosts).values(proxy_mode=mode)))

    domain_pool = await _read(db, domain_proxies.of_domain, host_id, now=NOON)

    assert domain_pool.alerts(usual=ProxyMode.ONLY) == alerts
    assert await _read(db, proxy_lists.hosts_without_proxy, limit=9, now=NOON) == (
        [] if mode == "never" else ["a.example"]
    )


async def test_a_proxy_of_another_country_is_none_for_a_host_that_wants_one(db: Database) -> None:
    host_id = await write(db, _three)
    german = sa.update(tables.proxies).where(tables.proxies.c.id == 2).values(country_code="DE")
    await db.write(lambda c: c.execute(german))
    await db.write(lambda c: c.execute(sa.update(tables.hosts).values(proxy_country="DE")))

    domain_pool = await _read(db, domain_proxies.of_domain, host_id, now=NOON)

    assert [each.proxy_id for each in domain_pool.in_turn] == [2]


async def test_a_proxy_whose_hour_is_used_up_is_not_in_turn(db: Database) -> None:
    host_id = await write(db, _three)
    uses = hourly_use.to_json(hourly_use.used((), now=NOON))
    spent = sa.update(tables.proxies).where(tables.proxies.c.id == 1).values(hour_uses=uses, max_requests_per_hour=1)
    await db.write(lambda c: c.execute(spent))

    domain_pool = await _read(db, domain_proxies.of_domain, host_id, now=NOON)

    assert [each.proxy_id for each in domain_pool.in_turn] == [2, 3]


@pytest.mark.parametrize(
    ("enabled", "is_cooling_down", "failures", "used", "health"),
    [
        (False, True, 9, 9, ProxyHealth.OFF),
        (True, True, 9, 9, ProxyHealth.RESTING),
        (True, False, 0, 0, ProxyHealth.UNUSED),
        (True, False, 0, 1, ProxyHealth.GOOD),
        (True, False, 1, 1, ProxyHealth.SHAKY),
        (True, False, 5, 9, ProxyHealth.FAILING),
    ],
)
def test_a_proxy_fares_as_its_last_requests_did(
    enabled: bool, is_cooling_down: bool, failures: int, used: int, health: ProxyHealth
) -> None:
    assert health_of(enabled=enabled, is_cooling_down=is_cooling_down, failures_in_a_row=failures, used=used) is health
