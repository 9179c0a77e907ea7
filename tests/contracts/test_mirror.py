"""What every mirror promises: it shows what it is given until that runs out, and its absence troubles nobody else."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio
import structlog

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.adapters.messaging.redis_mirror import RedisMirror
from lamplighter.errors import BadSetting
from lamplighter.model.mirror import MirrorPace, MirrorVisit, PendingPages, StartPage
from tests.clocks import At
from tests.moments import NOON
from tests.servers.redis import REFUSALS, OwnRedis
from tests.service.waiting import until

CLOCK = DatabaseClock(None)
HOUR = timedelta(hours=1)


@pytest.fixture
async def mirror(redis_url: str) -> AsyncIterator[RedisMirror]:
    """A mirror on an empty database."""
    opened = RedisMirror(redis_url, expires=HOUR, clock=CLOCK)
    yield opened
    await opened.close()


@pytest.fixture
async def reader(redis_url: str) -> AsyncIterator[Any]:
    """Somebody outside who looks into it."""
    client: Any = redis.asyncio.Redis.from_url(redis_url, decode_responses=True)
    yield client
    await client.aclose()


async def test_a_visited_page_is_shown(mirror: RedisMirror, reader: Any) -> None:
    assert await mirror.show([MirrorVisit(job="j", url_key="k")])

    assert await reader.get("crawler:j:request:k") == "1"


async def test_waiting_pages_are_shown_in_their_order_in_place_of_those_before(
    mirror: RedisMirror, reader: Any
) -> None:
    await mirror.show([PendingPages(job="j", urls=("https://a.example/1", "https://a.example/2"))])
    await mirror.show([PendingPages(job="j", urls=("https://a.example/2", "https://a.example/3"))])

    assert await reader.lrange("crawler:j:queue", 0, -1) == ["https://a.example/2", "https://a.example/3"]


async def test_a_queue_without_pages_is_gone(mirror: RedisMirror, reader: Any) -> None:
    await mirror.show([PendingPages(job="j", urls=("https://a.example/1",)), PendingPages(job="j", urls=())])

    assert await reader.exists("crawler:j:queue") == 0


async def test_what_was_learnt_is_shown(mirror: RedisMirror, reader: Any) -> None:
    pace = MirrorPace(source="s", last_hash="h", last_change_at=NOON, unchanged_count=2, interval=timedelta(minutes=90))

    await mirror.show([StartPage(source="s", url_key="k", content_hash="c"), pace])

    assert await reader.get("crawler:hash:s:k") == "c"
    assert await reader.hgetall("crawler:adaptive:s") == {
        "last_hash": "h",
        "last_change_at": "2026-03-14T12:00:00.123456+00:00",
        "unchanged_count": "2",
        "current_interval": "5400s",
    }


async def test_everything_runs_out(mirror: RedisMirror, reader: Any) -> None:
    pace = MirrorPace(source="s", last_hash=None, last_change_at=None, unchanged_count=0, interval=HOUR)
    page = StartPage(source="s", url_key="k", content_hash="c")

    await mirror.show([MirrorVisit(job="j", url_key="k"), PendingPages(job="j", urls=("u",)), page, pace])

    keys = await reader.keys("*")
    assert len(keys) == 4
    assert [0 < await reader.ttl(key) <= 3600 for key in keys] == [True] * 4


async def test_more_than_fits_into_one_message_is_shown(mirror: RedisMirror, reader: Any) -> None:
    assert await mirror.show([MirrorVisit(job="j", url_key=str(number)) for number in range(2_500)])

    assert await reader.dbsize() == 2_500


@pytest.mark.parametrize("trouble", ["stopped", "frozen"])
async def test_a_mirror_that_goes_away_says_so_once_and_comes_back_by_itself(trouble: str, tmp_path: Path) -> None:
    server = OwnRedis(tmp_path)
    server.start()
    mirror = RedisMirror(server.url, expires=HOUR, clock=CLOCK)
    with structlog.testing.capture_logs() as logged:
        before = await mirror.show([MirrorVisit(job="j", url_key="1")])
        server.stop() if trouble == "stopped" else server.freeze()
        during = [await mirror.show([MirrorVisit(job="j", url_key="2")]), await mirror.is_there(), mirror.is_away]
        server.start() if trouble == "stopped" else server.thaw()
        await until(mirror.is_there, patience=120)
        after = [await mirror.show([MirrorVisit(job="j", url_key="3")]), mirror.is_away]
    await mirror.close()
    server.stop()

    assert (before, during, after) == (True, [False, False, True], [True, False])
    assert [line["event"] for line in logged] == ["mirror.lost", "mirror.back"]


@pytest.mark.parametrize("why", REFUSALS)
async def test_a_mirror_that_only_reads_is_away_until_it_writes_again(why: str, tmp_path: Path) -> None:
    server, clock = OwnRedis(tmp_path), At()
    server.start()
    mirror = RedisMirror(server.url, expires=HOUR, clock=clock)
    with structlog.testing.capture_logs() as logged:
        with server.refusing(why):
            before = await mirror.show([MirrorVisit(job="j", url_key="1")])
            clock.at += HOUR
            during = await mirror.is_there()
        clock.at += HOUR
        after = await mirror.is_there()
    await mirror.close()
    server.stop()

    assert (before, during, after) == (False, False, True)
    assert [line["event"] for line in logged] == ["mirror.lost", "mirror.back"]


async def test_a_url_of_something_else_is_refused_without_showing_it() -> None:
    with pytest.raises(BadSetting) as refusal:
        RedisMirror("amqp://user:s3cret@127.0.0.1/", expires=HOUR, clock=CLOCK)

    assert "s3cret" not in str(refusal.value)
