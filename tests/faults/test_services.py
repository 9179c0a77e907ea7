"""Rows I of the fault matrix: what we stand on goes away, fills up, forgets or talks nonsense; and comes back."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import aio_pika
import orjson
import pytest
import sqlalchemy as sa
from redis.asyncio import Redis
from typer.testing import CliRunner

from lamplighter import telemetry
from lamplighter.adapters.messaging.redis_streams import STREAM
from lamplighter.app import Service, open_service
from lamplighter.cli import main
from lamplighter.crawl.records import index_deliver, index_round
from lamplighter.model.crawl import CrawlRun, RunOutcome
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema import tables
from lamplighter.telemetry import LogFormat
from tests.crawl.alerts.notification_loops import Receiver
from tests.origin import Answer, Origin, hang, redirect
from tests.repository import ROOT
from tests.servers import postgres
from tests.servers.meilisearch import Meilisearch
from tests.servers.redis import OwnRedis
from tests.servers.relay import Relay
from tests.servers.sharing import free_port
from tests.service.in_process import all_rows, asked, crawl, first_run, going, quick_settings, watch
from tests.service.sites import job_board, posting_html
from tests.service.waiting import asked_for, until
from tests.web.asgi_client import Ask, ask_of

POSTINGS = 30
MEGABYTE = 1024**2


@pytest.fixture(autouse=True)
def little_said() -> None:
    """Whatever is away is told of again and again, with all its causes; writing that down would take longest."""
    telemetry.configure("warning", LogFormat.JSON)


async def health_of(service: Service) -> tuple[int, dict[str, Any]]:
    """What a monitor is told."""
    reply = await ask_of(service)("/health")
    return reply.status, reply.json


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
async def test_i1_without_the_database_nobody_is_asked_and_with_it_everything_goes_on(
    origin: Origin, tmp_path: Path, migrated_url: str, postgres_url: str
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    url = sa.make_url(migrated_url)
    async with Relay(url.port or 0) as wire:
        through = url.set(port=wire.port).render_as_string(hide_password=False)
        settings = quick_settings(tmp_path, origin, database_url=through, min_delay_ms=150, lease_seconds=2)
        async with going(settings) as service:
            source_id = await watch(service, origin.url + "/jobs")
            await until(lambda: asked_for(origin, pages=3))
            await wire.cut()
            away, _ = await health_of(service)
            meanwhile = await _asked_without_a_lease(origin)
            at_the_start = await asyncio.to_thread(_start, settings)
            await wire.mend()
            await until(lambda: asked_for(origin, pages=7))
            await _set_read_only(postgres_url, url.database or "", "on")  # as after a failover to a replica
            await asyncio.sleep(1)
            await _set_read_only(postgres_url, url.database or "", "off")
            run = await _first_run_in_spite_of_it(service, source_id)
            await until(lambda: _is_well(service))

    assert away == 503
    assert meanwhile == 0
    assert (at_the_start.returncode, at_the_start.stderr.startswith("Error: ")) == (1, True), at_the_start.stderr
    assert "Traceback" not in at_the_start.stderr
    assert (run.outcome, run.tally.pages_fetched, run.tally.records_inserted) == (RunOutcome.OK, POSTINGS + 1, POSTINGS)
    assert max(Counter(asked(origin)).values()) <= 3
    assert min(origin.gaps()) >= 0.149


async def _first_run_in_spite_of_it(service: Service, source_id: int) -> CrawlRun:
    """The test reads by the service's own connections, which the server has ended too."""
    while True:
        try:
            return await first_run(service, source_id)
        except sa.exc.DBAPIError:
            await asyncio.sleep(0.2)


async def _asked_without_a_lease(origin: Origin) -> int:
    """Requests that come after the leases have run out that nobody could renew."""
    await asyncio.sleep(2.5)
    by_then = len(origin.log)
    await asyncio.sleep(1)
    return len(origin.log) - by_then


async def _is_well(service: Service) -> bool:
    """A busy machine may take longer for its first answer than a monitor waits."""
    status, _ = await health_of(service)
    return status == 200


def _start(settings: Settings) -> subprocess.CompletedProcess[str]:
    told = {"LAMPLIGHTER_DATABASE_URL": settings.resolved_database_url, "LAMPLIGHTER_DATA_DIR": str(settings.data_dir)}
    command = [sys.executable, "-m", "lamplighter", "sources", "list"]
    return subprocess.run(command, env=os.environ | told, capture_output=True, text=True, cwd=ROOT, check=False)


