"""What libcurl is held to: bytes on the wire, header lines, connections and handles."""

import asyncio
import os
import time
import zlib
from collections.abc import Awaitable, Callable

import pytest

from lamplighter.fetch import transfers
from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.model.visit import Failed, Fault, Fetched, Redirected
from tests.fetch.client_stack import Names, a_client, fault_of
from tests.origin import Answer, Origin, hang
from tests.origin.wire import Wire

OriginFactory = Callable[..., Awaitable[Origin]]
PAGE = BodyLimits(max_bytes=64 * 1024)
MEGABYTE = 1_000_000
_CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"


def _endless(head: bytes, piece: bytes, *, sent: list[int]) -> Answer:
    """A response that goes on with the same bytes until the client leaves."""

    async def perform(wire: Wire) -> None:
        await wire.send(head)
        while True:
            await wire.send(piece)
            sent.append(len(piece))

    return Answer(perform=perform)


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        pytest.param(_CHUNKED + b"5;", b"x" * 65_536, id="a chunk that says no end of itself"),
        pytest.param(_CHUNKED + b"5\r\n<p>1\n\r\n0\r\n", b"X-Trailer: y\r\n", id="trailers without end"),
        pytest.param(b"", b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", id="interim responses without end"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX: y\r\n", b" more\r\n", id="a folded header without end"),
        pytest.param(b"HTTP/1.1 200 OK\r\n", b"X-Header: y\r\n", id="headers without end"),
    ],
)
async def test_b11_what_never_comes_to_the_page_is_given_up(origin: Origin, head: bytes, piece: bytes) -> None:
    sent: list[int] = []
    origin.route("/", _endless(head, piece, sent=sent))

    async with a_client(origin.address, read=30, total=30) as client:
        visit = await client.get(origin.url + "/", wanted=PAGE)

    assert fault_of(visit) is Fault.BROKEN_RESPONSE
    assert sum(sent) < 200 * MEGABYTE


async def test_interim_responses_and_trailers_of_an_honest_server_are_passed_over(origin: Origin) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"

    async def perform(wire: Wire) -> None:
        await wire.send(hints + _CHUNKED + b"4;a=b\r\npage\r\n0\r\nETag: of-the-trailer\r\n\r\n")

    origin.route("/", Answer(perform=perform))

    async with a_client(origin.address) as client:
        visit = await client.get(origin.url + "/", wanted=PAGE)

    assert isinstance(visit, Fetched)
    assert (visit.body, visit.validators.etag) == (b"page", None)
    assert [name for name, _ in visit.headers] == [b"Content-Type", b"Transfer-Encoding"]


