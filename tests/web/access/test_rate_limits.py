"""How often may somebody ask, and what are they told of it?"""

import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from lamplighter.settings import Settings, load
from lamplighter.web.access.client_address import client_address, counted_as, parse_proxies
from lamplighter.web.access.limits import Limiter
from tests.web.access.clients import SECRET
from tests.web.asgi_client import Ask

ME = "/api/v1/me"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def settings(tmp_path: Path, migrated_file: Path) -> Settings:
    """An installation that allows little."""
    shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    return load({}, data_dir=tmp_path, auth_jwt_secret=SECRET, calls_per_hour=3, admin_calls_per_hour=2)


async def test_every_answer_says_how_much_is_left(bearer: Callable[..., Ask]) -> None:
    program = bearer("viewer")

    replies = [await program(ME) for _ in range(4)]

    assert [reply.status for reply in replies] == [200, 200, 200, 429]
    assert [reply.headers["x-ratelimit-remaining"] for reply in replies] == ["2", "1", "0", "0"]
    assert {reply.headers["x-ratelimit-limit"] for reply in replies} == {"3"}
    assert 0 < int(replies[0].headers["x-ratelimit-reset"]) - time.time() <= 3601
    assert 0 < int(replies[3].headers["retry-after"]) <= 3600
    assert replies[3].json["code"] == "too_many_requests"


async def test_each_caller_is_counted_alone(bearer: Callable[..., Ask]) -> None:
    one, other = bearer("viewer", sub="one"), bearer("viewer", sub="other")
    for _ in range(4):
        await one(ME)

    assert (await one(ME)).status == 429
    assert (await other(ME)).status == 200


async def test_the_task_api_has_a_limit_and_words_of_its_own(bearer: Callable[..., Ask]) -> None:
    program = bearer("viewer")
    for _ in range(4):
        await program(ME)

    replies = [await program("/api/admin/stats") for _ in range(3)]

    assert replies[-1].status == 429
    assert replies[-1].headers["x-ratelimit-limit"] == "2"
    assert replies[-1].json["error"]["code"] == "TOO_MANY_REQUESTS"


async def test_pages_are_not_limited(bearer: Callable[..., Ask]) -> None:
    program = bearer("viewer")

    replies = [await program("/") for _ in range(5)]

    assert {reply.status for reply in replies} == {200}
    assert "x-ratelimit-limit" not in replies[0].headers


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
async def test_the_description_counts_as_calls_and_is_compressed_once(ask: Ask, path: str) -> None:
    replies = [await ask(path) for _ in range(4)]

    assert [reply.status for reply in replies] == [200, 200, 200, 429]


def test_a_limiter_forgets_who_was_silent_for_longest() -> None:
    limiter = Limiter(1, timedelta(hours=1), most=2)
    for caller in ("a", "b", "a", "c"):
        limiter.take(caller, now=NOW)

    assert not limiter.take("a", now=NOW).is_within
    assert limiter.take("b", now=NOW).is_within


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        pytest.param("192.0.2.1", "198.51.100.9", "192.0.2.1", id="a stranger's word does not count"),
        pytest.param("127.0.0.1", "198.51.100.9", "198.51.100.9", id="our proxy's does"),
        pytest.param("127.0.0.1", "1.2.3.4, 198.51.100.9", "198.51.100.9", id="what it was told does not"),
        pytest.param("127.0.0.1", "198.51.100.9, 10.0.0.7", "198.51.100.9", id="two proxies of ours"),
        pytest.param("127.0.0.1", "nonsense", "127.0.0.1", id="no address"),
        pytest.param("127.0.0.1", "", "127.0.0.1", id="nothing said"),
    ],
)
def test_who_asks_is_told_by_proxies_of_ours_only(peer: str, forwarded: str, expected: str) -> None:
    proxies = parse_proxies("127.0.0.1, 10.0.0.0/8")

    assert client_address({"client": (peer, 1)}, Headers({"x-forwarded-for": forwarded}), proxies) == expected


def test_an_ipv6_address_is_counted_with_its_neighbours() -> None:
    assert counted_as("2001:db8::1") == counted_as("2001:db8::ffff") != counted_as("2001:db8:0:1::1")
    assert counted_as("192.0.2.1") == "192.0.2.1"
