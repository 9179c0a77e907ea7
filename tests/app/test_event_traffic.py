"""Which way events take, by the settings; and a whole service whose events go through Redis."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa
from redis.asyncio import Redis

from lamplighter import settings
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.adapters.messaging.redis_streams import GROUP, STREAM, RedisStream
from lamplighter.app import Service
from lamplighter.app.engines import stream_of
from lamplighter.errors import BadSetting
from lamplighter.model.access import Stamp
from lamplighter.operations.jobs import job_sync
from lamplighter.operations.sources import source_states, sources
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_jobs, events
from lamplighter.store.sources import sources as stored_sources
from tests.servers.redis import OwnRedis
from tests.service.in_process import going, quick_settings
from tests.service.waiting import until


@pytest.fixture
def database_kind() -> str:
    """Settings are the same, whichever database is behind them."""
    return "sqlite"


@pytest.mark.parametrize(
    ("given", "is_stream"),
    [
        pytest.param({}, False, id="nothing said"),
        pytest.param({"LAMPLIGHTER_EVENTS_URL": "redis://h/0"}, True, id="a URL is enough"),
        pytest.param({"LAMPLIGHTER_EVENTS_URL": "redis://h/0", "REDIS_EVENTS_ENABLED": "true"}, True, id="and enabled"),
        pytest.param({"LAMPLIGHTER_EVENTS_URL": "redis://h/0", "REDIS_EVENTS_ENABLED": "false"}, False, id="but not"),
        pytest.param({"REDIS_EVENTS_ENABLED": "false"}, False, id="not, and no URL"),
    ],
)
async def test_events_go_through_redis_when_it_is_named_and_not_disabled(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], is_stream: bool
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    stream = stream_of(settings.load(), DatabaseClock(None), instance="1")

    assert isinstance(stream, RedisStream) == is_stream


async def test_enabled_without_a_url_is_refused_with_the_remedy() -> None:
    chosen = settings.load({}, redis_events_enabled=True)

    with pytest.raises(BadSetting, match="set LAMPLIGHTER_EVENTS_URL=redis://"):
        stream_of(chosen, DatabaseClock(None), instance="1")


async def test_a_url_that_is_none_is_refused_without_showing_it() -> None:
    chosen = settings.load({}, events_url="http://user:secret@h/0")

    with pytest.raises(BadSetting, match="LAMPLIGHTER_EVENTS_URL is not the URL of a Redis") as refused:
        stream_of(chosen, DatabaseClock(None), instance="1")
    assert "secret" not in str(refused.value)


async def _add(service: Service, name: str = "a") -> str:
    now = service.clock.now()
    new = NewSource(url=f"https://{name}.example/", name=name)

    async def work(db: Connection) -> str:
        source_id = await sources.create(db, new, source_defaults=service.source_defaults, stamp=Stamp("test", now))
        return (await _row(db, source_id)).public_id

    public_id = await service.db.write(work)
    service.bells.events.ring()
    return public_id


async def _row(db: Connection, source_id: int) -> Any:
    return await stored_sources.get(db, source_id)


async def _delivered(service: Service, count: int) -> list[str] | None:
    async with service.db.read() as db:
        rows = list(await db.execute(sa.select(events.c.result).where(events.c.delivered_at.is_not(None))))
    return [row.result for row in rows] if len(rows) >= count else None


async def _jobs(service: Service) -> int:
    async with service.db.read() as db:
        return int(await db.scalar(sa.select(sa.func.count()).select_from(crawl_jobs)))


async def test_a_service_settles_its_events_and_those_of_others_through_redis(tmp_path: Path, redis_url: str) -> None:
    chosen = quick_settings(tmp_path, events_url=redis_url, disable_scheduler=True)
    async with Redis.from_url(redis_url, protocol=2) as redis:
        async with going(chosen, schedule=False) as service:
            await _add(service)
            await until(lambda: _delivered(service, 1))
            payload = {"name": "b", "url": "https://b.example/", "enabled": True, "priority": "normal"}
            said = {
                "event_id": "550e8400-e29b-41d4-a716-446655440001",
                "event_type": "SOURCE_CREATED",
                "source_id": "550e8400-e29b-41d4-a716-446655440000",
                "timestamp": service.clock.now().isoformat(),
                "payload": payload,
            }
            await redis.xadd(STREAM, {"event": orjson.dumps(said)})

            # ours and theirs, each once
            results = await until(lambda: _delivered(service, 2))
            consumers = [each["name"] for each in await redis.xinfo_consumers(STREAM, GROUP)]

            assert results == ["success"] * 2
            assert await _jobs(service) == 2
            assert consumers == [f"crawler-{service.door.turns.owner}".encode()]
        assert await redis.xinfo_consumers(STREAM, GROUP) == []


async def test_a_service_asks_the_stream_in_the_agreed_way(tmp_path: Path, redis_url: str) -> None:
    chosen = quick_settings(tmp_path, events_url=redis_url, disable_scheduler=True)
    heard: dict[str, str] = {}
    async with Redis.from_url(redis_url) as redis, redis.monitor() as monitor:
        number = int(redis_url.rpartition("/")[2])
        async with going(chosen, schedule=False) as service, asyncio.timeout(60):
            while not heard.keys() >= {"XREADGROUP", "XAUTOCLAIM"}:
                said = await monitor.next_command()
                if said["db"] == number:
                    heard[said["command"].split()[0]] = said["command"]
            me = f"crawler-{service.door.turns.owner}"

    assert heard["XREADGROUP"] == f"XREADGROUP GROUP crawler-workers {me} COUNT 10 BLOCK 5000 STREAMS source-events >"
    assert heard["XAUTOCLAIM"].startswith(f"XAUTOCLAIM source-events crawler-workers {me} 30000 ")


async def test_a_service_starts_without_redis_and_takes_it_up_when_it_comes(tmp_path: Path) -> None:
    server = OwnRedis(tmp_path)
    chosen = quick_settings(tmp_path, events_url=server.url)
    async with going(chosen, schedule=False) as service:
        await _add(service)
        figures = await service.events.carrier.figures()
        server.start()
        try:
            results = await until(lambda: _delivered(service, 1), patience=60)
        finally:
            service.stopping.set()
            await asyncio.sleep(0)
            server.stop()

    assert (figures.engine, figures.circuit, results) == ("redis", "open", ["success"])


async def test_where_new_sources_are_left_to_people_a_job_comes_only_by_asking(tmp_path: Path) -> None:
    chosen = quick_settings(tmp_path, auto_manage_new_sources=False)
    async with going(chosen, schedule=False) as service:
        toggle = SourceChangeContext(stamp=Stamp("test", service.clock.now()), source_defaults=service.source_defaults)
        first = await _add(service, "first")
        await _add(service, "second")
        await until(lambda: _delivered(service, 2))
        await service.leading.reconciler.reconcile()
        by_itself = await _jobs(service)

        async def enable(db: Connection) -> None:
            await source_states.enable(db, await sources.find(db, first), toggle)

        await service.db.write(enable)
        by_enabling = await _jobs(service)
        report = await job_sync.sync_enabled(
            service.db, source_defaults=service.source_defaults, actor="test", clock=service.clock
        )

    assert (by_itself, by_enabling, report.created, report.already_has_job) == (0, 1, 1, 1)
