"""What stands between a URL and its request, in order: contact, takedown, robots, breaker."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from lamplighter.fetch import barrier
from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.barrier import Barrier
from lamplighter.fetch.gate import Gate, GatePassed
from lamplighter.fetch.held_host import RULES_KEPT_SECONDS
from lamplighter.model.visit import Failed, Fetched, Refusal, Refused, Visit
from lamplighter.rules.urls.addresses import AllowList
from tests.fetch.client_stack import Opened, opened
from tests.origin import Answer, Origin, busy

CONTACT = "https://lamplighter.example/bot"
EMAIL = "owner@lamplighter.example"


def refused(visit: Visit) -> Refused:
    assert isinstance(visit, Refused), visit
    return visit


# Contact


async def test_a_host_we_were_not_told_to_trust_is_not_asked_without_a_contact(origin: Origin, tmp_path: Path) -> None:
    """The origin is opened by its address; by its name it is a host like any other."""
    async with opened(tmp_path, origin) as door:
        refusal = refused(await door.ask(f"http://localhost:{origin.port}/"))

    assert refusal.reason is Refusal.NO_CONTACT
    assert all(name in refusal.detail for name in ("CONTACT_URL", "CONTACT_EMAIL", "USER_AGENT", "AIDJOBS_CRAWLER_UA"))
    assert origin.log == []


@pytest.mark.parametrize(
    "identity",
    [
        pytest.param({"contact_url": CONTACT}, id="a page about the crawler"),
        pytest.param({"user_agent": f"MyBot/2 (+{CONTACT})"}, id="a user-agent that names one"),
        pytest.param({"contact_email": EMAIL}, id="an e-mail address"),
    ],
)
async def test_with_a_contact_it_is_asked(origin: Origin, tmp_path: Path, identity: dict[str, str]) -> None:
    origin.page("/", "hello")

    async with opened(tmp_path, origin, **identity) as door:
        visit = await door.ask(f"http://localhost:{origin.port}/")

    assert isinstance(visit, Fetched)
    assert any(contact in origin.log[0].headers["user-agent"] for contact in (CONTACT, EMAIL))


async def test_an_opened_host_is_asked_without_a_contact(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", "hello")

    async with opened(tmp_path, origin) as door:
        visit = await door.ask(origin.url + "/")

    assert isinstance(visit, Fetched)


# Takedown


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        pytest.param("127.0.0.1", "/", id="the whole host"),
        pytest.param("{url}/people/", "/people/ada", id="below a URL"),
    ],
)
async def test_k3_what_was_taken_down_is_not_asked_for_not_even_its_robots_txt(
    origin: Origin, tmp_path: Path, entry: str, path: str
) -> None:
    entry = entry.format(url=origin.url)

    async with opened(tmp_path, origin) as door:
        await door.take_down(entry)
        refusal = refused(await door.ask(origin.url + path))

    assert refusal.reason is Refusal.TAKEDOWN
    assert entry in refusal.detail
    assert origin.log == []


async def test_a_takedown_of_one_url_leaves_the_rest_of_the_host_open(origin: Origin, tmp_path: Path) -> None:
    origin.page("/jobs", "hello")

    async with opened(tmp_path, origin) as door:
        await door.take_down(origin.url + "/people/")
        visit = await door.ask(origin.url + "/jobs")

    assert isinstance(visit, Fetched)


class _Clock:
    """A clock that the test sets forward."""

    def __init__(self, real: Opened) -> None:
        self.now = real.store.clock.now
        self.seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds


async def test_k3_a_takedown_takes_effect_within_five_seconds(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", "hello")

    async with opened(tmp_path, origin) as door:
        clock = _Clock(door)
        guard = AddressGuard(AllowList.parse(origin.address))
        listed = Barrier(door.store.db, guard=guard, clock=clock, has_contact=True)
        gate = Gate(barrier=listed, robots=door.door.robots)
        async with door.door.turns.visiting(origin.address, patience=60) as held:
            before = await gate.check(origin.url + "/", held)
            await door.take_down("127.0.0.1")
            clock.seconds += 5.01
            after = await gate.check(origin.url + "/", held)

    assert isinstance(before, GatePassed)
    assert isinstance(after, Refused)
    assert after.reason is Refusal.TAKEDOWN


async def test_k3_what_is_taken_down_while_it_waits_for_its_turn_is_not_asked_for(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(barrier, "TAKEDOWNS_KEPT_SECONDS", 0.1)
    origin.page("/", "hello")
    origin.page("/next", "hello")

    async with opened(tmp_path, origin) as door:
        await door.ask(origin.url + "/")
        async with door.door.turns.visiting(origin.address, patience=60) as held:
            async with held.turn():
                waiting = asyncio.create_task(door.ask(origin.url + "/next"))
                await asyncio.sleep(0.5)  # it has passed the gate
                await door.take_down("127.0.0.1")
                await asyncio.sleep(0.2)
            refusal = refused(await waiting)

    assert refusal.reason is Refusal.TAKEDOWN
    assert [hit.path for hit in origin.log] == ["/robots.txt", "/"]


async def test_k3_nor_is_the_robots_txt_of_what_is_taken_down_while_that_waits_for_its_turn(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(barrier, "TAKEDOWNS_KEPT_SECONDS", 0.1)

    async with opened(tmp_path, origin) as door, door.door.turns.visiting(origin.address, patience=60) as held:
        async with held.turn():
            waiting = asyncio.create_task(door.ask(origin.url + "/"))
            await asyncio.sleep(0.5)  # it asks for robots.txt first
            await door.take_down("127.0.0.1")
            await asyncio.sleep(0.2)
        refusal = refused(await waiting)

    assert refusal.reason is Refusal.TAKEDOWN
    assert origin.log == []


async def test_k3_what_is_taken_down_is_not_asked_for_in_the_next_turn_that_reads_the_rules(
    origin: Origin, tmp_path: Path
) -> None:
    origin.page("/", "hello")

    async with opened(tmp_path, origin) as door:
        clock = _Clock(door)
        guard = AddressGuard(AllowList.parse(origin.address))
        listed = Barrier(door.store.db, guard=guard, clock=clock, has_contact=True)
        gate = Gate(barrier=listed, robots=door.door.robots)
        async with door.door.turns.visiting(origin.address, patience=60) as held:
            async with held.turn():
                before = await listed.recheck(origin.url + "/", held)
            await gate.check(origin.url + "/", held)
            await door.take_down("127.0.0.1")
            await asyncio.sleep(RULES_KEPT_SECONDS)
            async with held.turn():
                at_once = await listed.recheck(origin.url + "/", held)

    assert before is None
    assert at_once is not None
    assert at_once.reason is Refusal.TAKEDOWN


# Robots


async def test_robots_disallow_names_the_line_that_decided(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: other\nDisallow: /\n\nUser-agent: LamplighterBot\nDisallow: /private\n")

    async with opened(tmp_path, origin) as door:
        refusal = refused(await door.ask(origin.url + "/private/x"))

    assert refusal.reason is Refusal.ROBOTS
    assert refusal.reason.is_final
    assert "'Disallow: /private'" in refusal.detail
    assert "line 5" in refusal.detail
    assert "group LamplighterBot".lower() in refusal.detail.lower()
    assert refusal.until is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        pytest.param("User-agent: *\nDisallow: /\nAllow: /jobs\n", "Allow: /jobs", id="the line that allowed it"),
        pytest.param("User-agent: *\nDisallow: /x\n", "no rule of robots.txt applies", id="no line says anything"),
    ],
)
async def test_what_is_allowed_says_by_which_rule(origin: Origin, tmp_path: Path, text: str, rule: str) -> None:
    origin.robots(text)
    origin.page("/jobs", "hello")

    async with opened(tmp_path, origin) as door:
        asked = await door.door.fetcher.fetch_once(origin.url + "/jobs")

    assert isinstance(asked.visit, Fetched)
    assert asked.allowed_by == rule


async def test_robots_txt_itself_may_always_be_asked_for(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nDisallow: /\n")

    async with opened(tmp_path, origin) as door:
        visit = await door.ask(origin.url + "/robots.txt")

    assert isinstance(visit, Fetched)


# Breaker


async def test_b5_a_blocked_host_is_not_asked_before_its_time(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.route("/", busy(retry_after="120"))

    async with opened(tmp_path, origin) as door:
        before = door.store.clock.now()
        answered = await door.ask(origin.url + "/")
        refusal = refused(await door.ask(origin.url + "/other"))

    assert isinstance(answered, Failed)
    assert refusal.reason is Refusal.BREAKER
    assert not refusal.reason.is_final
    assert refusal.until is not None
    assert refusal.until >= before + timedelta(seconds=120)
    assert [hit.path for hit in origin.log] == ["/robots.txt", "/"]


async def test_b5_a_blocked_host_is_not_asked_for_its_robots_txt_either(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.route("/", busy(retry_after="120"))
    tenth_of_a_second = 0.1 / 3600

    async with opened(tmp_path, origin, robots_ttl_hours=tenth_of_a_second) as door:
        await door.ask(origin.url + "/")
        await asyncio.sleep(0.1)
        refusal = refused(await door.ask(origin.url + "/other"))

    assert refusal.reason is Refusal.BREAKER
    assert len(origin.hits("/robots.txt")) == 1


async def test_what_robots_forbids_is_forbidden_also_while_the_host_is_blocked(origin: Origin, tmp_path: Path) -> None:
    """The final reason is told, not the passing one: such a page need not be tried again."""
    origin.robots("User-agent: *\nDisallow: /private\n")
    origin.route("/", busy(retry_after="120"))

    async with opened(tmp_path, origin) as door:
        await door.ask(origin.url + "/")
        refusal = refused(await door.ask(origin.url + "/private"))

    assert refusal.reason is Refusal.ROBOTS


async def test_a2_five_failures_in_a_row_open_the_breaker(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.otherwise(Answer(status=500))

    async with opened(tmp_path, origin, min_delay_ms=10) as door:
        visits = [await door.ask(f"{origin.url}/{number}") for number in range(6)]
        host = await door.host(origin)

    assert all(isinstance(visit, Failed) for visit in visits[:5])
    assert refused(visits[5]).reason is Refusal.BREAKER
    assert len(origin.log) == 6
    assert host.failure_count == 5
