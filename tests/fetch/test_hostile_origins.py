"""Sites and proxies that do their worst: whatever an answer is spent on, it costs us little and blocks nobody.

Each origin sends from a thread of its own, as fast as the machine can. CPU is measured, not time.
"""

import gzip
from typing import Literal

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


SITE, SECURE_SITE = "http://127.0.0.1:9/", "https://127.0.0.1:9/"


async def attacked(
    perform: Perform,
    *,
    is_secure: bool = False,
    url: str | None = None,
    as_proxy_for: str | None = None,
    protocol: Literal["http", "https", "socks5"] = "http",
    read: float = 60,
) -> tuple[Visit, HostileOrigin]:
    """The visit of a hostile origin, or of a site through it; asserts that it cost little and blocked nobody."""
    tls = self_signed().server if is_secure else None
    authorities = self_signed().certificate if is_secure else None
    with HostileOrigin(perform, tls=tls) as origin:
        proxy = ProxyEndpoint(
            id=7, protocol=protocol, address="127.0.0.1", port=origin.port, username=None, password=None
        )
        endpoint = proxy if as_proxy_for is not None else None
        allowed = (origin.address, "127.0.0.1:9")
        async with (
            a_client(*allowed, connect=read, read=read, total=read, authorities=authorities) as client,
            watching_the_loop() as watch,
        ):
            asked = as_proxy_for or f"{url or origin.url}/".replace("PORT", str(origin.port))
            visit = await client.get(asked, wanted=PAGE, endpoint=endpoint)
    assert watch.longest_seconds < 0.25
    assert watch.cpu_seconds < 1
    # Most of this is what the kernel holds for us: its buffers take several megabytes.
    assert origin.sent < 60 * MEGABYTE
    return visit, origin


@pytest.mark.parametrize(("head", "piece"), FLOODS)
async def test_b11_a_flood_is_given_up(head: bytes, piece: bytes) -> None:
    visit, _ = await attacked(endless(head, piece))

    assert fault_of(visit) is Fault.BROKEN_RESPONSE


@pytest.mark.parametrize(("head", "piece"), FLOODS)
async def test_b11_tls_hides_no_flood(head: bytes, piece: bytes) -> None:
    visit, _ = await attacked(endless(head, piece), is_secure=True)

    assert fault_of(visit) is Fault.BROKEN_RESPONSE


def _behind_socks(perform: Perform) -> Perform:
    """As a SOCKS5 proxy that opens its tunnel to this."""

    def with_tunnel(connection: Connection) -> None:
        connection.sock.recv(65536)
        connection.send(b"\x05\x00")
        connection.sock.recv(65536)
        connection.send(b"\x05\x00\x00\x01" + bytes(6))
        perform(connection)

    return with_tunnel


@pytest.mark.parametrize("protocol", ["http", "https", "socks5"])
@pytest.mark.parametrize(("head", "piece"), FLOODS)
async def test_b11_a_proxy_that_floods_in_the_name_of_a_site_is_given_up(
    head: bytes, piece: bytes, protocol: Literal["http", "https", "socks5"]
) -> None:
    perform = endless(head, piece) if protocol != "socks5" else _behind_socks(endless(head, piece))

    visit, _ = await attacked(perform, as_proxy_for=SITE, protocol=protocol, is_secure=protocol == "https")

    assert fault_of(visit) in (Fault.BROKEN_RESPONSE, Fault.PROXY)


@pytest.mark.parametrize("protocol", ["http", "https"])
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
async def test_b11_a_proxy_that_floods_before_the_tunnel_is_open_is_given_up(
    head: bytes, piece: bytes, protocol: Literal["http", "https"]
) -> None:
    perform, is_secure = endless(head, piece), protocol == "https"

    visit, _ = await attacked(perform, as_proxy_for=SECURE_SITE, protocol=protocol, is_secure=is_secure)

    assert fault_of(visit) in (Fault.BROKEN_RESPONSE, Fault.PROXY)


