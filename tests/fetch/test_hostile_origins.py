"""Sites and proxies that do their worst: whatever an answer is spent on, it costs us little and blocks nobody.

Each origin sends from a thread of its own, as fast as the machine can. CPU is measured, not time.
"""

import gzip

import pytest

from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.model.proxy import ProxyEndpoint
from lamplighter.model.visit import Fault, Fetched, Visit
from tests.fetch.client_stack import a_client, fault_of
from tests.origin.certificate import self_signed
from tests.origin.hostile import Connection, HostileOrigin, Perform, endless, silent
from tests.origin.loop_watch import watching_the_loop

PAGE = BodyLimits(max_bytes=2_000_000)
MEGABYTE = 1_000_000
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
#: the first byte of a brotli stream with an empty block, and a further one
BROTLI, EMPTY_BROTLI = b"\x0c", b"\x06"

FLOODS = [
    pytest.param(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", id="interim answers"),
    pytest.param(b"", b"HTTP/1.1 100 Continue\r\n\r\n", id="interim answers without headers"),
    pytest.param(b"", b"\r\n", id="empty lines"),
    pytest.param(b"HTTP/1.1 200 OK", b"K" * 1000, id="a status line without end"),
    pytest.param(OK, b"X-Header: y\r\n", id="headers"),
    pytest.param(OK + b"X-Header: ", b"y" * 1000, id="a header without end"),
    pytest.param(OK + b"X-Header: y\r\n", b" more\r\n", id="a folded header without end"),
    pytest.param(CHUNKED + b"5;", b"x" * 1000, id="a chunk extension without end"),
    pytest.param(CHUNKED, b"1;" + b"x" * 8000 + b"\r\na\r\n", id="chunks of one byte, each with a long extension"),
    pytest.param(CHUNKED, b"1;x=yyyyyyyy\r\na\r\n", id="chunks of one byte, each with a short extension"),
    pytest.param(CHUNKED, b"1\r\na\r\n", id="chunks of one byte"),
    pytest.param(CHUNKED, b"0" * 1000, id="a chunk size without end"),
    pytest.param(CHUNKED + b"4\r\npage\r\n0\r\n", b"X-Trailer: y\r\n", id="trailers"),
    pytest.param(OK + b"Content-Encoding: deflate\r\n\r\n\x78\x9c", b"\0\0\0\xff\xff", id="empty blocks of deflate"),
    pytest.param(OK + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b""), id="empty members of gzip"),
    pytest.param(OK + b"Content-Encoding: br\r\n\r\n" + BROTLI, EMPTY_BROTLI, id="empty blocks of brotli"),
    pytest.param(
        OK + b"Content-Encoding: zstd\r\n\r\n\x28\xb5\x2f\xfd\x00\x58", b"\0\0\0", id="empty blocks of zstandard"
    ),
    pytest.param(
        OK + b"Content-Encoding: zstd\r\n\r\n",
        b"\x50\x2a\x4d\x18\x04\0\0\0skip",
        id="frames of zstandard that are skipped",
    ),
]


async def attacked(
    perform: Perform, *, is_secure: bool = False, as_proxy_for: str | None = None, read: float = 60
) -> tuple[Visit, HostileOrigin]:
    """The visit of a hostile origin, or of a site through it; asserts that it cost little and blocked nobody."""
    tls = self_signed().server if is_secure else None
    authorities = self_signed().certificate if is_secure else None
    with HostileOrigin(perform, tls=tls) as origin:
        proxy = ProxyEndpoint(
            id=7, protocol="http", address="127.0.0.1", port=origin.port, username=None, password=None
        )
        endpoint = proxy if as_proxy_for is not None else None
        allowed = (origin.address, "127.0.0.1:9")
        async with (
            a_client(*allowed, connect=read, read=read, total=read, authorities=authorities) as client,
            watching_the_loop() as watch,
        ):
            visit = await client.get(as_proxy_for or origin.url + "/", wanted=PAGE, endpoint=endpoint)
    assert watch.longest_seconds < 0.25
    assert watch.cpu_seconds < 1
    # Most of this is what the kernel holds for us: its buffers take several megabytes.
    assert origin.sent < 60 * MEGABYTE
    return visit, origin


@pytest.mark.parametrize(("head", "piece"), FLOODS)
async def test_b11_a_flood_is_given_up(head: bytes, piece: bytes) -> None:
    visit, _ = await attacked(endless(head, piece))

    assert fault_of(visit) is Fault.BROKEN_RESPONSE


@pytest.mark.parametrize(("head", "piece"), FLOODS[7:9])
async def test_b11_tls_hides_no_flood(head: bytes, piece: bytes) -> None:
    visit, _ = await attacked(endless(head, piece), is_secure=True)

    assert fault_of(visit) is Fault.BROKEN_RESPONSE


