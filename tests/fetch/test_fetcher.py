"""Gate, turn and request put together: what the origin sees of us."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from lamplighter.fetch import fetcher
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Refusal, Refused, ResponseHead, Validators
from tests.fetch.client_stack import TOLERANCE, a_request, fault_of, opened
from tests.origin import Answer, Origin, busy, redirect
from tests.origin.wire import Wire

OriginFactory = Callable[..., Awaitable[Origin]]
HTML = {"Content-Type": "text/html"}
PAGE = Answer(headers=HTML, body=b"<p>page</p>")
LAST_PAGE = Answer(headers={**HTML, "Connection": "close"})


# What the site sees


async def test_every_request_names_us_and_our_owner(origin: Origin, tmp_path: Path) -> None:
    origin.page("/", "hello")
    contact = {"contact_url": "https://lamplighter.example/bot", "contact_email": "owner@lamplighter.example"}

    async with opened(tmp_path, origin, **contact) as door:
        await door.ask(origin.url + "/")

    assert [hit.path for hit in origin.log] == ["/robots.txt", "/"]
    for hit in origin.log:
        assert hit.headers["user-agent"].startswith("LamplighterBot/")
        assert "(+https://lamplighter.example/bot)" in hit.headers["user-agent"]
        assert hit.headers["from"] == "owner@lamplighter.example"


async def test_the_name_on_the_wire_is_the_name_robots_txt_is_read_by(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: HarbourBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n")
    agent = "HarbourBot/2.0 (+https://lamplighter.example/bot)"

    async with opened(tmp_path, origin, user_agent=agent) as door:
        visit = await door.ask(origin.url + "/")

    assert isinstance(visit, Refused)
    assert origin.log[0].headers["user-agent"] == agent
    assert origin.hits("/") == []


async def test_b10_cookies_of_one_answer_are_not_sent_with_the_next(origin: Origin, tmp_path: Path) -> None:
    origin.route("/robots.txt", Answer(cookies=("robots=1; Path=/",)))
    origin.otherwise(Answer(headers=HTML, cookies=("session=1; Path=/; Max-Age=999",), body=b"<p>page</p>"))

    async with opened(tmp_path, origin) as door:
        for number in range(2):
            await door.ask(f"{origin.url}/{number}")

    assert all("cookie" not in hit.headers for hit in origin.log)


async def test_a_page_that_did_not_change_is_not_sent_again(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.page("/", "hello", etag='"1"', last_modified="Sat, 14 Mar 2026 12:00:00 GMT")

    async with opened(tmp_path, origin) as door, door.door.turns.visiting(origin.address, patience=60) as held:
        first = (await door.door.fetcher.fetch(held, a_request(origin.url + "/"))).visit
        assert isinstance(first, Fetched)
        second = (
            await door.door.fetcher.fetch(held, a_request(origin.url + "/", validators=lambda: first.validators))
        ).visit

    assert isinstance(second, NotModified)
    assert second.validators == first.validators
    assert [hit.status for hit in origin.log] == [200, 200, 304]
    assert origin.log[2].headers["if-none-match"] == '"1"'


async def test_validators_of_a_page_are_not_sent_to_its_robots_txt(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    kept = Validators(etag='"1"')

    async with opened(tmp_path, origin) as door, door.door.turns.visiting(origin.address, patience=60) as held:
        await door.door.fetcher.fetch(held, a_request(origin.url + "/", validators=lambda: kept))

    assert ["if-none-match" in hit.headers for hit in origin.log] == [False, True]


# Redirects


async def test_a_redirect_is_followed_in_the_host_s_pace(origin: Origin, tmp_path: Path) -> None:
    origin.route("/old", redirect("/new", 301))
    origin.page("/new", "hello")

    async with opened(tmp_path, origin, min_delay_ms=100) as door:
        visit = await door.ask(origin.url + "/old")

    assert isinstance(visit, Fetched)
    assert visit.url == origin.url + "/new"
    assert [hit.path for hit in origin.log] == ["/robots.txt", "/old", "/new"]
    assert min(origin.gaps()) >= 0.1 - TOLERANCE


@pytest.mark.parametrize(
    "target",
    [pytest.param("/loop", id="to itself"), pytest.param("/loop?again", id="by way of another")],
)
async def test_b3_a_redirect_loop_ends(origin: Origin, tmp_path: Path, target: str) -> None:
    origin.robots("")
    origin.route("/loop", redirect(target))
    origin.route("/loop?again", redirect("/loop"))

    async with opened(tmp_path, origin, min_delay_ms=10, max_redirects=3) as door:
        visit = await door.ask(origin.url + "/loop")

    assert fault_of(visit) is Fault.TOO_MANY_REDIRECTS
    assert len(origin.log) == 1 + 1 + 3


async def test_b3_exactly_the_allowed_number_of_redirects_is_followed(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    for number in range(3):
        origin.route(f"/{number}", redirect(f"/{number + 1}"))
    origin.route("/3", PAGE)

    async with opened(tmp_path, origin, min_delay_ms=10, max_redirects=3) as door:
        visit = await door.ask(origin.url + "/0")

    assert isinstance(visit, Fetched)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "javascript:alert(1)", "gopher://127.0.0.1/", "data:,x"])
async def test_b3_a_redirect_out_of_the_web_is_refused(origin: Origin, tmp_path: Path, target: str) -> None:
    origin.robots("")
    origin.route("/", redirect(target))

    async with opened(tmp_path, origin) as door:
        visit = await door.ask(origin.url + "/")

    assert fault_of(visit) is Fault.BAD_REDIRECT


async def test_b4_a_redirect_to_another_host_obeys_that_host_s_robots_txt(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    first, second = await origin_factory(), await origin_factory("127.0.0.2")
    first.route("/", redirect(second.url + "/private"))
    second.robots("User-agent: *\nDisallow: /private\n")

    async with opened(tmp_path, first, second) as door:
        visit = await door.ask(first.url + "/")

    assert isinstance(visit, Refused)
    assert visit.reason is Refusal.ROBOTS
    assert [hit.path for hit in second.log] == ["/robots.txt"]


async def test_b4_a_redirect_to_a_host_that_was_taken_down_is_not_followed(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    first, gone = await origin_factory(), await origin_factory("127.0.0.2")
    first.route("/", redirect(gone.url + "/"))

    async with opened(tmp_path, first, gone) as door:
        await door.take_down("127.0.0.2")
        visit = await door.ask(first.url + "/")

    assert isinstance(visit, Refused)
    assert visit.reason is Refusal.TAKEDOWN
    assert gone.log == []


async def test_b4_a_redirect_to_another_host_waits_for_that_host_s_turn(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    first, second = await origin_factory(), await origin_factory("127.0.0.2")
    first.route("/", redirect(second.url + "/2"))
    second.otherwise(PAGE)
    second.robots("")

    async with opened(tmp_path, first, second) as door:
        await door.set_policy(second, min_delay_ms=250)
        await door.ask(second.url + "/1")
        await door.ask(first.url + "/")

    assert [hit.path for hit in second.log] == ["/robots.txt", "/1", "/2"]
    assert min(second.gaps()) >= 0.25 - TOLERANCE


async def test_b4_nothing_of_the_first_host_is_told_to_the_second(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    first, second = await origin_factory(), await origin_factory("127.0.0.2")
    first.route("/", Answer(status=302, headers={"Location": second.url + "/"}, cookies=("a=1; Domain=127.0.0.2",)))

    async with opened(tmp_path, first, second) as door:
        await door.ask(first.url + "/")

    for hit in second.log:
        assert not {"cookie", "authorization", "referer", "if-none-match"} & set(hit.headers)


# Asked to stay away


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        pytest.param("120", 120, id="seconds"),
        pytest.param("-5", 30, id="negative: our own"),
        pytest.param("soon", 30, id="a word: our own"),
        pytest.param("1000000000000", 86400, id="absurd: a day"),
        pytest.param(None, 30, id="absent: our own"),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_b5_b6_a_busy_host_is_left_alone_as_long_as_it_says(
    origin: Origin, tmp_path: Path, status: int, retry_after: str | None, seconds: int
) -> None:
    origin.robots("")
    origin.route("/", busy(status, retry_after=retry_after))

    async with opened(tmp_path, origin) as door:
        before = door.store.clock.now()
        await door.ask(origin.url + "/")
        after = door.store.clock.now()
        host = await door.host(origin)

    if status == 503 and retry_after is None:
        assert host.blocked_until is None
        assert host.failure_count == 0  # one failing path says nothing about the host
        return
    block = timedelta(seconds=seconds)
    assert host.blocked_until is not None
    assert before + block <= host.blocked_until <= after + block
    assert host.learnt_delay >= timedelta(seconds=1)


@pytest.mark.parametrize("status", [429, 503])
async def test_b5_a_host_that_is_too_busy_to_tell_its_headers_is_left_alone_as_well(
    origin: Origin, tmp_path: Path, status: int
) -> None:
    origin.robots("")
    origin.otherwise(busy(status, retry_after="120"))

    async with opened(tmp_path, origin) as door:
        before = door.store.clock.now()
        first = await door.door.fetcher.peek_once(origin.url + "/a")
        second = await door.door.fetcher.peek_once(origin.url + "/a")
        host = await door.host(origin)

    assert isinstance(first, ResponseHead)
    assert first.status == status
    assert isinstance(second, Refused)
    assert second.reason is Refusal.BREAKER
    assert host.blocked_until is not None
    assert host.blocked_until >= before + timedelta(seconds=120)
    assert [hit.method for hit in origin.hits("/a")] == ["HEAD"]


async def test_b5_a_date_is_a_time_to_come_back(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")

    async with opened(tmp_path, origin) as door:
        until = (door.store.clock.now() + timedelta(minutes=10)).replace(microsecond=0)
        origin.route("/", busy(retry_after=format_datetime(until, usegmt=True)))
        await door.ask(origin.url + "/")
        host = await door.host(origin)

    assert host.blocked_until is not None
    assert until <= host.blocked_until <= until + timedelta(minutes=1)


async def test_b6_a_redirect_with_retry_after_is_not_followed_before_its_time(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.route("/old", redirect("/new", retry_after="120"))
    origin.route("/new", PAGE)

    async with opened(tmp_path, origin) as door:
        await door.ask(origin.url + "/old")

    assert origin.hits("/new") == []


async def test_b6_a_redirect_with_retry_after_is_not_followed_to_another_host_either(
    origin: Origin, origin_factory: OriginFactory, tmp_path: Path
) -> None:
    other = await origin_factory("127.0.0.2")
    origin.robots("")
    origin.route("/old", redirect(other.url + "/new", retry_after="120"))

    async with opened(tmp_path, origin, other) as door:
        visit = await door.ask(origin.url + "/old")

    assert isinstance(visit, Failed)
    assert (visit.fault, "only in 120 s" in visit.detail) == (Fault.BUSY, True)
    assert other.log == []


async def test_b5_whoever_waits_for_a_turn_when_the_host_asks_to_be_left_alone_does_not_go(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.route("/first", busy(retry_after="120"))
    origin.route("/second", PAGE)

    async with opened(tmp_path, origin) as door, door.door.turns.visiting(origin.address, patience=60) as held:
        await door.door.robots.of(origin.url, held)
        await door.door.barrier.refusal(origin.url)  # so that neither of the two has to look up takedowns first
        _, second = await asyncio.gather(
            door.door.fetcher.fetch(held, a_request(origin.url + "/first")),
            door.door.fetcher.fetch(held, a_request(origin.url + "/second")),
        )

    assert origin.hits("/second") == []
    assert isinstance(second.visit, Refused)
    assert second.visit.reason is Refusal.BREAKER


async def test_b5_an_answer_that_was_under_way_does_not_lift_the_block(origin: Origin, tmp_path: Path) -> None:
    async def slow_page(wire: Wire) -> None:
        await asyncio.sleep(0.2)
        await wire.send(LAST_PAGE.head(length=len(PAGE.body)) + PAGE.body)

    origin.robots("")
    origin.route("/slow", Answer(perform=slow_page))
    origin.route("/busy", busy(retry_after="120"))

    async with opened(tmp_path, origin) as door:
        await door.set_policy(origin, max_concurrency=2)
        before = door.store.clock.now()
        async with door.door.turns.visiting(origin.address, patience=60) as held:
            await door.door.robots.of(origin.url, held)
            await asyncio.gather(
                door.door.fetcher.fetch(held, a_request(origin.url + "/slow")),
                door.door.fetcher.fetch(held, a_request(origin.url + "/busy")),
            )
        host = await door.host(origin)

    assert host.blocked_until is not None
    assert host.blocked_until >= before + timedelta(seconds=120)


async def test_a2_a_host_that_hangs_up_on_every_request_opens_its_breaker(origin: Origin, tmp_path: Path) -> None:
    async def hang_up(wire: Wire) -> None:
        wire.reset()

    origin.robots("")
    origin.otherwise(Answer(perform=hang_up))

    async with opened(tmp_path, origin, min_delay_ms=10) as door:
        for number in range(5):
            await door.ask(f"{origin.url}/{number}")
        host = await door.host(origin)

    assert host.failure_count == 5
    assert host.blocked_until is not None


async def test_p3_a_host_that_hangs_up_is_not_asked_faster_for_it(origin: Origin, tmp_path: Path) -> None:
    async def hang_up(wire: Wire) -> None:
        wire.reset()

    origin.robots("")
    origin.otherwise(Answer(perform=hang_up))

    async with opened(tmp_path, origin, min_delay_ms=50) as door:
        for number in range(3):
            await door.ask(f"{origin.url}/{number}")

    assert min(origin.gaps()) >= 0.05 - TOLERANCE


async def test_what_was_learnt_survives_a_restart(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.route("/", busy(retry_after="120"))
    async with opened(tmp_path, origin) as door:
        await door.ask(origin.url + "/")

    async with opened(tmp_path, origin) as door:
        visit = await door.ask(origin.url + "/other")

    assert isinstance(visit, Refused)
    assert visit.reason is Refusal.BREAKER
    assert len(origin.log) == 2


async def test_p3_the_pace_survives_a_restart(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.otherwise(PAGE)

    for number in range(3):
        async with opened(tmp_path, origin, min_delay_ms=300) as door:
            await door.ask(f"{origin.url}/{number}")

    assert len(origin.log) == 4
    assert min(origin.gaps()) >= 0.3 - TOLERANCE


async def test_a_host_that_another_worker_holds_too_long_is_a_failure_not_a_wait_for_ever(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetcher, "PATIENCE_SECONDS", 0.1)

    async with (
        opened(tmp_path, origin) as one,
        opened(tmp_path, origin) as other,
        one.door.turns.visiting(origin.address, patience=60),
    ):
        visit = await other.ask(origin.url + "/")

    assert fault_of(visit) is Fault.TIMEOUT
    assert origin.log == []
