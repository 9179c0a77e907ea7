"""Events on the wire, and what becomes of them when Redis is emptied, trimmed, stopped or slow."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
import structlog
from redis.asyncio import Redis

from lamplighter.adapters.messaging import redis_streams
from lamplighter.adapters.messaging.redis_connection import masked
from lamplighter.adapters.messaging.redis_streams import DEAD_LETTERS, GROUP, STREAM, RedisStream
from lamplighter.crawl.events.event_delivery import MOST_TRIES, TakeOver
from lamplighter.crawl.events.event_publisher import LOST_AFTER
from lamplighter.model.access import Stamp
from lamplighter.model.event import Delivery, SourceFact
from lamplighter.operations.sources import source_states, sources
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.ports import StreamAway
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.contracts.event_carriers import IDLE, Carrier, through_redis
from tests.servers.redis import REFUSALS, OwnRedis

EVENT_ID, SOURCE_ID = "550e8400-e29b-41d4-a716-446655440001", "550e8400-e29b-41d4-a716-446655440000"


@pytest.fixture
def database_kind() -> str:
    """The stream is the same, whichever database is behind it."""
    return "sqlite"


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    """What an outsider sees."""
    async with Redis.from_url(redis_url, protocol=2) as opened:
        yield opened


@pytest.fixture
async def carrier(db: Database, redis_url: str) -> AsyncIterator[Carrier]:
    """One process, whose clock stands still."""
    async with through_redis(db, redis_url, clock=At()) as opened:
        yield opened


def _stream(carrier: Carrier) -> RedisStream:
    assert isinstance(carrier.carrier, RedisStream)
    return carrier.carrier


def _foreign(**more: Any) -> dict[str, Any]:
    said = {"event_id": EVENT_ID, "event_type": "SOURCE_UPDATED", "source_id": SOURCE_ID}
    return said | {"timestamp": "2026-01-29T11:00:00Z", "payload": {"current": {"priority": "high"}}} | more


async def test_an_event_travels_in_the_envelope_that_others_know(carrier: Carrier, redis: Redis) -> None:
    recipe = {"fields": {"title": "h1.article-title", "text": "div.article-body"}}
    source = await carrier.add("news", recipe=recipe, min_delay=timedelta(milliseconds=100))
    await carrier.pass_on()

    ((position, fields),) = await redis.xrange(STREAM)

    (row,) = await carrier.rows(tables.events)
    assert list(fields) == [b"event"]
    assert orjson.loads(fields[b"event"]) == {
        "event_id": row.event_id,
        "event_type": "SOURCE_CREATED",
        "source_id": source,
        "timestamp": "2026-03-14T12:00:00.123456Z",
        "payload": {
            "name": "news",
            "url": "https://news.example/",
            "rate_limit": 10,
            "max_depth": 3,
            "enabled": True,
            "selectors": {"title": "h1.article-title", "body": "div.article-body"},
            "priority": "normal",
        },
    }
    assert (row.stream_id, row.published_at) == (position.decode(), carrier.clock.now())


async def test_only_facts_about_sources_travel(carrier: Carrier, redis: Redis) -> None:
    source = await carrier.add()
    await carrier.tell(source, "EXTRACTOR_DRIFTED")  # type: ignore[arg-type]

    await carrier.settle()

    assert await redis.xlen(STREAM) == 1
    assert await carrier.results() == ["success", "success"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param({"event": "{"}, "not JSON", id="malformed"),
        pytest.param({"event": b"\xff"}, "not JSON", id="no text"),
        pytest.param({"event": "[]"}, "not an object", id="not an object"),
        pytest.param({"evnt": "{}"}, "no field `event`", id="another field"),
        pytest.param({"event": orjson.dumps(_foreign(event_type="SOURCE_MOVED"))}, "SOURCE_MOVED", id="unknown type"),
        pytest.param({"event": orjson.dumps(_foreign(version=2))}, "version 2", id="a later version"),
        pytest.param({"event": orjson.dumps(_foreign(source_id=17))}, "source_id 17", id="an integer for a source"),
        pytest.param({"event": orjson.dumps(_foreign(timestamp="noon"))}, "timestamp 'noon'", id="no time"),
        pytest.param({"event": orjson.dumps(_foreign(payload="high"))}, "payload 'high'", id="no payload"),
        pytest.param({"event": orjson.dumps({"event_id": EVENT_ID})}, "event_type is missing", id="half of it"),
    ],
)
async def test_i7_what_cannot_be_read_is_put_aside_as_it_came_and_those_behind_it_are_settled(
    carrier: Carrier, redis: Redis, fields: dict[Any, Any], reason: str
) -> None:
    position = await redis.xadd(STREAM, fields)
    await carrier.add()

    await carrier.settle()

    ((_, letter),) = await redis.xrange(DEAD_LETTERS)
    ((shown,), _) = await carrier.carrier.dead_letters(limit=1, offset=0)
    assert reason in letter[b"reason"].decode()
    assert (letter[b"first_id"], letter[b"tries"]) == (position, b"1")
    assert fields.get("event", b"evnt") in (letter[b"event"], letter[b"event"].decode("latin-1"), b"evnt")
    assert shown.reason == letter[b"reason"].decode()
    assert (await redis.xpending(STREAM, GROUP))["pending"] == 0
    assert len(await carrier.rows(tables.crawl_jobs)) == 1


async def test_a_dead_letter_that_somebody_else_wrote_hides_no_other(carrier: Carrier, redis: Redis) -> None:
    await redis.xadd(DEAD_LETTERS, {"event": "{}", "tries": "many"})
    await redis.xadd(DEAD_LETTERS, {"event": "{}", "tries": "2", "reason": "worn"})

    letters, total = await carrier.carrier.dead_letters(limit=10, offset=0)

    assert [(letter.tries, letter.reason) for letter in letters] == [(2, "worn"), (0, "")]
    assert total == 2


async def test_an_event_that_kills_whoever_tries_it_is_put_aside_untried(
    db: Database, redis_url: str, redis: Redis
) -> None:
    async with through_redis(db, redis_url, idle=timedelta(0)) as carrier:
        await carrier.add()
        await carrier.pass_on()
        await carrier.carrier.receive()
        for _ in range(MOST_TRIES - 1):
            await _stream(carrier).take_over()

        await TakeOver(carrier.deliver, _stream(carrier)).take_over()

        ((letter,), _) = await carrier.carrier.dead_letters(limit=1, offset=0)
        assert letter.reason == "it was tried 3 times, and each time the consumer ended before it was done"
        assert await carrier.results() == ["error"]
        assert await carrier.rows(tables.crawl_jobs) == []


async def test_a_database_that_is_away_is_not_the_events_fault(carrier: Carrier) -> None:
    await carrier.add()
    await carrier.pass_on()
    tries = []
    for _ in range(MOST_TRIES + 1):
        batch: Any = await carrier.carrier.receive() or await carrier.come_again()
        tries += [delivery.tries for delivery in batch]
        await carrier.carrier.hand_back(batch)

    assert tries == [1] * (MOST_TRIES + 1)


async def test_i3_emptied_midway_every_event_is_published_again_and_none_settled_twice(
    db: Database, redis_url: str, redis: Redis
) -> None:
    clock = At()
    async with through_redis(db, redis_url, clock=clock) as carrier:
        for number in range(25):
            await carrier.add(f"s{number}")
        await carrier.pass_on()
        batch = await carrier.carrier.receive()
        await carrier.deliver.settle(batch[:10])

        await redis.flushdb()
        early = await carrier.settle()
        clock.at += 1.1 * LOST_AFTER
        late = await carrier.settle()

        assert (early, late) == (0, 15)
        assert await carrier.results() == ["success"] * 25
        assert len(await carrier.rows(tables.crawl_jobs)) == 25


async def test_emptied_while_somebody_waits_the_group_is_made_again(db: Database, redis_url: str, redis: Redis) -> None:
    async with through_redis(db, redis_url, block=timedelta(seconds=2)) as carrier:
        waiting = asyncio.create_task(_first(carrier))
        await _made(redis)
        await asyncio.sleep(0.1)

        await redis.flushdb()
        await carrier.add()
        await carrier.pass_on()

        assert (await waiting).event is not None


async def _first(carrier: Carrier) -> Delivery:
    async with asyncio.timeout(60):
        while True:
            if batch := await carrier.carrier.receive():
                return batch[0]


async def _made(redis: Redis) -> None:
    async with asyncio.timeout(60):
        while True:
            if await redis.exists(STREAM):
                return
            await asyncio.sleep(0.01)


async def test_what_the_stream_still_carries_is_not_published_again(carrier: Carrier, redis: Redis) -> None:
    for name in ("pending", "unread"):
        await carrier.add(name)
        await carrier.pass_on()
        if name == "pending":
            await carrier.carrier.receive()

    carrier.clock.at += 2 * LOST_AFTER  # type: ignore[attr-defined]
    await carrier.pass_on()

    assert await redis.xlen(STREAM) == 2


async def test_i3_what_was_trimmed_away_is_published_again(db: Database, redis_url: str, redis: Redis) -> None:
    clock = At()
    async with through_redis(db, redis_url, clock=clock) as carrier:
        for number in range(5):
            await carrier.add(f"s{number}")
        await carrier.pass_on()
        await carrier.carrier.receive()
        await redis.xtrim(STREAM, maxlen=2, approximate=False)
        await asyncio.sleep(1.5 * IDLE.total_seconds())
        await TakeOver(carrier.deliver, _stream(carrier)).take_over()
        survived = await carrier.results()

        clock.at += 1.1 * LOST_AFTER
        await carrier.settle()

        assert survived.count("success") == 2
        assert await carrier.results() == ["success"] * 5


async def test_ten_are_read_at_once_and_of_many_several_reads_are_settled_together(
    carrier: Carrier, redis: Redis
) -> None:
    source = await carrier.add()
    for _ in range(114):
        await carrier.tell(source)
    await carrier.pass_on()
    await redis.config_resetstat()

    sizes = [len(await carrier.carrier.receive()) for _ in range(3)]

    reads = (await redis.info("commandstats"))["cmdstat_xreadgroup"]["calls"]
    assert (sizes, reads >= 12) == ([100, 15, 0], True)


async def test_the_stream_does_not_grow_without_end(db: Database, redis_url: str, redis: Redis) -> None:
    async with through_redis(db, redis_url, longest=100) as carrier:
        source = await carrier.add()
        for _ in range(5):
            for _ in range(100):
                await carrier.tell(source)
            await carrier.settle()

        assert await redis.xlen(STREAM) < 400


async def test_two_who_publish_at_once_publish_each_event_once(db: Database, redis_url: str, redis: Redis) -> None:
    async with through_redis(db, redis_url, instance="1") as one, through_redis(db, redis_url, instance="2") as other:
        for number in range(50):
            await one.add(f"s{number}")

        await asyncio.gather(*(process.pass_on() for process in (one, other, one, other)))

        assert await redis.xlen(STREAM) == 50


async def test_who_leaves_with_nothing_pending_is_forgotten_and_who_leaves_something_is_not(
    db: Database, redis_url: str, redis: Redis
) -> None:
    async with through_redis(db, redis_url, instance="tidy") as tidy:
        await tidy.add()
        await tidy.settle()
    async with through_redis(db, redis_url, instance="hasty") as hasty:
        await hasty.add("b")
        await hasty.pass_on()
        await hasty.carrier.receive()

    consumers = await redis.xinfo_consumers(STREAM, GROUP)
    assert [(each["name"], each["pending"]) for each in consumers] == [(b"crawler-hasty", 1)]


async def test_receivers_that_died_long_ago_with_nothing_pending_are_forgotten(
    carrier: Carrier, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    await carrier.settle()
    await redis.xgroup_createconsumer(STREAM, GROUP, "crawler-dead")
    monkeypatch.setattr(redis_streams, "GONE_AFTER", timedelta(milliseconds=20))
    await asyncio.sleep(0.1)

    await _stream(carrier).sweep()

    names = [each["name"] for each in await redis.xinfo_consumers(STREAM, GROUP)]
    assert b"crawler-dead" not in names


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    """A server of this test alone, running."""
    server = OwnRedis(tmp_path)
    server.start()
    yield server
    server.stop()


async def test_i3_while_redis_is_stopped_jobs_follow_all_the_same_and_afterwards_the_stream_has_every_event(
    db: Database, own_redis: OwnRedis
) -> None:
    async with through_redis(db, own_redis.url) as carrier:
        await carrier.add("before")
        await carrier.settle()

        own_redis.stop()
        with structlog.testing.capture_logs() as said:
            for number in range(3):
                await carrier.add(f"during{number}")
                await carrier.settle()
            jobs = len(await carrier.rows(tables.crawl_jobs))
            waiting = [row.delivered_at for row in await carrier.rows(tables.events)]
            figures = await carrier.carrier.figures()
            own_redis.start()
            await _settled(carrier)

        async with Redis.from_url(own_redis.url, protocol=2) as redis:
            assert await redis.xlen(STREAM) == 3  # what was there before went with the server
        assert (jobs, waiting[1:]) == (4, [None] * 3)
        assert (figures.circuit, figures.lag) == ("open", None)
        assert await carrier.results() == ["success"] * 4
        assert [line["event"] for line in said if line["event"].startswith("redis.")] == ["redis.away", "redis.back"]


@pytest.mark.parametrize("why", REFUSALS)
async def test_i3_a_redis_that_refuses_to_write_is_away_until_it_writes_again(
    db: Database, own_redis: OwnRedis, why: str
) -> None:
    async with through_redis(db, own_redis.url, cooldown=0) as carrier:
        await carrier.settle()

        with structlog.testing.capture_logs() as said:
            with own_redis.refusing(why):
                for number in range(3):
                    await carrier.add(f"during{number}")
                    await carrier.settle()
                jobs = len(await carrier.rows(tables.crawl_jobs))
                figures = await carrier.carrier.figures()
            await _settled(carrier)

        assert (jobs, figures.circuit) == (3, "open")
        assert await carrier.results() == ["success"] * 3
        assert [line["event"] for line in said if line["event"].startswith("redis.")] == ["redis.away", "redis.back"]


async def _settled(carrier: Carrier) -> None:
    """Goes on until nothing waits."""
    async with asyncio.timeout(60):
        while any(row.delivered_at is None for row in await carrier.rows(tables.events)):
            await carrier.settle()
            await asyncio.sleep(0.05)


async def test_i3_a_server_that_hangs_is_given_up_after_seconds_and_left_alone(
    db: Database, own_redis: OwnRedis
) -> None:
    async with through_redis(db, own_redis.url, patience=0.2, cooldown=3600) as carrier:
        await carrier.settle()
        own_redis.freeze()
        try:
            for _ in range(3):
                with pytest.raises(StreamAway):
                    await carrier.carrier.acknowledge([Delivery(position="1-0", tries=1, event=None)])
        finally:
            own_redis.thaw()

        assert _stream(carrier).is_away


async def test_a_toggle_says_who_did_it_under_both_names(carrier: Carrier, redis: Redis) -> None:
    source = await carrier.add()
    toggle = SourceChangeContext(
        stamp=Stamp("admin", carrier.clock.now()), source_defaults=carrier.source_defaults, reason="rate_limit_exceeded"
    )

    async def disable(db: Any) -> None:
        await source_states.disable(db, await sources.find(db, source), toggle)

    await carrier.db.write(disable)
    await carrier.pass_on()

    (_, (_, fields)) = await redis.xrange(STREAM)
    said = orjson.loads(fields[b"event"])
    assert said["event_type"] == SourceFact.DISABLED
    assert said["payload"] == {"reason": "rate_limit_exceeded", "toggled_by": "admin", "disabled_by": "admin"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://user:secret@host:6379/0", "redis://***@host:6379/0"),
        ("redis://:p%40ss@host/1", "redis://***@host/1"),
        ("redis://host:6379/0?password=secret", "redis://host:6379/0"),
    ],
)
def test_a_server_is_named_without_its_password(url: str, shown: str) -> None:
    assert masked(url) == shown
