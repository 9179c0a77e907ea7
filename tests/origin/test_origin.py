"""The recording origin is the witness of every politeness test, so it is tested itself."""

import asyncio
import http.client
import json
import ssl
import time
import zlib

import pytest

from tests.origin import (
    Answer,
    Origin,
    Request,
    ThreadedOrigin,
    bad_chunking,
    brotli_bomb,
    busy,
    endless_body,
    gzip_bomb,
    hang,
    hang_after_headers,
    huge_header,
    many_headers,
    redirect,
    reset_mid_body,
    short_body,
    slow_body,
    slow_headers,
    surplus_body,
)


async def ask(origin: Origin, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """One request on a connection of its own, read to the end of the connection."""
    reader, writer = await asyncio.open_connection(origin.host, origin.port)
    lines = [f"GET {path} HTTP/1.1", f"Host: {origin.address}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    try:
        answer = await reader.read()
    finally:
        writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    return int(first.split()[1]), {line.partition(":")[0]: line.partition(":")[2].strip() for line in rest}, body


async def test_a_page_is_served_with_its_length_and_validators(origin: Origin) -> None:
    origin.page("/a", "<h1>héllo</h1>", etag='"1"', last_modified="Mon, 05 Jan 2026 00:00:00 GMT")

    status, headers, body = await ask(origin, "/a")

    assert (status, body) == (200, "<h1>héllo</h1>".encode())
    assert headers["ETag"] == '"1"'
    assert headers["Content-Length"] == str(len(body))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        pytest.param({"If_None_Match": '"1"'}, 304, id="the same tag"),
        pytest.param({"If_None_Match": 'W/"1", "2"'}, 304, id="one of several, weak"),
        pytest.param({"If_None_Match": '"2"'}, 200, id="another tag"),
        pytest.param({"If_Modified_Since": "Mon, 05 Jan 2026 00:00:00 GMT"}, 304, id="the same date"),
        pytest.param({"If_Modified_Since": "Sun, 04 Jan 2026 00:00:00 GMT"}, 200, id="an older date"),
        pytest.param(
            {"If_None_Match": '"2"', "If_Modified_Since": "Mon, 05 Jan 2026 00:00:00 GMT"}, 200, id="the tag decides"
        ),
    ],
)
async def test_a_conditional_request_gets_304_only_when_its_validators_match(
    origin: Origin, headers: dict[str, str], status: int
) -> None:
    origin.page("/a", "<h1>hello</h1>", etag='"1"', last_modified="Mon, 05 Jan 2026 00:00:00 GMT")

    answered, _, body = await ask(origin, "/a", **headers)

    assert answered == status
    assert bool(body) == (status == 200)


async def test_robots_is_missing_until_it_is_scripted(origin: Origin) -> None:
    before, _, _ = await ask(origin, "/robots.txt")
    origin.robots("User-agent: *\nDisallow: /x")
    after, _, body = await ask(origin, "/robots.txt")
    origin.robots(status=503)
    broken, _, _ = await ask(origin, "/robots.txt")

    assert (before, after, broken) == (404, 200, 503)
    assert b"Disallow: /x" in body


async def test_a_sequence_is_played_visit_by_visit_and_its_last_answer_stays(origin: Origin) -> None:
    origin.route("/p", busy(retry_after="7"), busy(503), redirect("/q", 301), Answer(body=b"ok"))

    answers = [await ask(origin, "/p") for _ in range(5)]

    assert [status for status, _, _ in answers] == [429, 503, 301, 200, 200]
    assert answers[0][1]["Retry-After"] == "7"
    assert answers[2][1]["Location"] == "/q"


async def test_a_callable_route_sees_the_request(origin: Origin) -> None:
    origin.route("/echo", lambda request: Answer(body=f"{request.target} {request.headers['x-a']}".encode()))

    _, _, body = await ask(origin, "/echo?b=1", X_A="2")

    assert body == b"/echo?b=1 2"


async def test_a_route_with_a_query_goes_before_the_route_of_its_path(origin: Origin) -> None:
    origin.route("/p", body="any")
    origin.route("/p?page=2", body="second")

    bodies = [(await ask(origin, path))[2] for path in ("/p?page=1", "/p?page=2")]

    assert bodies == [b"any", b"second"]