@pytest.mark.parametrize(
    ("reply", "piece"),
    [
        pytest.param(b"", b"\x05\x00\x00\x03\xff" + b"x" * 257, id="replies with long names"),
        pytest.param(b"\x05\x00", b"\x05\x00", id="greetings"),
        pytest.param(b"", b"HTTP/1.1 200 OK\r\n", id="what is no SOCKS"),
    ],
)
async def test_b11_a_socks_proxy_that_floods_before_the_tunnel_is_open_is_given_up(reply: bytes, piece: bytes) -> None:
    def perform(connection: Connection) -> None:
        connection.sock.recv(65536)
        connection.send(reply)
        connection.repeat(piece)

    visit, _ = await attacked(perform, as_proxy_for=SECURE_SITE, protocol="socks5")

    assert fault_of(visit) in (Fault.BROKEN_RESPONSE, Fault.TLS, Fault.PROXY)


def hello_requests(*, a_second: float | None) -> Perform:
    """Answers the first message of a TLS handshake with what OpenSSL skips; a limit is bytes a second."""
    message = b"\x16\x03\x03\x00\x04" + bytes(4)

    def perform(connection: Connection) -> None:
        connection.sock.recv(65536)
        if a_second is None:
            connection.repeat(message)
        while True:
            connection.send(message * 1000)
            connection.pause(1000 * len(message) / (a_second or 1))

    return perform


def _tunnel_to(perform: Perform) -> Perform:
    """As an HTTP proxy that opens its tunnel to this."""

    def with_tunnel(connection: Connection) -> None:
        connection.read_request()
        connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
        perform(connection)

    return with_tunnel


@pytest.mark.parametrize("a_second", [pytest.param(None, id="at full speed"), pytest.param(3e6, id="by the piece")])
@pytest.mark.parametrize("way", ["direct", "https proxy", "tunnel", "secure tunnel", "socks5"])
async def test_a5_tls_that_says_hello_for_ever_is_given_up(way: str, a_second: float | None) -> None:
    flood = hello_requests(a_second=a_second)

    match way:
        case "direct":
            visit, _ = await attacked(flood, url="https://127.0.0.1:PORT")
        case "https proxy":
            visit, _ = await attacked(flood, as_proxy_for=SITE, protocol="https")
        case "tunnel":
            visit, _ = await attacked(_tunnel_to(flood), as_proxy_for=SECURE_SITE)
        case "secure tunnel":
            visit, _ = await attacked(_tunnel_to(flood), as_proxy_for=SECURE_SITE, protocol="https", is_secure=True)
        case _:
            visit, _ = await attacked(_behind_socks(flood), as_proxy_for=SECURE_SITE, protocol="socks5")

    assert fault_of(visit) in (Fault.BROKEN_RESPONSE, Fault.PROXY)


async def test_a5_session_tickets_without_end_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_signed().server, "num_tickets", 10**7)

    visit, _ = await attacked(silent, is_secure=True)

    assert fault_of(visit) is Fault.BROKEN_RESPONSE


def slowly(text: bytes) -> Perform:
    def perform(connection: Connection) -> None:
        connection.read_request()
        for position in range(len(text)):
            connection.send(text[position : position + 1])
            connection.pause(0.05)

    return perform


@pytest.mark.parametrize(
    ("perform", "is_secure"),
    [
        pytest.param(slowly(OK + b"X-Header: " + b"y" * 1000), False, id="headers by the byte"),
        pytest.param(slowly(OK + b"\r\n" + b"y" * 1000), False, id="a body by the byte"),
        pytest.param(slowly(CHUNKED + b"5;" + b"x" * 1000), False, id="a chunk extension by the byte"),
        pytest.param(silent, False, id="silence"),
        pytest.param(silent, True, id="silence within TLS"),
    ],
)
async def test_a4_whoever_is_slow_is_left_at_the_deadline(perform: Perform, is_secure: bool) -> None:
    visit, _ = await attacked(perform, is_secure=is_secure, read=1)

    assert fault_of(visit) is Fault.TIMEOUT


@pytest.mark.parametrize(
    "perform", [pytest.param(silent, id="never"), pytest.param(slowly(b"\x16\x03\x03\x40\x00"), id="by the byte")]
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