async def _set_read_only(server: str, database: str, is_on: str) -> None:
    """For sessions to come; those that there are end, as they would with their server."""
    await postgres.command(server, f'ALTER DATABASE "{database}" SET default_transaction_read_only = {is_on}')
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
    await postgres.command(server, end)


@asynccontextmanager
async def with_room(settings: Settings, free: list[int]) -> AsyncIterator[Service]:
    """A service on a disk of which so many bytes are free as the test says."""

    def free_bytes(_: Sequence[Path]) -> int:
        return free[0]

    async with open_service(settings, free_bytes=free_bytes) as service:
        rounds = asyncio.create_task(service.run())
        try:
            yield service
        finally:
            service.stopping.set()
            await rounds


async def test_i2_crawling_pauses_before_the_disk_is_full_and_goes_on_when_there_is_room(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=POSTINGS, per_page=POSTINGS)
    free = [1000 * MEGABYTE]
    async with with_room(quick_settings(tmp_path, origin, least_free_mb=500, min_delay_ms=100), free) as service:
        source_id = await watch(service, origin.url + "/jobs")
        await until(lambda: asked_for(origin, pages=3))
        free[0] = 499 * MEGABYTE
        await service.storing.disk.look()
        told = (await health_of(service))[1]["disk"]
        await asyncio.sleep(0.5)  # what is on its way arrives
        await until(lambda: _asks_nobody(service))
        low = len(asked(origin))
        free[0] = 501 * MEGABYTE  # no more than was just missing
        await service.storing.disk.look()
        await asyncio.sleep(1)
        little_more = len(asked(origin))
        free[0] = 700 * MEGABYTE
        await until(lambda: asked_for(origin, pages=low + 2))
        await _let_grow(service, pages=1)  # and what if it fills up all the same
        await asyncio.sleep(1)
        unfinished = (await all_rows(service, tables.crawl_runs))[0].finished_at is None
        await _let_grow(service, pages=2**30)
        run = await first_run(service, source_id)

    assert told == {"state": "low", "free_mb": 499, "least_free_mb": 500}
    assert low == little_more < POSTINGS + 1
    assert unfinished
    assert (run.outcome, run.tally.pages_failed, run.tally.records_inserted) == (RunOutcome.OK, 0, POSTINGS)
    assert sorted(Counter(asked(origin)).values()) == [1] * (POSTINGS + 1)


async def _asks_nobody(service: Service) -> bool:
    return not service.door.turns.in_flight


async def _let_grow(service: Service, *, pages: int) -> None:
    """Up to so many pages; beyond them SQLite says what it says when the disk is full."""

    async def work(db: Connection) -> None:
        await db.execute(sa.text(f"PRAGMA max_page_count = {pages}"))

    await service.db.write(work)


async def test_i3_without_redis_everything_is_crawled_and_afterwards_every_event_was_told(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=3, per_page=3)
    for name in ("down", "slow", "emptied"):
        origin.page(f"/{name}", posting_html(1, title=name))
    server = OwnRedis(tmp_path)
    server.start()
    try:
        async with going(quick_settings(tmp_path, origin, events_url=server.url)) as service:
            runs = [await crawl(service, origin.url + "/jobs")]
            server.stop()
            runs.append(await crawl(service, origin.url + "/down", max_depth=0))
            state = (await health_of(service))[1]["events"]["state"]
            server.start()  # with nothing in it
            runs.append(await crawl(service, origin.url + "/emptied", max_depth=0))
            server.freeze()
            runs.append(await crawl(service, origin.url + "/slow", max_depth=0))
            server.thaw()
            results = await until(lambda: _settled(service), patience=60)
            async with Redis.from_url(server.url, protocol=2) as redis:
                told = await redis.xlen(STREAM)
    finally:
        server.stop()

    assert [run.outcome for run in runs] == [RunOutcome.OK] * 4
    assert state == "open"
    assert results == ["success"] * 4
    assert told == 3, "all but the one that went with the first server"
    assert sorted(Counter(asked(origin)).values()) == [1] * 7
    assert min(origin.gaps()) >= 0.05


async def _settled(service: Service) -> list[str] | None:
    """What became of the events, once all of them are settled."""
    rows = await all_rows(service, tables.events)
    return [row.result for row in rows] if all(row.delivered_at for row in rows) else None