async def test_every_path_without_a_route_can_have_one_answer(origin: Origin) -> None:
    def tarpit(request: Request) -> Answer:
        return Answer(body=f'<a href="{request.path}/deeper">on</a>'.encode())

    origin.otherwise(tarpit)

    _, _, body = await ask(origin, "/a/b")

    assert body == b'<a href="/a/b/deeper">on</a>'


async def test_each_cookie_has_a_header_of_its_own(origin: Origin) -> None:
    origin.route("/c", Answer(cookies=("a=1", "b=2")))
    connection = http.client.HTTPConnection(origin.host, origin.port, timeout=60)

    def cookies() -> list[str]:
        connection.request("GET", "/c")
        with connection.getresponse() as answer:
            return answer.headers.get_all("Set-Cookie", [])

    assert await asyncio.to_thread(cookies) == ["a=1", "b=2"]

    connection.close()


async def test_the_log_has_every_request_in_order_with_its_headers(origin: Origin) -> None:
    origin.page("/a", "a")

    await ask(origin, "/a?x=1", User_Agent="Lamplighter/1")
    await ask(origin, "/missing")

    assert [(hit.number, hit.method, hit.path, hit.status) for hit in origin.log] == [
        (0, "GET", "/a?x=1", 200),
        (1, "GET", "/missing", 404),
    ]
    assert origin.hits("/a?x=1")[0].headers["user-agent"] == "Lamplighter/1"
    assert json.loads(origin.dump())[1]["path"] == "/missing"


async def test_gaps_are_the_seconds_between_arrivals(origin: Origin) -> None:
    before = time.monotonic()
    for path in ("/robots.txt", "/a", "/b"):
        await ask(origin, path)
        await asyncio.sleep(0.05)
    after = time.monotonic()

    gaps = origin.gaps()

    assert len(gaps) == 2
    assert min(gaps) >= 0.05
    assert sum(gaps) <= after - before


async def test_an_arrival_is_stamped_before_the_answer_is_ready(origin: Origin) -> None:
    origin.route("/slow", slow_body(b"0123456789", bytes_per_second=100))

    await ask(origin, "/slow")

    hit = origin.log[0]
    assert hit.finished is not None
    assert hit.finished - hit.arrived >= 0.09


async def test_requests_in_flight_are_counted_at_arrival(origin: Origin) -> None:
    origin.route("/slow", slow_body(b"0123456789", bytes_per_second=100))

    await asyncio.gather(*(ask(origin, "/slow") for _ in range(3)))
    await ask(origin, "/slow")

    assert sorted(hit.in_flight for hit in origin.log) == [1, 1, 2, 3]
    assert origin.max_in_flight == 3


async def test_a_connection_is_kept_for_the_next_request(origin: Origin) -> None:
    origin.page("/a", "a")
    reader, writer = await asyncio.open_connection(origin.host, origin.port)

    for _ in range(2):
        writer.write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(1) == b"a"

    assert len(origin.log) == 2
    writer.close()


async def test_head_and_304_have_no_body(origin: Origin) -> None:
    origin.page("/a", "abc")
    reader, writer = await asyncio.open_connection(origin.host, origin.port)
    writer.write(b"HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    answer = await reader.read()

    assert b"Content-Length: 3\r\n" in answer
    assert answer.endswith(b"\r\n\r\n")
    writer.close()


async def test_two_hosts_have_two_logs() -> None:
    async with Origin() as one, Origin(host="127.0.0.2") as other:
        await ask(other, "/a")

        assert (len(one.log), len(other.log)) == (0, 1)


async def test_a_closed_origin_refuses_and_opens_again_on_the_same_port() -> None:
    async with Origin() as origin:
        await origin.close()
        with pytest.raises(ConnectionRefusedError):
            await ask(origin, "/a")
        await origin.open()

        status, _, _ = await ask(origin, "/a")

    assert status == 404


async def test_a5_hanging_answers_hang_until_the_client_leaves(origin: Origin) -> None:
    origin.route("/silent", hang())
    origin.route("/promise", hang_after_headers())

    for path in ("/silent", "/promise"):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ask(origin, path), timeout=0.1)
    await asyncio.sleep(0.05)

    assert all(hit.finished is not None for hit in origin.log)


async def test_closing_does_not_wait_for_a_client_that_hangs() -> None:
    async with Origin() as origin:
        origin.route("/silent", hang())
        waiting = asyncio.create_task(ask(origin, "/silent"))
        await asyncio.sleep(0.05)
        began = time.monotonic()

    assert time.monotonic() - began < 30
    with pytest.raises((IndexError, ConnectionError)):
        await waiting


