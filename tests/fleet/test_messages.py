"""A service and its RabbitMQ: what it makes of messages, and what it shows of the queues."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import aio_pika
import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from lamplighter.store.schema.tables import pages
from tests.origin import Origin
from tests.servers.sharing import free_port
from tests.service.in_process import all_pages, asked, crawl, going, host_of, quick_settings, watch
from tests.service.sites import job_board
from tests.service.submitted_tasks import Desk
from tests.web.asgi_client import Ask, ask_of

PATIENCE_SECONDS = 120


@asynccontextmanager
async def connected(folder: Path, origin: Origin, url: str, **more: Any) -> AsyncIterator[Service]:
    """A service that makes its rounds, connected to RabbitMQ."""
    async with going(quick_settings(folder, origin, queue_url=url, **more)) as opened:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while opened.queue.trouble is not None:  # noqa: ASYNC110 - as an outsider would look
                await asyncio.sleep(0.05)
        yield opened


@pytest.fixture
async def service(tmp_path: Path, origin: Origin, rabbitmq_url: str) -> AsyncIterator[Service]:
    """One that does everything."""
    async with connected(tmp_path, origin, rabbitmq_url) as opened:
        yield opened


async def send(url: str, queue: str, *bodies: bytes) -> None:
    async with await aio_pika.connect(url) as connection, connection.channel() as channel:
        for body in bodies:
            await channel.default_exchange.publish(aio_pika.Message(body), queue)


async def queues(ask: Ask) -> dict[str, Any]:
    shown: dict[str, Any] = (await ask.get("/api/admin/queues")).json["data"]
    return shown


async def received(url: str, queue: str) -> dict[str, Any]:
    """The message that comes first, to one who is no part of us."""
    async with await aio_pika.connect(url) as connection, connection.channel() as channel:
        here = await channel.get_queue(queue)
        # Not by a timeout, which is a cancellation: whoever asks RabbitMQ at that moment may swallow it.
        give_up = time.monotonic() + PATIENCE_SECONDS
        while (message := await here.get(fail=False, no_ack=True)) is None:
            assert time.monotonic() < give_up, f"nothing came to {queue}"
            await asyncio.sleep(0.02)
    said: dict[str, Any] = json.loads(message.body)
    return said


async def lease(service: Service, page_id: int, *, until: datetime | None) -> None:
    """Lets nobody read a page until then."""
    held = sa.update(pages).where(pages.c.id == page_id).values(lease_until=until)
    await service.db.write(lambda db: db.execute(held))


@pytest.mark.parametrize(("priority", "queue"), [(2, "priority_queue"), (3, "crawl_queue")])
async def test_the_host_of_a_task_is_called_for_by_its_priority(
    tmp_path: Path, origin: Origin, rabbitmq_url: str, priority: int, queue: str
) -> None:
    async with connected(tmp_path, origin, rabbitmq_url, duties="schedule") as service:
        desk = await Desk.of(service, origin)
        await desk.submit("/1", priority=priority)

        assert await received(rabbitmq_url, queue) == {"version": 1, "host_id": desk.host_id}


async def test_the_host_of_a_run_that_is_opened_is_called_for(
    tmp_path: Path, origin: Origin, rabbitmq_url: str
) -> None:
    async with connected(tmp_path, origin, rabbitmq_url, duties="schedule") as service:
        await watch(service, origin.url + "/jobs")
        said = await received(rabbitmq_url, "crawl_queue")
        host = await host_of(service, origin)

    assert said == {"version": 1, "host_id": host.id}


async def test_pages_are_called_for_once_they_came_and_their_hosts_once_they_led_on(
    tmp_path: Path, origin: Origin, rabbitmq_url: str
) -> None:
    job_board(origin, postings=3, per_page=3)
    async with connected(tmp_path, origin, rabbitmq_url, duties="fetch,schedule") as service:
        await watch(service, origin.url + "/jobs")
        came = await received(rabbitmq_url, "parse_queue")
        start, host = (await all_pages(service))["/jobs"], await host_of(service, origin)
        # What is read before RabbitMQ is there is told to nobody.
        await lease(service, start.id, until=service.clock.now() + timedelta(hours=1))
    async with connected(tmp_path, origin, rabbitmq_url, duties="parse") as service:
        await lease(service, start.id, until=None)
        led_on = await received(rabbitmq_url, "crawl_queue")

    assert came == {"version": 1, "page_ids": [start.id]}
    assert led_on == {"version": 1, "host_id": host.id}


async def test_messages_about_what_is_gone_are_ignored_with_a_reason_and_the_rounds_go_on(
    service: Service, origin: Origin, rabbitmq_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    job_board(origin, postings=3, per_page=3)
    await send(rabbitmq_url, "crawl_queue", b'{"host_id": 123456}')
    await send(rabbitmq_url, "parse_queue", b'{"page_ids": [123456, 123457]}')

    run = await crawl(service, origin.url + "/jobs")

    said = "".join(capsys.readouterr())
    assert run.outcome is RunOutcome.OK
    assert said.count("queue.ignored") == 2
    assert "there are no such hosts" in said
    assert "there are no such pages" in said


async def test_i4_the_same_message_a_hundred_times_changes_nothing(
    service: Service, origin: Origin, rabbitmq_url: str
) -> None:
    job_board(origin, postings=3, per_page=3)
    await crawl(service, origin.url + "/jobs")
    before = len(asked(origin))

    await send(rabbitmq_url, "priority_queue", *[b'{"host_id": 1}'] * 100)
    await send(rabbitmq_url, "parse_queue", *[b'{"page_ids": [1, 2, 3]}'] * 100)
    await asyncio.sleep(1)

    assert len(asked(origin)) == before


async def test_the_queues_are_shown_as_rabbitmq_has_them(service: Service, rabbitmq_url: str) -> None:
    ask = ask_of(service)
    await send(rabbitmq_url, "crawl_queue", b"junk")
    shown = await queues(ask)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not shown["dead_letter_queue"]["messages_ready"]:
            await asyncio.sleep(0.05)
            shown = await queues(ask)
    health = (await ask.get("/api/health")).json["data"]["services"]["rabbitmq"]

    assert shown["crawl_queue"] == {"messages_ready": 0, "messages_unacked": 0, "consumers": 1}
    assert shown["dead_letter_queue"] == {"messages_ready": 1, "messages_unacked": 0, "consumers": 0}
    assert health["status"] == "healthy"
    assert (await ask.get("/health")).json["queue"] == {"state": "ok"}


async def test_i4_while_rabbitmq_is_away_that_is_shown_and_the_database_is_counted(
    tmp_path: Path, origin: Origin
) -> None:
    away = f"amqp://guest:guest@127.0.0.1:{free_port()}/"

    async with going(quick_settings(tmp_path, origin, queue_url=away)) as service:
        ask = ask_of(service)
        shown = await queues(ask)
        health = (await ask.get("/api/health")).json["data"]["services"]["rabbitmq"]
        state = (await ask.get("/health")).json["queue"]

    assert shown["crawl_queue"] == {"messages_ready": 0, "messages_unacked": 0, "consumers": 0}
    assert shown["dead_letter_queue"] is None
    assert health["status"] == "unhealthy"
    assert state == {"state": "away"}
