"""Clients that send half a request, or a body that never ends, do not keep their connections."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI

from lamplighter.web import connections, security_headers
from lamplighter.web.server import WebServer

WHOLE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PATIENCE_SECONDS = 60


@asynccontextmanager
async def served(web: FastAPI) -> AsyncIterator[tuple[str, int]]:
    """The address of a server."""
    server = WebServer(web, grace_seconds=1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        yield listening.getsockname()
        server.should_exit = True
        await serving


async def answer_to(address: tuple[str, int], *parts: bytes, pause: float = 0.0) -> bytes:
    """Everything that the server sends until it closes the connection."""
    reader, writer = await asyncio.open_connection(*address)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            for part in parts:
                writer.write(part)
                await asyncio.sleep(pause)
            return await reader.read()
    except ConnectionError:
        return b""  # closed while we were writing
    finally:
        writer.close()


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([], id="nothing"),
        pytest.param([b"GET /health HTTP/1.1\r\nHost:"], id="half a head"),
        pytest.param([b"GET /health HTTP/1.1\r\n"] + [b"X-A: b\r\n"] * 8, id="a head that grows and grows"),
        pytest.param([WHOLE, WHOLE[:20]], id="half a head after a whole request"),
    ],
)
async def test_a_connection_without_a_whole_head_is_closed(
    web: FastAPI, parts: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.5)

    async with served(web) as address:
        answer = await answer_to(address, *parts, pause=0.2)

    assert answer.count(b"HTTP/1.1 200 OK") == parts.count(WHOLE)


async def test_three_hundred_half_requests_leave_no_connection_open(
    web: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 1.0)

    async with served(web) as address:
        answers = await asyncio.gather(*(answer_to(address, WHOLE[:-2]) for _ in range(300)))
        after = await answer_to(address, WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))

    assert set(answers) == {b""}
    assert after.startswith(b"HTTP/1.1 200 OK")


async def test_a_body_that_stops_half_way_is_refused(web: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security_headers, "BODY_SECONDS", 0.3)
    head = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"

    async with served(web) as address:
        answer = await answer_to(address, head + b"Content-Length: 500\r\nConnection: close\r\n\r\nname=anna")

    assert answer.startswith(b"HTTP/1.1 408 ")


async def test_a_request_that_takes_its_time_is_not_cut_off(web: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 5.0)

    async with served(web) as address:
        answer = await answer_to(address, WHOLE[:10], WHOLE[10:-2], b"Connection: close\r\n\r\n", pause=0.2)

    assert answer.startswith(b"HTTP/1.1 200 OK")