async def test_i4_without_rabbitmq_the_database_is_asked_and_what_is_told_a_hundred_times_is_done_once(
    origin: Origin, tmp_path: Path, rabbitmq_url: str
) -> None:
    job_board(origin, postings=3, per_page=3)
    origin.page("/meanwhile", posting_html(9))
    url = sa.make_url(rabbitmq_url)
    async with Relay(url.port or 0) as wire:
        through = url.set(port=wire.port).render_as_string(hide_password=False)
        async with going(quick_settings(tmp_path, origin, queue_url=through)) as service:
            await until(lambda: _queue_is(service, "ok"))
            runs = [await crawl(service, origin.url + "/jobs")]
            await wire.cut()
            await until(lambda: _queue_is(service, "away"))
            runs.append(await crawl(service, origin.url + "/meanwhile", max_depth=0))
            await wire.mend()
            await until(lambda: _queue_is(service, "ok"))
            before = len(asked(origin))
            await _send(rabbitmq_url, "priority_queue", b'{"host_id": 1}')
            await _send(rabbitmq_url, "parse_queue", b'{"page_ids": [1, 2, 3]}')
            await until(lambda: _is_empty(service))
            pages = await all_rows(service, tables.pages)

    assert [run.outcome for run in runs] == [RunOutcome.OK] * 2
    assert len(asked(origin)) == before == 5
    assert {page.phase for page in pages} == {"completed"}


async def _queue_is(service: Service, state: str) -> bool:
    return bool((await health_of(service))[1]["queue"]["state"] == state)


async def _is_empty(service: Service) -> bool:
    """Whether every message was taken, and acknowledged."""
    shown = (await ask_of(service).get("/api/admin/queues")).json["data"]
    counts = [each for name, each in shown.items() if isinstance(each, dict) and "dead" not in name]
    return all(each["messages_ready"] + each["messages_unacked"] == 0 for each in counts)


async def _send(url: str, queue: str, body: bytes) -> None:
    async with await aio_pika.connect(url) as connection, connection.channel() as channel:
        for _ in range(100):
            await channel.default_exchange.publish(aio_pika.Message(body), queue)


