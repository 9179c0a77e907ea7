"""The bucket of segments: what goes over the wire, and what is said when nothing does."""

import asyncio
import io
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import pytest
from warcio.archiveiterator import ArchiveIterator

from lamplighter.adapters.archive.archive_frames import frames_of
from lamplighter.adapters.archive.s3_archive import S3Archive
from lamplighter.adapters.clocks import DatabaseClock
from tests.captures import capture
from tests.servers.s3 import S3Server
from tests.servers.sharing import free_port


@pytest.fixture(autouse=True)
def credentials(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client takes them from the environment."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)


def _archive(server: S3Server, *, endpoint: str | None = None, mark: str = "p", url: str | None = None) -> S3Archive:
    bucket, _, prefix = (url or server.new_url()).removeprefix("s3://").partition("/")
    server_url = endpoint or server.endpoint
    return S3Archive(bucket, frames_of(mark), clock=DatabaseClock(), prefix=prefix, endpoint=server_url)


@asynccontextmanager
async def _sending_parts(port: int) -> AsyncIterator[tuple[str, list[str]]]:
    """The same server, which now says of a part that it is one; and what came back to requests for parts."""
    parts: list[str] = []
    connections: list[asyncio.StreamWriter] = []

    async def answer(upstream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await upstream.readuntil(b"\r\n\r\n")).decode()
            if found := re.search(r"Content-Range: (.*)\r\n", head):
                parts.append(found.group(1))
                head = head.replace("200 OK", "206 Partial Content", 1)
            length = int(found.group(1)) if (found := re.search(r"Content-Length: (\d+)", head)) else 0
            writer.write(head.encode() + await upstream.readexactly(length))

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, onwards = await asyncio.open_connection("127.0.0.1", port)
        connections.extend((writer, onwards))
        answering = asyncio.create_task(answer(upstream, writer))
        while data := await reader.read(65536):
            onwards.write(data)
        answering.cancel()

    async with await asyncio.start_server(converse, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", parts
        await _close(connections)


async def _close(connections: Sequence[asyncio.StreamWriter]) -> None:
    """The client keeps its connections for the next time, which does not come."""
    for connection in connections:
        connection.close()
    for connection in connections:
        with suppress(ConnectionError):
            await connection.wait_closed()
    await asyncio.sleep(0.05)


_CONFLICT = b"<Error><Code>ConditionalRequestConflict</Code></Error>"
_ANSWERS = {
    "conflict": b"HTTP/1.1 409 Conflict\r\nContent-Length: %d\r\n\r\n%s" % (len(_CONFLICT), _CONFLICT),
    "cut off": b'HTTP/1.1 200 OK\r\nETag: "1"\r\nLast-Modified: Wed, 18 Nov 2026 20:00:00 GMT\r\n'
    b"Content-Length: 1000\r\n\r\nbegun",
}


@asynccontextmanager
async def _answering_some(port: int, *, method: str, times: int, answer: str) -> AsyncIterator[str]:
    """The same server, but the first requests with this method get another answer, after which the connection ends."""
    left = times
    conversations: list[asyncio.Task[None] | None] = []
    clients: list[asyncio.StreamWriter] = []

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal left
        conversations.append(asyncio.current_task())
        clients.append(writer)
        upstream, onwards = await asyncio.open_connection("127.0.0.1", port)
        answering = asyncio.create_task(pass_on(upstream, writer))
        while data := await reader.read(65536):
            if left and data.startswith(method.encode()):
                left -= 1
                writer.write(_ANSWERS[answer])
                break
            onwards.write(data)
        answering.cancel()
        await _close([writer, onwards])

    async with await asyncio.start_server(converse, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await _close(clients)
        await asyncio.gather(*filter(None, conversations))


async def test_one_body_of_many_is_asked_for_by_itself(s3_server: S3Server) -> None:
    url = s3_server.new_url()
    kept = await _archive(s3_server, url=url).put([capture(b"one" * 1000), capture(b"two"), capture(b"three")])

    async with _sending_parts(s3_server.port) as (endpoint, parts):
        body = await _archive(s3_server, url=url, endpoint=endpoint).get(kept[1].key)

    total = sum(one.size for one in kept)
    assert body == b"two"
    assert parts == [f"bytes {kept[0].size}-{kept[0].size + kept[1].size - 1}/{total}"]


async def test_the_captures_of_one_put_are_one_object(s3_server: S3Server) -> None:
    archive = _archive(s3_server)

    await archive.put([capture(b"one"), capture(b"two")])
    await archive.put([capture(b"three")])

    assert len(await archive.segments()) == 2


async def test_an_object_is_read_to_its_end_after_a_discard(s3_server: S3Server) -> None:
    url = s3_server.new_url()
    archive = _archive(s3_server, url=url, mark="w")
    kept = await archive.put([capture(b"one"), capture(b"two" * 1000), capture(b"three")])

    await archive.discard([kept[0].key, kept[2].key])

    path = s3_server.folder / url.removeprefix("s3://") / f"{kept[0].segment}.warc.gz"
    content = await asyncio.to_thread(path.read_bytes)
    types = [record.rec_type for record in ArchiveIterator(io.BytesIO(content))]
    assert types == ["warcinfo", "metadata", "response", "metadata"]


async def test_two_at_once_may_discard_from_one_object(s3_server: S3Server) -> None:
    archive = _archive(s3_server)
    kept = await archive.put([capture(f"body {number}".encode()) for number in range(6)])

    await asyncio.gather(*(archive.discard([one.key]) for one in kept[:5]))

    elsewhere = [await archive.capture(one.key) for one in kept]
    assert elsewhere[:5] == [None] * 5
    assert elsewhere[5] is not None


# The client itself repeats a write once after a conflict.
@pytest.mark.parametrize(("method", "times", "answer"), [("PUT", 2, "conflict"), ("GET", 1, "cut off")])
async def test_a_discard_that_is_overtaken_is_made_again(
    s3_server: S3Server, method: str, times: int, answer: str
) -> None:
    url = s3_server.new_url()
    archive = _archive(s3_server, url=url)
    one, two = await archive.put([capture(b"one"), capture(b"two")])

    async with _answering_some(s3_server.port, method=method, times=times, answer=answer) as endpoint:
        await _archive(s3_server, url=url, endpoint=endpoint).discard([one.key])

    assert await archive.get_all([one.key, two.key]) == [None, b"two"]


async def test_a_discard_that_is_overtaken_each_time_fails_and_says_how_the_last_try_ended(
    s3_server: S3Server,
) -> None:
    url = s3_server.new_url()
    (kept,) = await _archive(s3_server, url=url).put([capture(b"one")])

    async with _answering_some(s3_server.port, method="PUT", times=100, answer="conflict") as endpoint:
        with pytest.raises(ConnectionError, match=r"5 tries .* overtaken; .*: ConditionalRequestConflict$"):
            await _archive(s3_server, url=url, endpoint=endpoint).discard([kept.key])


async def test_a_server_that_is_away_is_a_connection_error_in_every_way(s3_server: S3Server) -> None:
    archive = _archive(s3_server, endpoint=f"http://127.0.0.1:{free_port()}")
    key = "0123:0:10:p"

    for work in (archive.put([capture(b"x")]), archive.get(key), archive.capture(key), archive.discard([key])):
        with pytest.raises(ConnectionError, match=r"the S3 archive failed: Connect$"):
            await work
    for more in (archive.segments(), archive.remove("0123")):
        with pytest.raises(ConnectionError):
            await more


async def test_what_is_refused_is_told_without_the_keys(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-the-right-one")

    with pytest.raises(ConnectionError, match="SignatureDoesNotMatch") as refused:
        await _archive(s3_server).put([capture(b"x")])

    assert s3_server.access_key not in str(refused.value)
    assert "not-the-right-one" not in str(refused.value)


async def test_a_bucket_that_is_not_there_is_waited_for_and_nothing_in_it_is_taken_for_lost(
    s3_server: S3Server,
) -> None:
    nowhere = _archive(s3_server, url="s3://nowhere/x")
    (kept,) = await _archive(s3_server).put([capture(b"x")])

    for work in (nowhere.put([capture(b"x")]), nowhere.get(kept.key), nowhere.discard([kept.key])):
        with pytest.raises(ConnectionError, match="NoSuchBucket"):
            await work