@pytest.mark.parametrize(("head", "piece"), FLOODS[:11])
async def test_b11_a_proxy_that_floods_in_the_name_of_a_site_is_given_up(head: bytes, piece: bytes) -> None:
    visit, _ = await attacked(endless(head, piece), as_proxy_for="http://127.0.0.1:9/")

    assert fault_of(visit) in (Fault.BROKEN_RESPONSE, Fault.PROXY)


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        pytest.param(b"HTTP/1.1 200 OK\r\n", b"X-Header: y\r\n", id="headers"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX-Header: ", b"y" * 1000, id="a header without end"),
        pytest.param(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", id="interim answers"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", b"y" * 1000, id="what is no TLS"),
        pytest.param(
            b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"4\r\nbody\r\n",
            id="a refusal in chunks without end",
        ),
        pytest.param(
            b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 99999999999\r\n\r\n",
            b"body",
            id="a refusal of a hundred gigabytes",
        ),
        pytest.param(b"HTTP/1.1 502 No\r\nContent-Length: 99999999999\r\n\r\n", b"body", id="a fault without end"),
    ],
)
async def test_b11_a_proxy_that_floods_before_the_tunnel_is_open_is_given_up(head: bytes, piece: bytes) -> None:
    visit, _ = await attacked(endless(head, piece), as_proxy_for="https://127.0.0.1:9/")

    assert fault_of(visit) in (Fault.BROKEN_RESPONSE, Fault.PROXY)


def _slowly(text: bytes) -> Perform:
    def perform(connection: Connection) -> None:
        connection.read_request()
        for position in range(len(text)):
            connection.send(text[position : position + 1])
            connection.pause(0.05)

    return perform


@pytest.mark.parametrize(
    ("perform", "is_secure"),
    [
        pytest.param(_slowly(OK + b"X-Header: " + b"y" * 1000), False, id="headers by the byte"),
        pytest.param(_slowly(OK + b"\r\n" + b"y" * 1000), False, id="a body by the byte"),
        pytest.param(_slowly(CHUNKED + b"5;" + b"x" * 1000), False, id="a chunk extension by the byte"),
        pytest.param(silent, False, id="silence"),
        pytest.param(silent, True, id="silence within TLS"),
    ],
)
async def test_a4_whoever_is_slow_is_left_at_the_deadline(perform: Perform, is_secure: bool) -> None:
    visit, _ = await attacked(perform, is_secure=is_secure, read=1)

    assert fault_of(visit) is Fault.TIMEOUT


@pytest.mark.parametrize(
    "perform", [pytest.param(silent, id="never"), pytest.param(_slowly(b"\x16\x03\x03\x40\x00"), id="by the byte")]
)
async def test_a5_tls_that_never_finishes_is_left_at_the_deadline(perform: Perform) -> None:
    with HostileOrigin(perform) as origin:
        async with a_client(origin.address, connect=1, read=1, total=1) as client:
            visit = await client.get(f"https://{origin.address}/", wanted=PAGE)

    assert fault_of(visit) in (Fault.TIMEOUT, Fault.CONNECT)


async def test_large_pages_in_small_honest_chunks_are_read_over_one_connection() -> None:
    line = b"<p>one of the lines that a server writes as it goes along</p>\n"
    body = (b"%x\r\n%s\r\n" % (len(line), line)) * 20_000 + b"0\r\n\r\n"

    def perform(connection: Connection) -> None:
        while True:
            connection.read_request()
            connection.send(CHUNKED + body)

    with HostileOrigin(perform) as origin:
        async with a_client(origin.address, read=60, total=60) as client:
            visits = [await client.get(origin.url + "/", wanted=PAGE) for _ in range(8)]

    assert [len(visit.body) if isinstance(visit, Fetched) else visit for visit in visits] == [20_000 * len(line)] * 8
    assert origin.connections == 1


async def test_what_a_connection_received_before_is_not_held_against_the_next_page() -> None:
    padded = CHUNKED + b"10;" + b"x" * 4000 + b"\r\n0123456789abcdef\r\n" + b"0\r\n\r\n"

    def perform(connection: Connection) -> None:
        while True:
            connection.read_request()
            # By the piece, so that each page takes many reads.
            for start in range(0, len(padded), 500):
                connection.send(padded[start : start + 500])
                connection.pause(0.001)

    with HostileOrigin(perform) as origin:
        async with a_client(origin.address, read=60, total=60) as client:
            visits = [await client.get(origin.url + "/", wanted=PAGE) for _ in range(300)]

    assert {type(visit) for visit in visits} == {Fetched}
    assert origin.sent > MEGABYTE
    assert origin.connections == 1