async def test_i5_a_search_server_that_is_away_or_wiped_misses_nothing_in_the_end(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FIRST_BACKOFF", "SERVER_BACKOFF"):
        monkeypatch.setattr(index_deliver, name, timedelta())
    monkeypatch.setattr(index_round, "COUNT_SECONDS", 0.0)
    job_board(origin, postings=3, per_page=3)
    origin.page("/away", posting_html(8))
    origin.page("/failing", posting_html(9))
    async with Meilisearch() as server:
        settings = quick_settings(tmp_path, origin, index_url=f"meilisearch+{server.url}")
        async with going(settings) as service:
            await crawl(service, origin.url + "/jobs")
            await until(lambda: _finds(service, "meilisearch", 3))
            await server.stop()
            await crawl(service, origin.url + "/away", max_depth=0)
            await until(lambda: _finds(service, "database", 4))
            server.wipe()
            server.unwell_tasks = 3
            await server.start()
            await crawl(service, origin.url + "/failing", max_depth=0)
            await until(lambda: _finds(service, "meilisearch", 5), patience=60)
            state = (await health_of(service))[1]["index"]

    assert state["state"] == "ok"
    assert state["pending"] == 0


async def _finds(service: Service, engine: str, count: int) -> bool:
    """Whether so many records are found, and by whom."""
    reply = await ask_of(service).get("/api/v1/records", q="posting")
    return bool((reply.json["engine"], reply.json["total"]) == (engine, count))


async def test_i6_receivers_that_are_down_slow_failing_or_elsewhere_hold_up_nobody_and_are_given_up(
    origin: Origin, tmp_path: Path
) -> None:
    job_board(origin, postings=2, per_page=2)
    elsewhere = Receiver(origin, "/elsewhere")
    hooks = {
        "good": Receiver(origin, "/good").url,
        "failing": Receiver(origin, "/failing", Answer(status=500)).url,
        "leading on": Receiver(origin, "/leading", redirect(elsewhere.url, 307)).url,
        "slow": Receiver(origin, "/slow", hang()).url,
        "down": f"http://127.0.0.1:{free_port()}/hook",
    }
    async with going(quick_settings(tmp_path, origin, allow_hosts="127.0.0.1")) as service:
        ask = ask_of(service)
        for name, target in hooks.items():
            given = {"name": name, "kind": "webhook", "target": target, "max_tries": 2}
            channel = (await ask.post("/api/v1/notifications/channels", given)).json["id"]
            at_once = {"kind": "records.new", "digest_minutes": 0, "with_baseline": True}
            await ask.post("/api/v1/notifications/rules", {"channel_id": channel, **at_once})
        closed = {"name": "closed", "kind": "webhook", "target": "http://127.0.0.2:9/hook"}
        refused = await ask.post("/api/v1/notifications/channels", closed)
        await crawl(service, origin.url + "/jobs")
        first = await until(lambda: _told(ask, "pending"))
        service.clock.set(service.clock.now() + timedelta(minutes=5))
        last = await until(lambda: _told(ask, "dead"))

    assert {name: state for name, (state, _) in first.items()} == dict.fromkeys(hooks, "pending") | {"good": "sent"}
    assert {name: state for name, (state, _) in last.items()} == dict.fromkeys(hooks, "dead") | {"good": "sent"}
    assert "HTTP 500" in str(last["failing"])
    assert "not followed" in str(last["leading on"])
    assert elsewhere.requests == []
    assert (refused.status, "LAMPLIGHTER_ALLOW_HOSTS" in refused.text) == (422, True)
    assert {path: len(origin.hits(path)) for path in ("/good", "/failing", "/leading", "/slow")} == {
        **dict.fromkeys(("/failing", "/leading", "/slow"), 2),
        "/good": 1,
    }


async def _told(ask: Ask, state: str) -> dict[str, tuple[str, str | None]] | None:
    """State and detail of each notification by its channel, once each was sent or has failed to this state."""
    told = (await ask.get("/api/v1/notifications/log")).json["notifications"]
    is_over = [each["state"] == "sent" or (each["state"] == state and each["detail"] is not None) for each in told]
    return {each["channel_name"]: (each["state"], each["detail"]) for each in told} if sum(is_over) == 5 else None


async def test_i7_an_event_that_nobody_understands_is_put_aside_with_the_reason_and_holds_up_nobody(
    origin: Origin, tmp_path: Path, redis_url: str
) -> None:
    origin.page("/jobs", posting_html(1))
    poison: list[dict[Any, Any]] = [
        *({"event": b"{not json"}, {"event": b"\xff\xfe"}, {"something": b"else"}),
        *(
            {"event": orjson.dumps(each)}
            for each in ({"event_id": str(uuid4())}, _foreign(event_type="SOURCE_EXPLODED"))
        ),
        *({"event": orjson.dumps(each)} for each in (_foreign(version=99), _foreign(payload="high"))),
    ]
    reasons = (
        *("not JSON", "not JSON", "no field `event`", "event_type is missing", "'SOURCE_EXPLODED' is unknown"),
        *("version 99 is not known", "payload 'high' is not an object"),
    )
    async with going(quick_settings(tmp_path, origin, events_url=redis_url)) as service:
        async with Redis.from_url(redis_url, protocol=2) as redis:
            for fields in poison:
                await redis.xadd(STREAM, fields)
        run = await crawl(service, origin.url + "/jobs", max_depth=0)
        ask = ask_of(service)
        letters = await until(lambda: _letters(ask, len(poison)))
        told = (await health_of(service))[1]["events"]["dead_letters"]

    assert run.outcome is RunOutcome.OK
    assert told == len(poison)
    for letter, why in zip(reversed(letters), reasons, strict=True):
        assert why in letter["reason"]


def _foreign(**more: Any) -> dict[str, Any]:
    """What another program says of a source."""
    payload = {"name": "b", "url": "https://b.example/", "enabled": True, "priority": "normal"}
    said = {"event_id": str(uuid4()), "event_type": "SOURCE_CREATED", "source_id": str(uuid4()), "payload": payload}
    return said | {"timestamp": "2026-01-01T00:00:00Z"} | more


async def _letters(ask: Ask, count: int) -> list[dict[str, Any]] | None:
    letters: list[dict[str, Any]] = (await ask.get("/api/v1/events/dead-letters")).json["dead_letters"]
    return letters if len(letters) >= count else None


def test_i8_a_migration_that_was_cut_short_is_made_good_and_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    database = tmp_path / "lamplighter.db"
    env = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")}
    env |= {"PYTHONPATH": str(ROOT / "src"), "LAMPLIGHTER_DATA_DIR": str(tmp_path)}

    def upgrade() -> Any:
        return CliRunner().invoke(main.app, ["db", "upgrade"], env=env)

    command = [sys.executable, "-m", "lamplighter", "worker"]
    cut_short = subprocess.run(command, env=env | {"LAMPLIGHTER_CRASH_AT": "create.midway"}, timeout=300)
    upgraded, again = upgrade(), upgrade()
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    before = database.read_bytes()
    newer = upgrade()

    assert cut_short.returncode == -signal.SIGKILL
    assert (upgraded.exit_code, again.exit_code) == (0, 0), upgraded.output + again.output
    assert newer.exit_code == 1
    assert "9999" in newer.stderr
    assert database.read_bytes() == before
