"""A service and its RabbitMQ: what it makes of messages, and what it shows of the queues."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aio_pika
import pytest

from lamplighter.app import Service
from lamplighter.cli.serve import view_of
from lamplighter.model.crawl import Outcome
from lamplighter.web.server import make_app
from tests.crawl.rounds import asked, crawl, going, quick_settings
from tests.crawl.sites import job_board
from tests.origin import Origin
from tests.servers.sharing import free_port
from tests.web.asking import Ask

PATIENCE_SECONDS = 120


@pytest.fixture
async def service(tmp_path: Path, origin: Origin, rabbitmq_url: str) -> AsyncIterator[Service]:
    """A service that makes its rounds, connected to RabbitMQ."""
    async with going(quick_settings(tmp_path, origin, queue_url=rabbitmq_url)) as opened:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while opened.queue.trouble is not None:  # noqa: ASYNC110 - as an outsider would look
                await asyncio.sleep(0.05)
        yield opened


async def send(url: str, queue: str, *bodies: bytes) -> None:
    async with await aio_pika.connect(url) as connection, connection.channel() as channel:
        for body in bodies:
            await channel.default_exchange.publish(aio_pika.Message(body), queue)


async def queues(ask: Ask) -> dict[str, Any]:
    shown: dict[str, Any] = (await ask.get("/api/admin/queues")).json["data"]
    return shown


async def test_messages_about_what_is_gone_are_ignored_with_a_reason_and_the_rounds_go_on(
    service: Service, origin: Origin, rabbitmq_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    job_board(origin, postings=3, per_page=3)
    await send(rabbitmq_url, "crawl_queue", b'{"host_id": 123456}')
    await send(rabbitmq_url, "parse_queue", b'{"page_ids": [123456, 123457]}')

    run = await crawl(service, origin.url + "/jobs")

    said = "".join(capsys.readouterr())
    assert run.outcome is Outcome.OK
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
    ask = Ask(make_app(view_of(service)))
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
        ask = Ask(make_app(view_of(service)))
        shown = await queues(ask)
        health = (await ask.get("/api/health")).json["data"]["services"]["rabbitmq"]
        state = (await ask.get("/health")).json["queue"]

    assert shown["crawl_queue"] == {"messages_ready": 0, "messages_unacked": 0, "consumers": 0}
    assert shown["dead_letter_queue"] is None
    assert health["status"] == "unhealthy"
    assert state == {"state": "away"}
