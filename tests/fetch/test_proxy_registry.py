"""Who has taken which proxy, on both databases."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa

from lamplighter.app import default_proxies
from lamplighter.errors import NotFound
from lamplighter.fetch.proxy_registry import ProxyRegistry, TakenProxy
from lamplighter.model.host import Host, HostPolicy
from lamplighter.rules.proxies import proxy_address
from lamplighter.rules.proxies.proxy_choice import NoProxy
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import hosts
from lamplighter.store.schema.tables import proxies
from tests.clocks import At
from tests.counting import Counting
from tests.fetch.stored_proxies import VAULT, a_book, a_host, add_proxies, pair_row, proxy_row
from tests.moments import NOON

FIVE = [f"proxy{number}.example" for number in range(5)]
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock() -> At:
    return At()


async def taken(book: ProxyRegistry, host: Host) -> TakenProxy:
    found = await book.take(host)
    assert isinstance(found, TakenProxy), found
    return found


async def fail(book: ProxyRegistry, host: Host, times: int) -> None:
    for _ in range(times):
        await book.failed(await taken(book, host), why="the proxy could not be reached")


async def test_five_proxies_with_one_use_an_hour_are_used_in_turn_hour_by_hour(db: Database, clock: At) -> None:
    host = await a_host(db)
    ids = await add_proxies(db, *FIVE, host=host, max_requests_per_hour=1)
    book, order = a_book(db, clock), list[int]()

    for _ in range(12):
        order.append((await taken(book, host)).endpoint.id)
        clock.move(minutes=12)

    assert order == [*ids, *ids, *ids[:2]]


async def test_two_workers_never_take_the_same_turn(db: Database) -> None:
    clock = At()
    host = await a_host(db)
    ids = await add_proxies(db, *FIVE, host=host, max_requests_per_hour=2)
    workers = [a_book(db, clock) for _ in range(2)]

    found = await asyncio.gather(*(workers[number % 2].take(host) for number in range(12)))

    uses = [each.endpoint.id for each in found if isinstance(each, TakenProxy)]
    assert sorted(uses) == sorted(ids * 2)
    assert sum(isinstance(each, NoProxy) for each in found) == 2


async def test_a_host_with_proxies_of_its_own_leaves_the_pool_alone(db: Database, clock: At) -> None:
    own, other = await a_host(db), await a_host(db, "other.example")
    pool = await add_proxies(db, "pool.example")
    mine = await add_proxies(db, "mine.example", host=own)
    book = a_book(db, clock)

    assert (await taken(book, own)).endpoint.id == mine[0]
    assert (await taken(book, other)).endpoint.id == pool[0]


async def is_concerned(db: Database, book: ProxyRegistry, host: Host) -> bool:
    async with db.read() as reading:
        rules = (await hosts.current_rules(reading, [host.id], defaults=HostPolicy())).get(host.id)
    assert rules is not None
    return book.concerns(host, has_proxies=rules.has_proxies)


async def test_only_hosts_that_have_proxies_are_concerned(db: Database, clock: At) -> None:
    host, direct, other = (
        await a_host(db),
        await a_host(db, "direct.example", proxy_mode="never"),
        await a_host(db, "o.example"),
    )
    book = a_book(db, clock)
    before = await is_concerned(db, book, host)
    await add_proxies(db, "mine.example", host=host)
    await add_proxies(db, "also.example", host=direct)
    clock.move(seconds=6)

    assert [
        before,
        await is_concerned(db, book, host),
        await is_concerned(db, book, direct),
        await is_concerned(db, book, other),
    ] == [
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(("mode", "concerns"), [("only", True), ("prefer", False), ("never", False), (None, False)])
async def test_who_is_to_go_by_proxies_only_does_so_when_there_are_none(
    db: Database, clock: At, mode: str | None, concerns: bool
) -> None:
    host = await a_host(db, proxy_mode=mode)

    assert await is_concerned(db, a_book(db, clock), host) is concerns


async def test_a_pool_that_the_settings_name_and_somebody_emptied_lets_nobody_go_directly(
    db: Database, clock: At
) -> None:
    host = await a_host(db)
    book = ProxyRegistry(db, clock=clock, vault=VAULT, trusted=[("http", "pool.example", 8080)])

    assert await is_concerned(db, book, host)
    assert isinstance(await book.take(host), NoProxy)


async def test_a_pair_rests_after_five_failures_and_the_proxy_after_ten(db: Database, clock: At) -> None:
    first, second = await a_host(db), await a_host(db, "other.example")
    (proxy,) = await add_proxies(db, "one.example", host=first)
    await db.write(lambda connection: _assign(connection, second, proxy))
    book = a_book(db, clock)

    await fail(book, first, 5)
    pair = await book.take(first)
    row = await proxy_row(db, proxy)
    await fail(book, second, 5)

    assert isinstance(pair, NoProxy)
    assert pair.until == NOON + timedelta(minutes=5)
    assert (row.failure_count, row.quarantined_until) == (5, None)
    cooled = await proxy_row(db, proxy)
    assert (cooled.failure_count, cooled.quarantined_until) == (10, NOON + timedelta(minutes=5))
    assert cooled.last_error == "the proxy could not be reached"


async def _assign(connection: object, host: Host, proxy: int) -> None:
    from lamplighter.store.proxies import proxies as stored

    await stored.assign(connection, host.id, [proxy], priority=50)  # type: ignore[arg-type]


async def test_requests_are_counted_by_whether_the_proxy_passed_them_on(db: Database, clock: At) -> None:
    host = await a_host(db)
    await add_proxies(db, "one.example", host=host)
    book, counting = a_book(db, clock), Counting()

    await book.succeeded(await taken(book, host), took=SECOND)
    await fail(book, host, 2)

    on_outcome = {result: counting.since("crawler_proxy_requests_total", result=result) for result in ("ok", "fault")}
    assert on_outcome == {"ok": 1, "fault": 2}


async def test_a_rested_proxy_is_tried_by_one_whose_success_clears_everything(db: Database, clock: At) -> None:
    host = await a_host(db)
    (proxy,) = await add_proxies(db, "one.example", host=host)
    book = a_book(db, clock)
    await fail(book, host, 5)
    clock.move(minutes=5)

    found = await asyncio.gather(*(book.take(host) for _ in range(3)))
    tries = [each for each in found if isinstance(each, TakenProxy)]
    await book.succeeded(tries[0], took=SECOND)

    assert len(tries) == 1
    row = await pair_row(db, proxy)
    assert (row.failure_count, row.failure_total, row.success_total) == (0, 5, 1)
    assert (row.quarantined_until, row.quarantine_count) == (None, 0)
    assert row.average_took_ms == 1000


async def test_a_rested_proxy_of_the_pool_is_tried_for_one_host_and_for_no_other_meanwhile(
    db: Database, clock: At
) -> None:
    hosts = [await a_host(db, name) for name in ("one.example", "two.example")]
    await add_proxies(db, "pool.example")
    book = a_book(db, clock)
    for number in range(10):
        await book.failed(await taken(book, hosts[number % 2]), why="the proxy could not be reached")
    clock.move(minutes=6)

    tried = await taken(book, hosts[0])
    meanwhile = await book.take(hosts[1])
    await book.succeeded(tried, took=SECOND)

    assert tried.tries_proxy
    assert isinstance(meanwhile, NoProxy)
    assert isinstance(await book.take(hosts[1]), TakenProxy)


async def test_a_try_that_fails_makes_the_rest_longer(db: Database, clock: At) -> None:
    host = await a_host(db)
    await add_proxies(db, "one.example", host=host)
    book = a_book(db, clock)
    await fail(book, host, 5)
    clock.move(minutes=5)

    await fail(book, host, 1)

    found = await book.take(host)
    assert isinstance(found, NoProxy)
    assert found.until == clock.now() + timedelta(minutes=10)


async def test_a_certain_proxy_can_be_taken_while_it_rests_but_not_beyond_its_hour(db: Database, clock: At) -> None:
    host = await a_host(db)
    (proxy,) = await add_proxies(db, "one.example", host=host, max_requests_per_hour=6)
    book = a_book(db, clock)
    await fail(book, host, 5)

    tried = await book.take_this(proxy, host)
    again = await book.take_this(proxy, host)

    assert isinstance(tried, TakenProxy)
    assert isinstance(again, NoProxy)
    with pytest.raises(NotFound):
        await book.take_this(proxy + 1, host)


async def test_a_password_is_opened_for_the_request_and_shown_nowhere(db: Database, clock: At) -> None:
    host = await a_host(db)
    await add_proxies(db, "one.example", host=host, username="canary-user", encrypted_password=VAULT.encrypt("canary"))

    found = await taken(a_book(db, clock), host)

    assert (found.endpoint.username, found.endpoint.password) == ("canary-user", "canary")
    assert "canary" not in repr(found)


async def test_a_password_that_no_key_opens_is_trouble_that_is_told(db: Database, clock: At) -> None:
    host = await a_host(db)
    await add_proxies(db, "one.example", host=host, encrypted_password=b"nonsense")

    found = await taken(a_book(db, clock), host)

    assert found.trouble is not None
    assert "password cannot be decrypted" in found.trouble


async def test_the_pool_of_the_settings_is_written_once_and_follows_them(db: Database) -> None:
    named = [proxy_address.parse(f"socks5://user:secret@{host}:1080") for host in ("one.example", "two.example")]

    async def write(count: int) -> dict[str, tuple[bool, bytes]]:
        await db.write(lambda connection: default_proxies.write_rows(connection, named[:count], vault=VAULT, now=NOON))
        async with db.read() as connection:
            rows = (await connection.execute(sa.select(proxies))).all()
        return {row.address: (row.in_default_pool, row.encrypted_password) for row in rows}

    first, again, fewer = await write(2), await write(2), await write(1)

    assert again == first
    assert VAULT.decrypt(first["one.example"][1]) == "secret"
    assert {name: is_in for name, (is_in, _) in fewer.items()} == {"one.example": True, "two.example": False}
