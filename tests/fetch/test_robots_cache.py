"""Nothing is asked before robots.txt allows it: judged by the origin's log."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lamplighter.model.host import RobotsFile, RobotsState
from lamplighter.model.visit import Fetched, Refusal, Refused, Visit
from lamplighter.store.hosts import hosts, robots_files
from tests.fetch.client_stack import TOLERANCE, Opened, a_request, opened
from tests.origin import Answer, Origin, busy, hang, redirect, reset_mid_body

OriginFactory = Callable[..., Awaitable[Origin]]
FORBIDDEN = "User-agent: *\nDisallow: /private\n"
#: a robots.txt that expires before the test does: 0.2 seconds
SHORT_LIFE = 0.2 / 3600


def refusal_of(visit: Visit) -> Refusal:
    assert isinstance(visit, Refused), visit
    return visit.reason


async def stored(door: Opened, origin: Origin) -> RobotsFile:
    file = await door.door.robots.stored(origin.url)
    assert file is not None
    return file


# What an answer means


@pytest.mark.parametrize("status", [404, 410, 400, 401, 403, 451])
async def test_c1_no_robots_txt_allows_everything(origin: Origin, tmp_path: Path, status: int) -> None:
    origin.robots(FORBIDDEN, status=status)
    origin.page("/private", "hello")

    async with opened(tmp_path, origin) as door:
        asked = await door.door.fetcher.fetch_once(origin.url + "/private")
        file = await stored(door, origin)

    assert isinstance(asked.visit, Fetched)
    assert asked.allowed_by == f"no robots.txt (HTTP {status})"
    assert file.state is RobotsState.UNAVAILABLE


@pytest.mark.parametrize("status", [200, 204, 205])
async def test_c1_a_robots_txt_with_nothing_in_it_has_no_rules(origin: Origin, tmp_path: Path, status: int) -> None:
    origin.robots("", status=status)
    origin.page("/private", "hello")

    async with opened(tmp_path, origin) as door:
        visit = await door.ask(origin.url + "/private")
        file = await stored(door, origin)

    assert isinstance(visit, Fetched)
    assert (file.state, file.status, file.body) == (RobotsState.RULES, status, b"")


@pytest.mark.parametrize(("status", "is_asked"), [(401, False), (403, False), (404, True), (410, True)])
async def test_c1_an_operator_may_take_a_denial_for_a_no(
    origin: Origin, tmp_path: Path, status: int, is_asked: bool
) -> None:
    origin.robots("", status=status)
    origin.page("/private", "hello")

    async with opened(tmp_path, origin, robots_denied="refuse") as door:
        visit = await door.ask(origin.url + "/private")

    assert isinstance(visit, Fetched) is is_asked
    assert len(origin.hits("/private")) == is_asked
    assert is_asked or (refusal_of(visit), f"HTTP {status}" in str(visit)) == (Refusal.ROBOTS_UNREACHABLE, True)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(status=500), id="500"),
        pytest.param(Answer(status=502), id="502"),
        pytest.param(busy(503), id="503"),
        pytest.param(busy(503, retry_after="5"), id="503 with Retry-After"),
        pytest.param(hang(), id="silence"),
        pytest.param(reset_mid_body(), id="a body that breaks off"),
        pytest.param(Answer(status=206), id="206: a part that nobody asked for"),
        pytest.param(Answer(status=304), id="304 to an unconditional request"),
        pytest.param(redirect("file:///etc/passwd"), id="a redirect out of the web"),
    ],
)
async def test_c2_p4_an_unreachable_robots_txt_forbids_everything_for_a_while(
    origin: Origin, tmp_path: Path, answer: Answer
) -> None:
    origin.route("/robots.txt", answer)
    origin.page("/", "hello")

    async with opened(tmp_path, origin, read_timeout_seconds=0.2) as door:
        before = door.store.clock.now()
        visit = await door.ask(origin.url + "/")
        after = door.store.clock.now()
        file = await stored(door, origin)

    assert refusal_of(visit) is Refusal.ROBOTS_UNREACHABLE
    assert not Refusal.ROBOTS_UNREACHABLE.is_final
    assert file.state is RobotsState.UNREACHABLE
    assert before + timedelta(minutes=1) <= file.expires_at <= after + timedelta(minutes=1)
    assert isinstance(visit, Refused)
    assert visit.until == file.expires_at
    assert origin.hits("/") == []


async def test_c2_p4_a_host_that_cannot_be_connected_to_forbids_everything(origin: Origin, tmp_path: Path) -> None:
    await origin.close()

    async with opened(tmp_path, origin) as door:
        visit = await door.ask(origin.url + "/")

    assert refusal_of(visit) is Refusal.ROBOTS_UNREACHABLE


async def test_c2_an_unreachable_robots_txt_is_not_asked_for_again_before_its_time(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots(status=500)

    async with opened(tmp_path, origin) as door:
        for number in range(3):
            await door.ask(f"{origin.url}/{number}")

    assert [hit.path for hit in origin.log] == ["/robots.txt"]


async def test_c3_429_forbids_everything_as_long_as_retry_after_says(origin: Origin, tmp_path: Path) -> None:
    origin.route("/robots.txt", busy(retry_after="120"))

    async with opened(tmp_path, origin) as door:
        before = door.store.clock.now()
        visit = await door.ask(origin.url + "/")
        file, host = await stored(door, origin), await door.host(origin)

    assert refusal_of(visit) is Refusal.ROBOTS_UNREACHABLE
    assert file.expires_at >= before + timedelta(seconds=120)
    assert host.blocked_until is not None
    assert host.blocked_until >= before + timedelta(seconds=120)
    assert [hit.path for hit in origin.log] == ["/robots.txt"]


async def test_c4_a_good_copy_that_becomes_unreachable_pauses_the_host_and_keeps_its_crawl_delay(
    origin: Origin, tmp_path: Path
) -> None:
    text = "User-agent: *\nCrawl-delay: 0.1\n"
    origin.route("/robots.txt", Answer(body=text.encode()), Answer(status=500))
    origin.page("/", "hello")

    async with opened(tmp_path, origin, robots_ttl_hours=SHORT_LIFE) as door:
        before = await door.ask(origin.url + "/")
        await asyncio.sleep(0.2)
        after = await door.ask(origin.url + "/")
        file, host = await stored(door, origin), await door.host(origin)

    assert isinstance(before, Fetched)
    assert refusal_of(after) is Refusal.ROBOTS_UNREACHABLE
    assert (file.state, file.body) == (RobotsState.UNREACHABLE, text.encode())
    assert host.crawl_delay == timedelta(seconds=0.1)


# Redirects


async def test_c5_five_redirects_across_hosts_are_followed_and_the_rules_hold_for_the_first(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    first, second = await origin_factory(), await origin_factory("127.0.0.2")
    first.route("/robots.txt", redirect(second.url + "/1", 301))
    second.route("/1", redirect(first.url + "/2"))
    first.route("/2", redirect(second.url + "/3", 303))
    second.route("/3", redirect(first.url + "/4", 307))
    first.route("/4", redirect(second.url + "/5", 308))
    second.route("/5", Answer(body=FORBIDDEN.encode()))

    async with opened(tmp_path, first, second) as door:
        visit = await door.ask(first.url + "/private")

    assert refusal_of(visit) is Refusal.ROBOTS
    assert first.hits("/private") == []
    assert min(first.gaps() + second.gaps()) >= 0.05 - TOLERANCE


async def test_c5_after_more_than_five_redirects_there_is_no_robots_txt(origin: Origin, tmp_path: Path) -> None:
    origin.route("/robots.txt", redirect("/1"))
    for number in range(1, 9):
        origin.route(f"/{number}", redirect(f"/{number + 1}"))
    origin.page("/private", "hello")

    async with opened(tmp_path, origin, min_delay_ms=10) as door:
        visit = await door.ask(origin.url + "/private")
        file = await stored(door, origin)

    assert isinstance(visit, Fetched)
    assert file.state is RobotsState.UNAVAILABLE
    assert [hit.path for hit in origin.log] == ["/robots.txt", "/1", "/2", "/3", "/4", "/5", "/private"]


async def test_b6_c5_a_redirect_of_robots_txt_is_not_followed_before_its_time(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    first, second = await origin_factory(), await origin_factory("127.0.0.2")
    first.route("/robots.txt", redirect(second.url + "/rules", retry_after="120"))
    second.route("/rules", Answer(body=b""))

    async with opened(tmp_path, first, second) as door:
        before = door.store.clock.now()
        visit = await door.ask(first.url + "/")
        file = await stored(door, first)

    assert refusal_of(visit) is Refusal.ROBOTS_UNREACHABLE
    assert ([hit.path for hit in first.log], second.log) == (["/robots.txt"], [])
    assert file.expires_at >= before + timedelta(seconds=120)


async def test_b4_a_robots_txt_is_not_followed_to_a_host_that_was_taken_down(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    first, gone = await origin_factory(), await origin_factory("127.0.0.2")
    first.route("/robots.txt", redirect(gone.url + "/robots.txt"))
    gone.robots("")

    async with opened(tmp_path, first, gone) as door:
        await door.take_down("127.0.0.2")
        visit = await door.ask(first.url + "/")

    assert isinstance(visit, Refused)
    assert gone.log == []


async def test_b4_a_robots_txt_that_redirects_to_what_was_taken_down_cannot_be_had_and_nothing_else_is_taken_down(
    origin: Origin, tmp_path: Path
) -> None:
    origin.route("/robots.txt", redirect("/gone/robots.txt"))
    origin.page("/", "hello")

    async with opened(tmp_path, origin) as door:
        await door.take_down(origin.url + "/gone/")
        visit = await door.ask(origin.url + "/")

    assert refusal_of(visit) is Refusal.ROBOTS_UNREACHABLE
    assert [hit.path for hit in origin.log] == ["/robots.txt"]


async def test_b4_a_robots_txt_is_not_followed_to_a_host_that_is_to_be_left_alone(
    origin_factory: OriginFactory, tmp_path: Path
) -> None:
    first, busy_one = await origin_factory(), await origin_factory("127.0.0.2")
    first.route("/robots.txt", redirect(busy_one.url + "/robots.txt"))
    busy_one.route("/robots.txt", busy(retry_after="3600"))

    async with opened(tmp_path, first, busy_one) as door:
        await door.ask(busy_one.url + "/")
        async with asyncio.timeout(60):
            visit = await door.ask(first.url + "/")

    assert refusal_of(visit) is Refusal.ROBOTS_UNREACHABLE
    assert len(busy_one.log) == 1


async def test_b4_a_robots_txt_is_not_followed_to_strangers_when_there_is_no_contact(
    origin: Origin, tmp_path: Path
) -> None:
    """The origin by its address is opened; the same machine by another name is somebody else."""
    origin.route("/robots.txt", redirect(f"http://localhost:{origin.port}/robots.txt"))

    async with opened(tmp_path, origin) as door:
        await door.ask(origin.url + "/")

    assert {hit.headers["host"] for hit in origin.log} == {origin.address}


# What it says


@pytest.mark.parametrize(
    ("padding", "is_forbidden"),
    [
        pytest.param(499 * 1024, True, id="within 500 KiB"),
        pytest.param(500 * 1024 - 20, False, id="cut inside its line"),
        pytest.param(550 * 1024, False, id="beyond 500 KiB"),
    ],
)
async def test_c6_rules_count_up_to_500_kib(origin: Origin, tmp_path: Path, padding: int, is_forbidden: bool) -> None:
    start = b"User-agent: *\n"
    filler = b"#" * (padding - len(start) - 1) + b"\n"
    origin.robots(start + filler + b"Disallow: /private/with/a/long/name\n" + b"#" * 50 * 1024)
    origin.page("/private/with/a/long/name", "hello")

    async with opened(tmp_path, origin) as door:
        visit = await door.ask(origin.url + "/private/with/a/long/name")

    assert isinstance(visit, Refused if is_forbidden else Fetched)


@pytest.mark.parametrize(
    ("body", "is_forbidden"),
    [
        pytest.param(
            b"<!DOCTYPE html><p>Disallow: /private</p>\nUser-agent: *\nDisallow: /\n", False, id="an HTML page"
        ),
        pytest.param(b"\xef\xbb\xbf" + FORBIDDEN.encode(), True, id="a UTF-8 byte order mark"),
        pytest.param(FORBIDDEN.encode("utf-16"), True, id="UTF-16"),
        pytest.param(FORBIDDEN.replace("\n", "\r").encode(), True, id="CR only"),
        pytest.param(b"\x00\x00" + FORBIDDEN.encode(), True, id="NUL bytes"),
        pytest.param(b"# caf\xe9\n" + FORBIDDEN.encode(), True, id="latin-1"),
        pytest.param(b"\x89PNG\r\n\x1a\n", False, id="an image"),
        pytest.param(b"", False, id="empty"),
    ],
)
async def test_c7_what_can_be_read_of_it_counts(
    origin: Origin, tmp_path: Path, body: bytes, is_forbidden: bool
) -> None:
    origin.route("/robots.txt", Answer(headers={"Content-Type": "text/html"}, body=body))
    origin.page("/private", "hello")

    async with opened(tmp_path, origin) as door:
        visit = await door.ask(origin.url + "/private")

    assert isinstance(visit, Refused if is_forbidden else Fetched)


async def test_c10_a_crawl_delay_above_the_policy_paces_the_host(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nCrawl-delay: 0.25\n")
    origin.otherwise(Answer(headers={"Content-Type": "text/html"}, body=b"hello"))

    async with opened(tmp_path, origin) as door:
        for number in range(2):
            await door.ask(f"{origin.url}/{number}")
        host = await door.host(origin)

    assert min(origin.gaps()) >= 0.25 - TOLERANCE
    assert host.crawl_delay == timedelta(seconds=0.25)


async def test_c10_a_crawl_delay_below_the_policy_changes_nothing(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nCrawl-delay: 0.01\n")
    origin.page("/", "hello")

    async with opened(tmp_path, origin, min_delay_ms=100) as door:
        await door.ask(origin.url + "/")

    assert min(origin.gaps()) >= 0.1 - TOLERANCE


@pytest.mark.parametrize(("hours", "trusted"), [(1, 12), (11, 12), (11.5, 12.5), (12, 13), (24, 25), (72, 73)])
async def test_c10_a_copy_that_asks_for_a_long_delay_is_trusted_until_a_page_had_its_turn(
    origin: Origin, tmp_path: Path, hours: float, trusted: float
) -> None:
    origin.robots(f"User-agent: *\nCrawl-delay: {hours * 3600:.0f}\n")

    async with opened(tmp_path, origin) as door, door.door.turns.visiting(origin.address, patience=60) as held:
        await door.door.robots.of(origin.url, held)
        file = await stored(door, origin)

    assert file.expires_at - file.fetched_at == timedelta(hours=trusted)


async def test_c10_a_copy_is_trusted_until_the_next_turn_also_where_the_operator_asks_for_the_long_delay(
    origin: Origin, tmp_path: Path
) -> None:
    async with opened(tmp_path, origin) as door:
        await door.set_policy(origin, min_delay_ms=30 * 3_600_000)
        async with door.door.turns.visiting(origin.address, patience=60) as held:
            await door.door.robots.of(origin.url, held)
        file = await stored(door, origin)

    assert (file.state, file.expires_at - file.fetched_at) == (RobotsState.UNAVAILABLE, timedelta(hours=31))


async def test_c10_a_crawl_delay_that_is_withdrawn_no_longer_counts(origin: Origin, tmp_path: Path) -> None:
    origin.route("/robots.txt", Answer(body=b"User-agent: *\nCrawl-delay: 0.1\n"), Answer(body=b""))
    origin.page("/", "hello")

    async with opened(tmp_path, origin, robots_ttl_hours=SHORT_LIFE) as door:
        await door.ask(origin.url + "/")
        await asyncio.sleep(0.2)
        await door.ask(origin.url + "/")
        host = await door.host(origin)

    assert host.crawl_delay is None


def _copy(origin: str, delay: int | None, *, left: timedelta = timedelta(hours=1)) -> RobotsFile:
    """A robots.txt that asks for so many seconds, to be trusted for what is left."""
    now = datetime.now(UTC)
    body = b"User-agent: *\n" + (b"" if delay is None else b"Crawl-delay: %d\n" % delay)
    return RobotsFile(origin=origin, state=RobotsState.RULES, body=body, fetched_at=now, expires_at=now + left)


async def _delay_after(door: Opened, *origins: str) -> timedelta | None:
    """The Crawl-delay of a host whose origins were read in this order."""
    async with door.door.turns.visiting("a.example", patience=60) as held:
        for origin in origins:
            await door.door.robots.of(origin, held)
    return held.host.crawl_delay


@pytest.mark.parametrize(
    ("http", "https", "delay"),
    [
        pytest.param(None, 20, 20, id="only one asks for any"),
        pytest.param(7, 20, 20, id="both do"),
        pytest.param(None, None, None, id="none does"),
    ],
)
@pytest.mark.parametrize("read", [("http", "https"), ("https", "http"), ("http",), ("https",)], ids=", ".join)
async def test_c10_c12_of_a_hosts_two_origins_the_longest_crawl_delay_counts_whichever_is_read_last(
    tmp_path: Path, http: int | None, https: int | None, delay: int | None, read: tuple[str, ...]
) -> None:
    async with opened(tmp_path) as door:
        for file in (_copy("http://a.example", http), _copy("https://a.example", https)):
            await door.store.db.write(lambda db, file=file: robots_files.save(db, file))  # type: ignore[misc]

        found = await _delay_after(door, *(f"{scheme}://a.example" for scheme in read))

    assert found == (None if delay is None else timedelta(seconds=delay))


async def test_c10_c12_the_crawl_delay_of_an_origin_whose_copy_has_expired_no_longer_counts(tmp_path: Path) -> None:
    async with opened(tmp_path) as door:
        for file in (_copy("http://a.example", 7), _copy("https://a.example", 20, left=timedelta(0))):
            await door.store.db.write(lambda db, file=file: robots_files.save(db, file))  # type: ignore[misc]

        found = await _delay_after(door, "http://a.example")

    assert found == timedelta(seconds=7)


async def test_c10_c12_the_crawl_delay_of_the_other_origin_is_stored_with_what_was_asked_for(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("User-agent: *\nCrawl-delay: 1\n")
    secure = _copy(origin.url.replace("http:", "https:"), 20)

    async with opened(tmp_path, origin) as door:
        await door.store.db.write(lambda db: robots_files.save(db, secure))
        async with door.door.turns.visiting(origin.address, patience=60) as held:
            await door.door.robots.of(origin.url, held)
        host = await door.host(origin)

    assert len(origin.hits("/robots.txt")) == 1
    assert host.crawl_delay == timedelta(seconds=20)


# When it is asked for


async def test_c11_a_robots_txt_that_turns_to_disallow_counts_once_the_copy_has_expired(
    origin: Origin, tmp_path: Path
) -> None:
    origin.route("/robots.txt", Answer(body=b""), Answer(body=FORBIDDEN.encode()))
    origin.page("/private", "hello")

    async with opened(tmp_path, origin, robots_ttl_hours=SHORT_LIFE) as door:
        before = await door.ask(origin.url + "/private")
        await asyncio.sleep(0.2)
        after = await door.ask(origin.url + "/private")

    assert isinstance(before, Fetched)
    assert refusal_of(after) is Refusal.ROBOTS
    assert [hit.path for hit in origin.log] == ["/robots.txt", "/private", "/robots.txt"]


async def test_a_fresh_copy_is_asked_for_once_even_by_a_restarted_process(origin: Origin, tmp_path: Path) -> None:
    origin.robots("")
    origin.page("/", "hello")

    for _ in range(2):
        async with opened(tmp_path, origin) as door:
            await door.ask(origin.url + "/")

    assert [hit.path for hit in origin.log] == ["/robots.txt", "/", "/"]


async def test_c12_another_port_has_another_robots_txt(origin_factory: OriginFactory, tmp_path: Path) -> None:
    strict, lax = await origin_factory(), await origin_factory()
    strict.robots(FORBIDDEN)
    lax.robots("")
    lax.page("/private", "hello")

    async with opened(tmp_path, strict, lax) as door:
        visits = [await door.ask(site.url + "/private") for site in (strict, lax)]

    assert refusal_of(visits[0]) is Refusal.ROBOTS
    assert isinstance(visits[1], Fetched)
    assert (len(strict.hits("/robots.txt")), len(lax.hits("/robots.txt"))) == (1, 1)


async def test_c12_another_scheme_has_another_robots_txt(origin: Origin, tmp_path: Path) -> None:
    async with opened(tmp_path, origin) as door:
        await door.ask(origin.url + "/")

        assert door.door.robots.fresh(origin.url) is not None
        assert door.door.robots.fresh(origin.url.replace("http:", "https:")) is None


async def test_c13_concurrent_first_urls_ask_for_robots_txt_once_and_it_counts_for_pacing(
    origin: Origin, tmp_path: Path
) -> None:
    origin.robots("")
    origin.otherwise(Answer(headers={"Content-Type": "text/html"}, body=b"hello"))

    async with (
        opened(tmp_path, origin, min_delay_ms=100) as door,
        door.door.turns.visiting(origin.address, patience=60) as held,
    ):
        urls = [f"{origin.url}/{number}" for number in range(5)]
        await asyncio.gather(*(door.door.fetcher.fetch(held, a_request(url)) for url in urls))

    assert origin.log[0].path == "/robots.txt"
    assert len(origin.hits("/robots.txt")) == 1
    assert len(origin.log) == 6
    assert min(origin.gaps()) >= 0.1 - TOLERANCE


async def test_c13_the_delay_that_robots_txt_asks_for_holds_from_robots_txt_on(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nCrawl-delay: 0.3\n")
    origin.page("/", "hello")

    async with opened(tmp_path, origin) as door:
        await door.ask(origin.url + "/")

    assert min(origin.gaps()) >= 0.3 - TOLERANCE


async def test_the_crawl_delay_is_known_to_the_next_holder(origin: Origin, tmp_path: Path) -> None:
    origin.robots("User-agent: *\nCrawl-delay: 7\n")

    async with opened(tmp_path, origin) as door:
        async with door.door.turns.visiting(origin.address, patience=60) as held:
            await door.door.robots.of(origin.url, held)
        now: datetime = door.store.clock.now()
        lease = await door.store.db.write(
            lambda db: hosts.claim_one(
                db,
                origin.address,
                owner="another",
                now=now,
                until=now + timedelta(seconds=1),
                defaults=held.host.policy,
            )
        )

    assert lease is not None
    assert lease.host.crawl_delay == timedelta(seconds=7)
