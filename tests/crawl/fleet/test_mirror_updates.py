"""Crawl state as outside readers see it in Redis: a copy, made after the commit, that the crawl never waits for."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import redis.asyncio
import structlog

from lamplighter import settings
from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.app import Service
from lamplighter.app.engines import mirror_of
from lamplighter.crawl.fleet.mirror_updates import MirrorUpdates
from lamplighter.crawl.pages.page_results import PageReading, PageResult
from lamplighter.errors import BadSetting
from lamplighter.model.crawl import RunOutcome
from lamplighter.model.mirror import MirrorEntry, PendingPages
from lamplighter.rules.urls import urls
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import Queues, on_sqlite
from tests.origin import Origin
from tests.servers.redis import OwnRedis
from tests.service.in_process import all_rows, crawl, first_run, going, quick_settings, watch
from tests.service.sites import job_board
from tests.service.waiting import asked_for, until

CLOCK = DatabaseClock(None)


@pytest.fixture
async def reader(redis_url: str) -> AsyncIterator[Any]:
    """Somebody outside who looks into Redis."""
    client: Any = redis.asyncio.Redis.from_url(redis_url, decode_responses=True)
    yield client
    await client.aclose()


def shown_in(url: str, **more: Any) -> dict[str, Any]:
    return {"events_url": url, "redis_events_enabled": False, "redis_storage_enabled": True, **more}


async def ids(service: Service) -> tuple[str, str]:
    """The public ids of the only job and of its source."""
    (job,), (source,) = await all_rows(service, tables.crawl_jobs), await all_rows(service, tables.sources)
    return job.public_id, source.public_id


async def test_a_crawl_is_shown_under_the_keys_that_others_know(
    origin: Origin, tmp_path: Path, redis_url: str, reader: Any
) -> None:
    job_board(origin, postings=3, per_page=3)

    async with going(quick_settings(tmp_path, origin, **shown_in(redis_url))) as service:
        await crawl(service, origin.url + "/jobs")
        job, source = await ids(service)
    keys = await reader.keys("*")

    paths = ["/jobs", "/job/0", "/job/1", "/job/2"]
    start = urls.url_key(origin.url + "/jobs")
    assert sorted(keys) == sorted(
        [f"crawler:{job}:request:{urls.url_key(origin.url + path)}" for path in paths]
        + [f"crawler:hash:{source}:{start}", f"crawler:adaptive:{source}"]
    )
    assert [604_000 < await reader.ttl(key) <= 604_800 for key in keys] == [True] * 6
    adaptive = await reader.hgetall(f"crawler:adaptive:{source}")
    assert adaptive["unchanged_count"] == "0"
    assert int(adaptive["current_interval"].removesuffix("s")) > 0
    assert len(adaptive["last_hash"]) == 64


async def test_what_waits_is_shown_while_the_run_goes_on(
    origin: Origin, tmp_path: Path, redis_url: str, reader: Any
) -> None:
    job_board(origin, postings=30, per_page=30)
    chosen = quick_settings(tmp_path, origin, min_delay_ms=300, **shown_in(redis_url, redis_storage_expires="90m"))

    async with going(chosen) as service:
        await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        job, _ = await ids(service)

        async def queue() -> list[str]:
            waiting: list[str] = await reader.lrange(f"crawler:{job}:queue", 0, -1)
            return waiting

        waiting = await until(queue)
        lasts = await reader.ttl(f"crawler:{job}:queue")

    assert waiting[-1] == origin.url + "/job/29"
    assert 0 < lasts <= 5400


async def test_nothing_is_shown_unless_somebody_asks_for_it(
    origin: Origin, tmp_path: Path, redis_url: str, reader: Any
) -> None:
    job_board(origin, postings=2, per_page=2)

    async with going(quick_settings(tmp_path, origin, events_url=redis_url, redis_events_enabled=False)) as service:
        await crawl(service, origin.url + "/jobs")
        status = service.mirroring.status()

    assert await reader.keys("*") == []
    assert status == {"state": "off"}


async def test_a_redis_that_is_away_holds_up_nothing_and_is_used_again_when_it_is_back(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=12, per_page=12)
    (tmp_path / "redis").mkdir()
    server = OwnRedis(tmp_path / "redis")
    server.start()

    with structlog.testing.capture_logs() as logged:
        async with going(quick_settings(tmp_path, origin, **shown_in(server.url))) as service:
            source_id = await watch(service, origin.url + "/jobs")
            await until(lambda: asked_for(origin, pages=1))
            server.stop()
            run = await first_run(service, source_id)
            away = await until(lambda: _standing(service, "away"))
            told = service.mirroring.figures()
            server.start()
            back = await until(lambda: _standing(service, "up"), patience=120)
            _, source = await ids(service)
            reader: Any = redis.asyncio.Redis.from_url(server.url, decode_responses=True)
            await until(lambda: reader.exists(f"crawler:adaptive:{source}"), patience=120)
            await reader.aclose()
    server.stop()

    assert (run.outcome, run.tally.pages_fetched) == (RunOutcome.OK, 13)
    assert away["dropped"] > 0
    assert (told["mirror_away"], told["mirror_dropped"]) == (True, away["dropped"])
    assert back["dropped"] >= away["dropped"]
    assert [line["event"] for line in logged if line["event"].startswith("mirror.")] == ["mirror.lost", "mirror.back"]


class _Breaking:
    """A mirror that breaks while it is shown something for the first time."""

    def __init__(self) -> None:
        self.is_away = False
        self.shown: list[MirrorEntry] = []
        self._broke = False

    async def is_there(self) -> bool:
        return True

    async def show(self, entries: Sequence[MirrorEntry]) -> bool:
        self.is_away, self._broke = not self._broke, True
        self.shown += [] if self.is_away else entries
        return not self.is_away

    async def close(self) -> None:
        pass


@on_sqlite
async def test_what_was_lost_on_the_way_is_shown_when_the_mirror_is_back(db: Database) -> None:
    queues = Queues(db)
    await queues.job("a")
    await queues.poll()
    await queues.end("a", pages_fetched=1)
    mirror = _Breaking()
    mirroring = MirrorUpdates(db, mirror=mirror, clock=queues.clock)
    reading = cast(PageReading, SimpleNamespace(page=SimpleNamespace(run_id=1)))
    mirroring.stored([PageResult(None, reading)])

    await mirroring.show()
    lost = list(mirror.shown)
    await mirroring.show()

    assert lost == []
    assert [type(entry) for entry in mirror.shown][:1] == [PendingPages]


async def _standing(service: Service, state: str) -> dict[str, Any] | None:
    status = service.mirroring.status()
    return status if status["state"] == state else None


@pytest.mark.parametrize(
    ("given", "named"),
    [
        pytest.param({"redis_storage_expires": "a week"}, "168h, 90m, 7d or 3600s", id="no duration"),
        pytest.param({"redis_storage_enabled": True}, "LAMPLIGHTER_EVENTS_URL", id="no Redis"),
        pytest.param(
            {"redis_storage_enabled": True, "events_url": "amqp://u:s3cret@127.0.0.1/"}, "redis://", id="not a Redis"
        ),
    ],
)
def test_a_mirror_that_cannot_be_is_refused_with_what_would_work(given: dict[str, Any], named: str) -> None:
    with pytest.raises(BadSetting) as refusal:
        mirror_of(settings.load({}, **given), CLOCK)

    assert named in str(refusal.value)
    assert "s3cret" not in str(refusal.value)


def test_the_names_of_other_crawlers_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRAWLER_REDIS_STORAGE_ENABLED", "true")
    monkeypatch.setenv("CRAWLER_REDIS_STORAGE_EXPIRES", "2d")
    chosen = settings.load(events_url="redis://127.0.0.1:1/0")

    mirror: Any = mirror_of(chosen, CLOCK)

    assert mirror.expires_seconds == timedelta(days=2).total_seconds()