async def test_a4_slow_headers_come_byte_by_byte(origin: Origin) -> None:
    origin.route("/slow", slow_headers(bytes_per_second=1000))

    _, _, body = await ask(origin, "/slow")

    assert body == b"ok"
    assert origin.log[0].finished is not None
    assert origin.log[0].finished - origin.log[0].arrived > 0.07


async def test_a2_a_reset_reaches_the_client_as_one(origin: Origin) -> None:
    origin.route("/reset", reset_mid_body())

    with pytest.raises(ConnectionResetError):
        await ask(origin, "/reset")


@pytest.mark.parametrize(
    ("answer", "difference"),
    [
        pytest.param(short_body(b"12345", missing=3), -3, id="too little"),
        pytest.param(surplus_body(b"12345", surplus=2), 2, id="too much"),
    ],
)
async def test_a6_a_wrong_content_length_is_wrong_by_what_was_said(
    origin: Origin, answer: Answer, difference: int
) -> None:
    origin.route("/wrong", answer)

    _, headers, body = await ask(origin, "/wrong")

    assert len(body) - int(headers["Content-Length"]) == difference


async def test_a6_bad_chunking_is_chunked_and_bad(origin: Origin) -> None:
    origin.route("/bad", bad_chunking())

    _, headers, body = await ask(origin, "/bad")

    assert headers["Transfer-Encoding"] == "chunked"
    assert b"\r\nlots\r\n" in body


async def test_b1_a_gzip_bomb_is_small_on_the_wire_and_large_inside(origin: Origin) -> None:
    origin.route("/bomb", gzip_bomb(megabytes=20))
    origin.route("/nested", gzip_bomb(megabytes=20, layers=2))

    _, _, body = await ask(origin, "/bomb")
    _, headers, nested = await ask(origin, "/nested")

    assert len(zlib.decompress(body, wbits=31)) == 20_000_000
    assert len(nested) < len(body) < 100_000
    assert headers["Content-Encoding"] == "gzip, gzip"
    assert zlib.decompress(nested, wbits=31) == body


async def test_b1_a_brotli_bomb_is_small_on_the_wire(origin: Origin) -> None:
    origin.route("/bomb", brotli_bomb(megabytes=20))

    _, headers, body = await ask(origin, "/bomb")

    assert headers["Content-Encoding"] == "br"
    assert len(body) < 10_000


async def test_b2_an_endless_body_ends_only_with_the_client(origin: Origin) -> None:
    origin.route("/endless", endless_body())
    reader, writer = await asyncio.open_connection(origin.host, origin.port)
    writer.write(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")

    received = await reader.readexactly(10_000_000)
    writer.transport.abort()
    await asyncio.sleep(0.1)

    assert len(received) == 10_000_000
    assert origin.log[0].finished is not None


async def test_b11_oversized_heads_are_as_large_as_promised(origin: Origin) -> None:
    origin.route("/huge", huge_header(kilobytes=64))
    origin.route("/many", many_headers(10_000))

    _, huge, _ = await ask(origin, "/huge")
    _, many, _ = await ask(origin, "/many")

    assert len(huge["X-Huge"]) == 64 * 1024
    assert len(many) > 10_000


async def test_a3_tls_is_spoken_with_a_certificate_that_nobody_trusts() -> None:
    async with Origin(tls=True) as origin:
        origin.page("/a", "secret")

        with pytest.raises(ssl.SSLCertVerificationError):
            await asyncio.open_connection(origin.host, origin.port, ssl=ssl.create_default_context())
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        reader, writer = await asyncio.open_connection(origin.host, origin.port, ssl=trusting)
        writer.write(b"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()

    assert origin.url.startswith("https://127.0.0.1:")
    assert answer.endswith(b"secret")


def test_a_threaded_origin_serves_a_test_without_an_event_loop() -> None:
    with ThreadedOrigin() as origin:
        origin.page("/a", "hello")
        connection = http.client.HTTPConnection(origin.host, origin.port, timeout=60)
        connection.request("GET", "/a")
        body = connection.getresponse().read()
        connection.close()

        assert body == b"hello"
        assert [hit.path for hit in origin.log] == ["/a"]