async def test_b1_empty_blocks_burn_no_core(origin: Origin) -> None:
    empty = zlib.compressobj(wbits=-15).flush(zlib.Z_FULL_FLUSH) or b"\x00\x00\x00\xff\xff"
    packed = b"\x78\x9c" + empty * (5 * MEGABYTE // len(empty))
    headers = {"Content-Type": "text/html", "Content-Encoding": "deflate"}
    origin.route("/", Answer(headers=headers, body=packed))
    wanted = BodyLimits(max_bytes=10 * MEGABYTE)

    async with a_client(origin.address) as client:
        began = time.thread_time()
        visit = await client.get(origin.url + "/", wanted=wanted)
        spent = time.thread_time() - began

    assert fault_of(visit) is Fault.BROKEN_RESPONSE
    assert spent < 0.5


async def test_a_header_that_would_be_two_lines_is_not_sent(origin: Origin) -> None:
    async with a_client(origin.address) as client:
        visit = await client.get(origin.url + "/", wanted=PAGE, headers={"X-Key": "a\r\nX-Other: b"})

    assert isinstance(visit, Failed)
    assert origin.log == []


async def test_an_empty_header_is_sent_and_one_of_ours_can_be_replaced(origin: Origin) -> None:
    async with a_client(origin.address) as client:
        await client.get(origin.url + "/", wanted=PAGE, headers={"X-Empty": "", "accept": "text/plain"})

    sent = origin.log[0].headers
    assert (sent["x-empty"], sent["accept"]) == ("", "text/plain")


async def test_a_small_body_that_nobody_wants_costs_no_connection(origin: Origin) -> None:
    origin.route("/gone", Answer(status=404, body=b"<p>nothing here</p>"))
    origin.page("/", "hello")

    async with a_client(origin.address) as client:
        await client.get(origin.url + "/gone", wanted=PAGE)
        opened = origin.connections
        await client.get(origin.url + "/", wanted=PAGE)

        assert origin.connections == opened


async def test_a_redirect_does_not_wait_for_the_rest_of_its_body(origin: Origin) -> None:
    async def perform(wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 50\r\n\r\nmov")
        await wire.until_client_leaves()

    origin.route("/", Answer(perform=perform))

    async with a_client(origin.address, read=30, total=60) as client:
        async with asyncio.timeout(5):
            visit = await client.get(origin.url + "/", wanted=PAGE)

    assert isinstance(visit, Redirected)


async def test_a_kept_connection_needs_no_name_server(origin: Origin) -> None:
    origin.page("/", "hello")
    names = Names({"shop.example": ["127.0.0.1"]})

    async with a_client(origin.address, resolver=names) as client:
        visits = [await client.get(f"http://shop.example:{origin.port}/", wanted=PAGE) for _ in range(5)]

    assert all(isinstance(visit, Fetched) for visit in visits)
    assert names.asked == ["shop.example"]


async def test_p3_a_connection_that_the_server_has_closed_a_moment_ago_is_not_used(origin: Origin) -> None:
    async def answer_and_close(wire: Wire) -> None:
        await wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\npage")

    origin.route("/last", Answer(perform=answer_and_close))
    origin.page("/", "hello")

    async with a_client(origin.address) as client:
        await client.get(origin.url + "/last", wanted=PAGE)
        await _until(lambda: not origin.connections)
        visit = await client.get(origin.url + "/", wanted=PAGE)

    assert isinstance(visit, Fetched)


async def test_connections_are_closed_when_there_was_nothing_to_fetch_for_long(
    origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "KEPT_OPEN_SECONDS", 1)
    origin.page("/", "hello")

    async with a_client(origin.address) as client:
        await client.get(origin.url + "/", wanted=PAGE)
        before = len(origin.connections)
        await _until(lambda: len(origin.connections) == 0)
        after = len(origin.connections)
        visit = await client.get(origin.url + "/", wanted=PAGE)

    assert (before, after) == (1, 0)
    assert isinstance(visit, Fetched)


async def test_a_cancelled_request_gives_back_its_handle_and_its_connection(origin: Origin) -> None:
    origin.route("/", hang())
    origin.page("/next", "hello")

    async with a_client(origin.address, read=30, total=30) as client:
        await client.get(origin.url + "/next", wanted=PAGE)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            asking = asyncio.create_task(client.get(origin.url + "/", wanted=PAGE))
            await asyncio.sleep(0.01)
            asking.cancel()
            await asyncio.wait([asking])
        visit = await client.get(origin.url + "/next", wanted=PAGE)
        await _until(lambda: len(os.listdir("/proc/self/fd")) <= before + 2)

        assert isinstance(visit, Fetched)
        assert len(os.listdir("/proc/self/fd")) <= before + 2


async def test_closing_the_client_ends_what_is_under_way(origin: Origin) -> None:
    origin.route("/", hang())

    async with a_client(origin.address, read=30, total=30) as client:
        asking = asyncio.create_task(client.get(origin.url + "/", wanted=PAGE))
        await _until(lambda: len(origin.log) == 1)
    visit = await asking

    assert isinstance(visit, Failed)


async def _until(true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        await asyncio.sleep(0.01)
