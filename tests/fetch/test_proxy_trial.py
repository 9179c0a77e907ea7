"""Requests through real proxies, as the origin saw them: whose turn it was, how far apart, and what follows a fault."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app.engines import vault_of
from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.barrier import Barrier
from lamplighter.fetch.client import Client
from lamplighter.fetch.past_requests import PastRequests
from lamplighter.fetch.proxy_routing import ProxyRouting
from lamplighter.fetch.turns import Turns
from lamplighter.model.host import Host, HostPolicy
from lamplighter.model.visit import Failed, Fault, Fetched, Refusal, Refused, ResponseHead, Visit
from lamplighter.ports import Clock
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.store.engine.database import Database
from lamplighter.store.proxies import proxies
from tests.fetch.client_stack import TOLERANCE, Opened, a_client, a_request, opened
from tests.fetch.stored_proxies import a_book, a_host, add_proxies, pair_row, proxy_row
from tests.origin import Answer, Origin, hang
from tests.origin.certificate import self_signed
from tests.proxies import HttpProxy, Mood, SocksProxy
from tests.proxies.listener import Listener

OriginFactory = Callable[..., Awaitable[Origin]]
DELAY = 0.1
CANARY = "canary-password"


class Exits:
    """A door to one origin, and proxies of its own to it."""

    def __init__(self, door: Opened, host: Host, proxies: list[Listener], ids: list[int]) -> None:
        self.door = door
        self.host = host
        self.proxies = proxies
        self.ids = ids

    async def ask(self, origin: Origin, path: str = "/a") -> Visit:
        return await self.door.ask(origin.url + path)

    async def proxy(self, number: int) -> Any:
        return await proxy_row(self.door.store.db, self.ids[number])

    async def pair(self, number: int) -> Any:
        return await pair_row(self.door.store.db, self.ids[number])


@asynccontextmanager
async def proxies_for(
    folder: Path, origin: Origin, *proxies: Listener, policy: dict[str, Any] | None = None, **values: Any
) -> AsyncIterator[Exits]:
    async with AsyncExitStack() as stack:
        for proxy in proxies:
            await stack.enter_async_context(proxy)
        quick: dict[str, Any] = {"allow_hosts": "127.0.0.0/8", "min_delay_ms": DELAY * 1000}
        quick |= {"connect_timeout_seconds": 2, "read_timeout_seconds": 2}
        door = await stack.enter_async_context(opened(folder, origin, **quick))
        host = await a_host(door.store.db, origin.address, **(policy or {}))
        vault = vault_of(door.settings)
        ids = await add_proxies(door.store.db, *proxies, host=host, vault=vault, **values)
        yield Exits(door, host, list(proxies), ids)


def five() -> list[Listener]:
    kinds: list[type[Listener]] = [HttpProxy, SocksProxy, HttpProxy, SocksProxy, HttpProxy]
    return [kind(exit=f"127.0.0.{11 + number}", username="user", password=CANARY) for number, kind in enumerate(kinds)]


def peers(origin: Origin) -> list[int]:
    """Which of the exits were used, from 0; robots.txt included."""
    return [int(hit.peer.rpartition(".")[2]) - 11 for hit in origin.log]


async def test_five_proxies_take_turns_and_the_hosts_delay_holds_across_them(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.page("/a", "hello")

    async with proxies_for(tmp_path, origin, *five()) as exits:
        visits = [await exits.ask(origin) for _ in range(9)]

    assert all(isinstance(visit, Fetched) for visit in visits)
    assert peers(origin) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]
    assert min(origin.gaps()) >= DELAY - TOLERANCE
    assert origin.max_in_flight == 1


async def test_a_slow_exit_and_a_quick_one_do_not_bring_two_requests_closer_together(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.page("/a", "hello")

    async with proxies_for(tmp_path, origin, *five()[:2], policy={"max_concurrency": 4}) as exits:
        await exits.ask(origin)
        exits.proxies[0].lag = 0.3
        await asyncio.gather(*(exits.ask(origin) for _ in range(4)))

    assert min(origin.gaps()) >= DELAY - TOLERANCE


async def test_heads_and_robots_go_by_the_same_exits(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.page("/a", "hello")

    async with proxies_for(tmp_path, origin, *five()[:2]) as exits:
        peeked = await exits.door.door.fetcher.peek_once(origin.url + "/a")

    assert isinstance(peeked, ResponseHead)
    assert [(hit.method, hit.path) for hit in origin.log] == [("GET", "/robots.txt"), ("HEAD", "/a")]
    assert peers(origin) == [0, 1]


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        pytest.param(403, {}, id="403"),
        pytest.param(429, {"Retry-After": "60"}, id="429"),
        pytest.param(500, {}, id="500"),
        pytest.param(503, {}, id="503"),
        pytest.param(403, {"Proxy-Authenticate": "Basic"}, id="403 of a site that plays a proxy"),
        pytest.param(429, {"Proxy-Status": "cdn; error=http_request_denied"}, id="429 of a CDN"),
        pytest.param(500, {"X-Squid-Error": "\u00c2\u00a0"}, id="a mark of a blank"),
        pytest.param(500, {"X-Squid-Error": "\u00a0"}, id="a mark that is no text"),
    ],
)
async def test_what_the_site_answers_never_leads_to_another_proxy(
    status: int, headers: dict[str, str], origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.route("/a", Answer(status=status, headers=headers))
    by_http = [HttpProxy(exit=f"127.0.0.{11 + number}") for number in range(3)]

    async with proxies_for(tmp_path, origin, *by_http) as exits:
        visit = await exits.ask(origin)
        rows = [await exits.proxy(number) for number in range(3)]

    assert isinstance(visit, Failed)
    assert visit.status == status
    assert visit.fault is not Fault.PROXY
    assert peers(origin) == [0, 1]
    assert [(row.success_total, row.failure_total) for row in rows] == [(1, 0), (1, 0), (0, 0)]


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
@pytest.mark.parametrize("mood", [mood for mood in Mood if mood not in (Mood.PASS_ON, Mood.STALL, Mood.LIE)])
async def test_however_two_proxies_fail_the_third_is_tried_and_the_host_is_not_blamed(
    mood: Mood, kind: type[Listener], origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.page("/a", "hello")
    bad = [kind(exit=f"127.0.0.{11 + number}", username="user", password=CANARY) for number in range(2)]

    async with proxies_for(tmp_path, origin, *bad, SocksProxy(exit="127.0.0.13")) as exits:
        for proxy in bad:
            proxy.mood = mood if kind is HttpProxy or mood is not Mood.UNREACHABLE else Mood.REFUSE
            if isinstance(proxy, HttpProxy):
                proxy.unreachable = (502, {})
        visit = await exits.ask(origin)
        host = await exits.door.host(origin)
        broken = [await exits.pair(number) for number in range(2)]

    assert isinstance(visit, Fetched), visit
    assert set(peers(origin)) == {2}
    assert min(origin.gaps()) >= DELAY - TOLERANCE
    assert (host.failure_count, host.learnt_delay.total_seconds()) == (0, 0)
    assert [(pair.success_total, pair.failure_total > 0) for pair in broken] == [(0, True)] * 2
    assert CANARY not in broken[0].last_error


async def test_after_a_silent_proxy_another_is_tried_and_the_host_is_not_blamed(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.page("/a", "hello")

    async with proxies_for(tmp_path, origin, *five()[:2]) as exits:
        exits.proxies[0].mood = Mood.STALL
        visit = await exits.ask(origin)
        host = await exits.door.host(origin)
        broken = await exits.pair(0)

    assert isinstance(visit, Fetched), visit
    assert set(peers(origin)) == {1}
    assert host.failure_count == 0
    assert broken.failure_total >= 1


def a_routing(db: Database, client: Client, clock: Clock) -> ProxyRouting:
    barrier = Barrier(db, guard=AddressGuard(AllowList()), clock=clock, has_contact=True)
    return ProxyRouting(a_book(db, clock), client=client, barrier=barrier, past=PastRequests(), clock=clock)


async def test_proxies_that_cannot_have_reached_the_site_share_one_turn(db: Database) -> None:
    clock = DatabaseClock()
    host = await a_host(db, "shop.example")
    ids = await add_proxies(db, "one.example", "two.example", "three.example", host=host)
    # A second turn would come only after its delay, which is longer than anybody waits.
    policy = HostPolicy(min_delay=timedelta(hours=1))
    turns = Turns(db, clock=clock, defaults=policy, lease=timedelta(minutes=1), slots=4)

    async with a_client() as client, turns.visiting("shop.example", patience=5) as held:
        routed = await a_routing(db, client, clock).send(held, a_request("http://shop.example/"))
        rows = [await proxy_row(db, number) for number in ids]

    assert isinstance(routed.visit, Failed)
    assert [row.failure_total for row in rows] == [1, 1, 1]


async def test_when_every_proxy_fails_it_is_the_proxies_fault(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.page("/a", "hello")
    by_http = [HttpProxy(exit=f"127.0.0.{11 + number}") for number in range(3)]

    async with proxies_for(tmp_path, origin, *by_http) as exits:
        await exits.ask(origin)
        before = sum(len(proxy.asked) for proxy in by_http)
        for proxy in by_http:
            proxy.mood = Mood.REFUSE
        visit = await exits.ask(origin)

    assert isinstance(visit, Failed)
    assert (visit.fault, visit.doubt) == (Fault.PROXY, None)
    assert sum(len(proxy.asked) for proxy in by_http) - before == 3


async def test_a_gateway_that_fails_through_two_proxies_is_the_sites(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.route("/a", Answer(status=502))

    async with proxies_for(tmp_path, origin, HttpProxy(exit="127.0.0.11"), HttpProxy(exit="127.0.0.12")) as exits:
        visit = await exits.ask(origin)
        host = await exits.door.host(origin)
        rows = [await exits.proxy(number) for number in range(2)]

    assert isinstance(visit, Failed)
    assert (visit.fault, visit.status) == (Fault.SERVER_ERROR, 502)
    assert (host.failure_count, [row.failure_total for row in rows]) == (0, [0, 0])


async def test_a_site_that_is_silent_through_two_exits_is_to_blame_itself(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.route("/a", hang())

    async with proxies_for(tmp_path, origin, *five()[:2]) as exits:
        visit = await exits.ask(origin)
        host = await exits.door.host(origin)
        rows = [await exits.proxy(number) for number in range(2)]

    assert isinstance(visit, Failed)
    assert visit.fault is Fault.TIMEOUT
    assert host.failure_count == 1
    assert [row.failure_total for row in rows] == [0, 0]


async def test_a_site_that_bears_a_proxys_marks_through_two_exits_is_to_blame_itself(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.route("/a", Answer(status=502, headers={"Proxy-Status": "cdn; error=proxy_internal_error"}))

    async with proxies_for(tmp_path, origin, HttpProxy(exit="127.0.0.11"), HttpProxy(exit="127.0.0.12")) as exits:
        visit = await exits.ask(origin)
        host = await exits.door.host(origin)
        rows = [await exits.proxy(number) for number in range(2)]

    assert isinstance(visit, Failed)
    assert (visit.fault, visit.status) == (Fault.SERVER_ERROR, 502)
    assert host.failure_count == 0  # one failing path says nothing about the host
    assert [row.failure_total for row in rows] == [0, 0]


async def test_two_broken_proxies_are_blamed_while_a_third_reaches_the_site(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.page("/a", "hello")

    by_http = [HttpProxy(exit=f"127.0.0.{11 + number}") for number in range(3)]

    async with proxies_for(tmp_path, origin, *by_http) as exits:
        for _ in range(2):
            await exits.ask(origin)
        for proxy in exits.proxies[:2]:
            proxy.mood = Mood.HANG_UP
        visits = [await exits.ask(origin) for _ in range(4)]
        pairs = [await exits.pair(number) for number in range(3)]

    assert [isinstance(visit, Fetched) for visit in visits] == [True] * 4
    assert [(pair.failure_count, pair.failure_total) for pair in pairs] == [(4, 4), (4, 4), (0, 0)]


async def test_a_host_that_goes_by_proxies_only_is_not_asked_directly_once_they_are_gone(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.page("/a", "hello")

    async with proxies_for(tmp_path, origin, *five()[:1], policy={"proxy_mode": "only"}) as exits:
        await exits.door.store.db.write(lambda db: proxies.remove(db, exits.ids[0]))
        visit = await exits.ask(origin)

    assert isinstance(visit, Refused), visit
    assert visit.detail == f"{origin.address} has no proxies"
    assert origin.log == []


async def test_all_proxies_resting_refuse_with_the_reason_and_the_time(
    origin: Origin, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    origin.robots("")

    async with proxies_for(tmp_path, origin, *five()[:1]) as exits:
        exits.proxies[0].mood = Mood.REFUSE
        for _ in range(5):
            await exits.ask(origin)
        visit = await exits.ask(origin)
        row = await exits.pair(0)

    assert isinstance(visit, Refused)
    assert visit.reason is Refusal.NO_PROXY
    assert visit.until == row.quarantined_until
    assert f"the only proxy of {origin.address} is backing off after failures; next try" in visit.detail
    assert origin.log == []
    said = capsys.readouterr()
    assert "proxy.rests" in said.out + said.err
    assert CANARY not in said.out + said.err + repr(visit) + repr(row)


@pytest.mark.parametrize(
    ("policy", "proxy_used"),
    [
        pytest.param({"proxy_mode": "prefer"}, "127.0.0.1", id="prefer: directly while there is none"),
        pytest.param({"proxy_mode": "never"}, "127.0.0.1", id="never: always directly"),
        pytest.param({"proxy_mode": "only"}, None, id="only: not at all"),
    ],
)
async def test_without_a_usable_proxy_the_policy_decides(
    policy: dict[str, str], proxy_used: str | None, origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.page("/a", "hello")

    policy |= {"proxy_country": "FR"}
    async with proxies_for(tmp_path, origin, *five()[:1], policy=policy, country_code="DE") as exits:
        visit = await exits.ask(origin)

    assert {hit.peer for hit in origin.log} == ({proxy_used} if proxy_used else set())
    assert isinstance(visit, Fetched if proxy_used else Refused), visit


async def test_only_proxies_of_the_hosts_country_are_used(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.page("/a", "hello")

    policy, german = {"proxy_country": "DE"}, HttpProxy(exit="127.0.0.21")
    async with german, proxies_for(tmp_path, origin, *five()[:1], policy=policy, country_code="FR") as exits:
        await add_proxies(exits.door.store.db, german, host=exits.host, country_code="DE")
        visit = await exits.ask(origin)

    assert isinstance(visit, Fetched), visit
    assert {hit.peer for hit in origin.log} == {german.exit}


async def test_a_trial_asks_by_the_very_proxy_through_the_gate_and_counts(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nDisallow: /private")
    origin.page("/a", "hello")

    async with proxies_for(tmp_path, origin, *five()[:3]) as exits:
        good = await exits.door.door.fetcher.trial(exits.ids[2], origin.url + "/a")
        private = await exits.door.door.fetcher.trial(exits.ids[2], origin.url + "/private")
        exits.proxies[1].mood = Mood.REFUSE
        bad = await exits.door.door.fetcher.trial(exits.ids[1], origin.url + "/a")
        rows = [await exits.pair(number) for number in range(3)]

    assert isinstance(good, Fetched)
    assert isinstance(private, Refused)
    assert private.reason is Refusal.ROBOTS
    assert isinstance(bad, Failed)
    assert bad.fault is Fault.PROXY
    assert peers(origin) == [0, 2]
    assert [(row.success_total, row.failure_total) for row in rows] == [(1, 0), (0, 1), (1, 0)]


async def test_a_proxy_that_plays_an_https_site_is_found_out_by_the_one_that_reaches_it(
    origin_factory: OriginFactory, db: Database
) -> None:
    origin, clock = await origin_factory(tls=True), DatabaseClock()
    origin.page("/a", "hello")
    host = await a_host(db, origin.address)
    turns = Turns(db, clock=clock, defaults=HostPolicy(min_delay=timedelta(0)), lease=timedelta(seconds=30), slots=1)

    async with HttpProxy(exit="127.0.0.11") as liar, SocksProxy(exit="127.0.0.12") as honest:
        liar.mood = Mood.LIE
        ids = await add_proxies(db, liar, honest, host=host)
        async with (
            a_client("127.0.0.0/8", authorities=self_signed().certificate) as client,
            turns.visiting(origin.address, patience=60) as held,
        ):
            passed = await a_routing(db, client, clock).send(held, a_request(origin.url + "/a"))
        rows = [await proxy_row(db, number) for number in ids]

    assert isinstance(passed.visit, Fetched), passed.visit
    assert passed.proxy_id == ids[1]
    assert [(row.success_total, row.failure_total) for row in rows] == [(0, 1), (1, 0)]
    assert "TLS failed" in rows[0].last_error


async def test_two_exits_that_see_the_same_bad_certificate_are_no_liars(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    origin = await origin_factory(tls=True)

    async with proxies_for(tmp_path, origin, *five()[:2]) as exits:
        visit = await exits.ask(origin)
        rows = [await exits.proxy(number) for number in range(2)]

    assert isinstance(visit, Refused), visit
    assert visit.reason is Refusal.ROBOTS_UNREACHABLE
    assert [row.failure_total for row in rows] == [0, 0]
