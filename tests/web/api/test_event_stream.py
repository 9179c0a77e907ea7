"""Streams: what is in their messages, and that they do not hold up whoever wants to stop."""

import asyncio
import socket
from datetime import UTC, datetime

from fastapi import FastAPI

from lamplighter.web.api.event_stream import Heartbeat, comment, message
from lamplighter.web.server import WebServer
from tests.web.api.given_sources import on_sqlite


def test_j5_no_text_can_end_a_message_or_begin_another() -> None:
    data = {"text": "one\r\n\r\ndata: two\u2028", "at": datetime(2026, 3, 14, tzinfo=UTC)}

    sent = message(data, event="log", last_id=7)

    assert sent.startswith(b'id: 7\nevent: log\ndata: {"text":"one\\r\\n\\r\\ndata: two')
    assert sent.endswith(b'"at":"2026-03-14T00:00:00Z"}\n\n')
    assert (sent.count(b"\n"), sent.count(b"\r")) == (4, 0)


def test_a_sign_of_life_is_no_message() -> None:
    assert comment("heartbeat") == b": heartbeat\n\n"


def test_a_sign_of_life_is_due_every_quarter_of_a_minute() -> None:
    heartbeat = Heartbeat(100.0)

    assert [heartbeat.is_due(now) for now in (114.9, 115.0, 116.0, 131.0)] == [False, True, False, True]


@on_sqlite
async def test_an_open_stream_does_not_hold_up_the_server_that_stops(web: FastAPI) -> None:
    server = WebServer(web, grace_seconds=30)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(b"GET /sse/crawler/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")

        server.should_exit = True
        async with asyncio.timeout(60):
            await serving
        rest = await reader.read()
        writer.close()

    assert b"200 OK" in head
    assert b"text/event-stream" in head
    assert rest.endswith(b"0\r\n\r\n")
