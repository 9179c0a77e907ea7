"""One GET on the wire: what is sent, what is taken, and every way in which a server can fail us."""

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import Awaitable, Callable
from datetime import timedelta

import brotli
import pytest
from backports import zstd

from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.model.visit import Failed, Fault, Fetched, NotModified, Redirected, Refusal, Refused, Validators, Visit
from tests.fetch.client_stack import AGENT, Names, a_client, fault_of
from tests.origin import (
    Answer,
    Origin,
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
from tests.origin.hostile import Connection, HostileOrigin
from tests.origin.wire import Wire

OriginFactory = Callable[..., Awaitable[Origin]]
HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = BodyLimits(max_bytes=64 * 1024)
MEGABYTE = 1_000_000


async def get(origin: Origin, path: str = "/", **how: float) -> Visit:
    async with a_client(origin.address, **how) as client:  # type: ignore[arg-type]
        return await client.get(origin.url + path, wanted=PAGE)


# What is sent


async def test_we_say_who_we_are_and_how_to_reach_us(origin: Origin) -> None:
    origin.page("/", "hello")

    async with a_client(origin.address, contact_email="owner@lamplighter.example") as client:
        await client.get(origin.url + "/", wanted=PAGE)

    sent = origin.log[0].headers
    assert sent["user-agent"] == AGENT
    assert sent["from"] == "owner@lamplighter.example"


async def test_without_a_contact_address_no_from_is_sent(origin: Origin) -> None:
    await get(origin)

    assert "from" not in origin.log[0].headers


async def test_b9_we_ask_for_text_only_by_get(origin: Origin) -> None:
    await get(origin)

    hit = origin.log[0]
    assert hit.method == "GET"
    assert "text/html" in hit.headers["accept"]
    assert "image/" not in hit.headers["accept"]
    assert "*/*" not in hit.headers["accept"]


async def test_only_headers_we_mean_to_send_are_sent(origin: Origin) -> None:
    await get(origin)

    assert set(origin.log[0].headers) == {"host", "user-agent", "accept", "accept-encoding"}


async def test_b10_cookies_are_never_sent_back(origin: Origin) -> None:
    cookies = ("session=1; Path=/", "wide=1; Domain=.0.0.1; Path=/", *(f"c{number}=1" for number in range(60)))
    origin.route("/", Answer(headers=HTML, cookies=cookies, body=b"<p>page</p>"))

    async with a_client(origin.address) as client:
        visits = [await client.get(origin.url + "/", wanted=PAGE) for _ in range(2)]

    assert all(isinstance(visit, Fetched) for visit in visits)
    assert all("cookie" not in hit.headers for hit in origin.log)


async def test_b10_ten_thousand_cookies_are_refused_in_bounded_memory(origin: Origin) -> None:
    origin.route("/", Answer(headers=HTML, cookies=tuple(f"c{n}=1" for n in range(10_000)), body=b"<p>page</p>"))

    visit = await get(origin)

    assert fault_of(visit) is Fault.BROKEN_RESPONSE


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/a|b/%C3%A9?q=a%20b&r=c+d;e", id="escapes and odd characters"),
        pytest.param("/a//b/", id="empty segments"),
        pytest.param("/?a=1&a=2", id="a parameter twice"),
    ],
)
async def test_f3_what_was_checked_is_what_is_asked_for(origin: Origin, path: str) -> None:
    await get(origin, path)

    assert [hit.path for hit in origin.log] == [path]


async def test_f2_a_name_in_another_script_is_asked_for_by_its_ascii_form(origin: Origin) -> None:
    origin.page("/", "hello")
    names = Names({"xn--mnchen-3ya.example": ["127.0.0.1"]})

    async with a_client(origin.address, resolver=names) as client:
        visit = await client.get(f"http://xn--mnchen-3ya.example:{origin.port}/", wanted=PAGE)

    assert isinstance(visit, Fetched), visit
    assert origin.log[0].headers["host"] == f"xn--mnchen-3ya.example:{origin.port}"


async def test_on_sent_is_told_once_and_before_the_answer_is_here(origin: Origin) -> None:
    told: list[int] = []
    origin.page("/", "hello")

    async with a_client(origin.address) as client:
        await client.get(origin.url + "/", wanted=PAGE, on_sent=lambda: told.append(len(origin.log)))

    assert told == [0]


# Conditional requests


async def test_both_validators_are_sent_unchanged(origin: Origin) -> None:
    kept = Validators(etag='W/"a,b"', last_modified="Sat, 14 Mar 2026 12:00:00 GMT")

    async with a_client(origin.address) as client:
        await client.get(origin.url + "/", wanted=PAGE, validators=kept)

    sent = origin.log[0].headers
    assert sent["if-none-match"] == 'W/"a,b"'
    assert sent["if-modified-since"] == "Sat, 14 Mar 2026 12:00:00 GMT"


async def test_without_validators_the_request_is_unconditional(origin: Origin) -> None:
    await get(origin)

    assert not {"if-none-match", "if-modified-since"} & set(origin.log[0].headers)


@pytest.mark.parametrize(
    "etag",
    [
        pytest.param('"1"', id="strong"),
        pytest.param('W/"1"', id="weak"),
        pytest.param("1-gzip", id="without quotes"),
        pytest.param('""', id="empty"),
        pytest.param('"\\"<b>\'"', id="quotes and markup inside"),
        pytest.param('"' + "x" * 4000 + '"', id="very long"),
    ],
)
async def test_b12_an_etag_goes_back_as_it_came(origin: Origin, etag: str) -> None:
    origin.route("/", Answer(headers={**HTML, "ETag": etag}, body=b"<p>page</p>"))

    async with a_client(origin.address) as client:
        first = await client.get(origin.url + "/", wanted=PAGE)
        assert isinstance(first, Fetched)
        await client.get(origin.url + "/", wanted=PAGE, validators=first.validators)

    assert [hit.headers.get("if-none-match") for hit in origin.log] == [None, etag]


async def test_b12_an_etag_that_cannot_go_back_as_it_came_does_not_go_back_at_all(origin: Origin) -> None:
    etag = '"caf\xe9"'
    origin.route("/", Answer(headers={**HTML, "ETag": etag}, body=b"<p>page</p>"))

    async with a_client(origin.address) as client:
        first = await client.get(origin.url + "/", wanted=PAGE)
        assert isinstance(first, Fetched)
        await client.get(origin.url + "/", wanted=PAGE, validators=first.validators)

    assert origin.log[1].headers.get("if-none-match") in (None, etag)


@pytest.mark.parametrize("header", ["ETag", "Content-Type", "X-Robots-Tag", "Last-Modified"])
async def test_b11_no_header_brings_text_that_a_database_would_refuse(origin: Origin, header: str) -> None:
    origin.route("/", Answer(headers={**HTML, header: "text/html; caf\xe9"}, body=b"<p>page</p>"))

    visit = await get(origin)

    assert isinstance(visit, Fetched)
    for text in (visit.content_type, visit.robots_tag, visit.validators.etag, visit.validators.last_modified):
        (text or "").encode()


async def test_b11_no_detail_holds_text_that_a_database_would_refuse(origin: Origin) -> None:
    origin.route("/", busy(retry_after="bient\xf4t"))

    visit = await get(origin)

    assert isinstance(visit, Failed)
    visit.detail.encode()


async def test_304_keeps_the_body_and_refreshes_what_it_brings(origin: Origin) -> None:
    headers = {"ETag": '"2"', "Cache-Control": "max-age=600"}
    origin.route("/", Answer(status=304, headers=headers))

    async with a_client(origin.address) as client:
        kept = Validators(etag='"1"', last_modified="Sat, 14 Mar 2026 12:00:00 GMT")
        visit = await client.get(origin.url + "/", wanted=PAGE, validators=kept)

    assert isinstance(visit, NotModified)
    assert visit.validators == Validators(etag='"2"', last_modified="Sat, 14 Mar 2026 12:00:00 GMT")
    assert visit.fresh_for == timedelta(seconds=600)


async def test_304_to_an_unconditional_request_is_an_error(origin: Origin) -> None:
    origin.route("/", Answer(status=304))

    assert fault_of(await get(origin)) is Fault.BROKEN_RESPONSE


async def test_validators_and_freshness_are_taken_from_the_answer(origin: Origin) -> None:
    headers = {"Cache-Control": "max-age=60", "X-Robots-Tag": "noindex"}
    origin.page("/", "hello", etag='"1"', last_modified="Sat, 14 Mar 2026 12:00:00 GMT", headers=headers)

    visit = await get(origin)

    assert isinstance(visit, Fetched)
    assert visit.validators == Validators(etag='"1"', last_modified="Sat, 14 Mar 2026 12:00:00 GMT")
    assert visit.fresh_for == timedelta(seconds=60)
    assert visit.robots_tag == "noindex"


async def test_headers_are_read_whose_lines_end_without_a_carriage_return() -> None:
    def perform(connection: Connection) -> None:
        connection.read_request()
        connection.send(b'HTTP/1.1 200 OK\nContent-Type: text/html\nX-Robots-Tag: noindex\nETag: "1"\n\npage')

    with HostileOrigin(perform) as origin:
        async with a_client(origin.address) as client:
            visit = await client.get(origin.url + "/", wanted=PAGE)

    assert isinstance(visit, Fetched)
    assert (visit.content_type, visit.robots_tag, visit.validators.etag) == ("text/html", "noindex", '"1"')


def _lines(status: str, *headers: str) -> Answer:
    """An answer with these header lines, some of which may be of one name."""

    async def perform(wire: Wire) -> None:
        await wire.send("\r\n".join([f"HTTP/1.1 {status}", *headers, "Content-Length: 0", "", ""]).encode())

    return Answer(perform=perform)


async def test_all_lines_of_cache_control_count(origin: Origin) -> None:
    origin.route(
        "/", _lines("200 OK", "cache-control: max-age=600", "Cache-Control: no-cache", "Content-Type: text/html")
    )
    origin.route("/aged", _lines("200 OK", "cache-control: max-age=600", "age: 500", "Content-Type: text/html"))

    visits = [await get(origin, path) for path in ("/", "/aged")]

    assert [visit.fresh_for for visit in visits if isinstance(visit, Fetched)] == [None, timedelta(seconds=100)]


async def test_b5_of_several_retry_afters_the_longest_counts(origin: Origin) -> None:
    origin.route("/", _lines("429 Too Many Requests", "Retry-After: 5", "Retry-After: soon", "Retry-After: 600"))

    visit = await get(origin, "/")

    assert isinstance(visit, Failed)
    assert visit.retry_after == timedelta(seconds=600)


async def test_b5_h6_a_server_whose_clock_is_behind_ours_is_left_alone_for_as_long_as_it_means(origin: Origin) -> None:
    long_ago = "Sat, 14 Mar 2020 12:00:00 GMT", "Sat, 14 Mar 2020 12:10:00 GMT"
    origin.route("/", _lines("503 Service Unavailable", f"Date: {long_ago[0]}", f"Retry-After: {long_ago[1]}"))

    visit = await get(origin, "/")

    assert isinstance(visit, Failed)
    assert (visit.fault, visit.retry_after) == (Fault.BUSY, timedelta(minutes=10))


# A: the network


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(OSError("DNS server returned general failure"), id="server failure"),
        pytest.param(TimeoutError("DNS timed out"), id="name server times out"),
    ],
)
async def test_a1_a_name_that_cannot_be_resolved_is_a_dns_failure(error: OSError) -> None:
    async with a_client(resolver=_Broken(error)) as client:
        visit = await client.get("http://nowhere.example/", wanted=PAGE)

    assert fault_of(visit) in (Fault.DNS, Fault.TIMEOUT)
    assert fault_of(visit).is_transient


async def test_a1_a_name_that_does_not_exist_is_a_dns_failure_with_its_name() -> None:
    async with a_client(resolver=Names()) as client:
        visit = await client.get("http://nowhere.example/", wanted=PAGE)

    assert fault_of(visit) is Fault.DNS
    assert isinstance(visit, Failed)
    assert "nowhere.example" in visit.detail


@pytest.mark.parametrize("url", ["http://./jobs", "http://../jobs", "http://foo.09../jobs"])
async def test_a1_a_host_that_only_its_dots_make_a_name_is_a_failure_like_any_other(url: str) -> None:
    async with a_client(resolver=Names()) as client:
        visit = await client.get(url, wanted=PAGE)

    assert isinstance(visit, Failed)


async def test_a1_a_name_server_that_never_answers_ends_at_the_deadline() -> None:
    async with a_client(resolver=_Silent(), total=0.2) as client:
        visit = await client.get("http://nowhere.example/", wanted=PAGE)

    assert fault_of(visit) is Fault.TIMEOUT


async def test_a2_a_refused_connection_says_where(origin: Origin) -> None:
    await origin.close()

    visit = await get(origin)

    assert fault_of(visit) is Fault.CONNECT
    assert isinstance(visit, Failed)
    assert origin.address in visit.detail


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(reset_mid_body(), id="a2 reset mid-body"),
        pytest.param(short_body(b"<p>page</p>", missing=10), id="a6 less than Content-Length promised"),
        pytest.param(bad_chunking(), id="a6 a chunk whose size is no number"),
        pytest.param(Answer(headers={**HTML, "Content-Encoding": "gzip"}, body=b"not gzip"), id="a6 no gzip at all"),
        pytest.param(
            Answer(status=206, headers={**HTML, "Content-Range": "bytes 0-3/9"}, body=b"<p>p"), id="a6 an unasked part"
        ),
        pytest.param(huge_header(64), id="b11 a header of 64 KiB"),
        pytest.param(many_headers(10_000), id="b11 ten thousand headers"),
    ],
)
async def test_a_broken_answer_never_becomes_a_page(origin: Origin, answer: Answer) -> None:
    origin.route("/", answer)

    assert fault_of(await get(origin)) is Fault.BROKEN_RESPONSE


async def _hang_up(wire: Wire) -> None:
    wire.reset()


async def test_a2_a_connection_that_ends_before_the_answer_may_be_tried_again_later(origin: Origin) -> None:
    origin.route("/", Answer(perform=_hang_up))

    assert fault_of(await get(origin)).is_transient


async def test_p3_a_request_is_sent_once_even_when_the_server_hangs_up(origin: Origin) -> None:
    origin.route("/", Answer(perform=_hang_up))

    await get(origin)

    assert len(origin.log) == 1


async def test_p3_a_kept_connection_that_the_server_ends_costs_no_second_request(origin: Origin) -> None:
    origin.page("/", "hello")
    origin.route("/end", Answer(perform=_hang_up))

    async with a_client(origin.address) as client:
        await client.get(origin.url + "/", wanted=PAGE)
        await client.get(origin.url + "/end", wanted=PAGE)

    assert len(origin.hits("/end")) == 1


async def test_a3_a_self_signed_certificate_is_refused_with_the_reason(origin_factory: OriginFactory) -> None:
    origin = await origin_factory(tls=True)
    origin.page("/", "hello")

    visit = await get(origin)

    assert fault_of(visit) is Fault.TLS
    assert isinstance(visit, Failed)
    assert "certificate" in visit.detail
    assert origin.log == []


async def test_a3_a_server_without_tls_is_a_tls_failure() -> None:
    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        host, port = server.sockets[0].getsockname()
        async with a_client(f"{host}:{port}") as client:
            visit = await client.get(f"https://{host}:{port}/", wanted=PAGE)

    assert fault_of(visit) is Fault.TLS


async def test_a6_what_comes_after_the_promised_length_is_not_taken_for_the_next_answer(origin: Origin) -> None:
    origin.route("/surplus", surplus_body(b"<p>page</p>HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlies", surplus=42))
    origin.page("/next", "the next page")

    async with a_client(origin.address) as client:
        await client.get(origin.url + "/surplus", wanted=PAGE)
        visit = await client.get(origin.url + "/next", wanted=PAGE)

    assert isinstance(visit, Fetched)
    assert visit.body == b"the next page"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(slow_body(b"x" * 1000, bytes_per_second=50), id="a4 a trickling body"),
        pytest.param(slow_headers(bytes_per_second=50), id="a4 trickling headers"),
        pytest.param(hang(), id="a5 silence"),
        pytest.param(hang_after_headers(), id="a5 silence after the headers"),
    ],
)
async def test_a_server_that_takes_its_time_is_left_at_the_deadline(origin: Origin, answer: Answer) -> None:
    origin.route("/", answer)

    visit = await get(origin, read=0.25, total=0.4)

    assert fault_of(visit) is Fault.TIMEOUT


async def test_a4_a_body_that_keeps_trickling_ends_at_the_total_deadline(origin: Origin) -> None:
    origin.route("/", slow_body(b"x" * 1000, bytes_per_second=50))

    visit = await get(origin, read=60, total=0.3)

    assert fault_of(visit) is Fault.TIMEOUT


async def test_a5_a_dropped_request_closes_its_connection(origin: Origin) -> None:
    origin.route("/", hang())

    await get(origin, read=0.1)
    await _until(lambda: origin.log[0].finished is not None)

    assert origin.log[0].finished is not None


# B: hostile or odd servers


def _packed(encoding: str, body: bytes) -> Answer:
    return Answer(headers={**HTML, "Content-Encoding": encoding}, body=body)


@pytest.mark.parametrize(
    ("bomb", "faults"),
    [
        pytest.param(gzip_bomb(megabytes=50), {Fault.TOO_LARGE}, id="gzip"),
        pytest.param(_packed("deflate", zlib.compress(bytes(50 * MEGABYTE))), {Fault.TOO_LARGE}, id="deflate"),
        pytest.param(brotli_bomb(megabytes=50), {Fault.TOO_LARGE}, id="brotli"),
        pytest.param(_packed("zstd", zstd.compress(bytes(50 * MEGABYTE))), {Fault.TOO_LARGE}, id="zstd"),
        pytest.param(
            gzip_bomb(megabytes=50, layers=2), {Fault.TOO_LARGE, Fault.CONTENT_TYPE, Fault.BROKEN_RESPONSE}, id="nested"
        ),
    ],
)
async def test_b1_a_bomb_is_put_down_while_it_unpacks(origin: Origin, bomb: Answer, faults: set[Fault]) -> None:
    origin.route("/", bomb)

    tracemalloc.start()
    try:
        visit = await get(origin)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert fault_of(visit) in faults
    assert peak < 10 * MEGABYTE


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(headers=HTML, body=b"x" * (64 * 1024 + 1)), id="one byte too many, announced"),
        pytest.param(Answer(headers=HTML, body=b"x" * 10 * MEGABYTE), id="ten megabytes"),
        pytest.param(endless_body(), id="endless"),
    ],
)
async def test_b2_a_page_over_the_limit_is_given_up_with_the_remedy(origin: Origin, answer: Answer) -> None:
    origin.route("/", answer)

    visit = await get(origin)

    assert fault_of(visit) is Fault.TOO_LARGE
    assert isinstance(visit, Failed)
    assert "64 KiB" in visit.detail
    assert "max_page_kb" in visit.detail


async def test_b2_a_page_of_exactly_the_limit_is_read(origin: Origin) -> None:
    origin.route("/", Answer(headers=HTML, body=b"x" * 64 * 1024))

    visit = await get(origin)

    assert isinstance(visit, Fetched)
    assert len(visit.body) == 64 * 1024


async def test_b2_an_endless_body_is_no_longer_sent_once_it_was_given_up(origin: Origin) -> None:
    origin.route("/", endless_body())

    await get(origin)
    await _until(lambda: origin.log[0].finished is not None)

    assert origin.log[0].finished is not None


async def test_b2_only_the_beginning_is_kept_where_the_beginning_will_do(origin: Origin) -> None:
    origin.route("/", endless_body(b"0123456789" * 1000))

    async with a_client(origin.address) as client:
        visit = await client.get(origin.url + "/", wanted=BodyLimits(max_bytes=25, cut=True))

    assert isinstance(visit, Fetched)
    assert visit.body == b"0123456789012345678901234"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
async def test_honest_compression_is_undone(origin: Origin, encoding: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd.compress}[encoding]
    origin.route("/", _packed(encoding, pack(b"<p>page</p>")))

    visit = await get(origin)

    assert isinstance(visit, Fetched)
    assert visit.body == b"<p>page</p>"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_b3_a_redirect_is_reported_not_followed(origin: Origin, status: int) -> None:
    origin.route("/", redirect("/next?b=2#part", status))

    visit = await get(origin)

    assert isinstance(visit, Redirected)
    assert (visit.status, visit.target) == (status, origin.url + "/next?b=2")
    assert len(origin.log) == 1


@pytest.mark.parametrize(
    "location",
    [
        pytest.param("file:///etc/passwd", id="a file"),
        pytest.param("javascript:alert(1)", id="a script"),
        pytest.param("gopher://127.0.0.1/", id="another protocol"),
        pytest.param("data:text/html,hello", id="data"),
        pytest.param("http://user:secret@127.0.0.1/", id="credentials"),
        pytest.param("http://", id="no host"),
        pytest.param("", id="nothing"),
        pytest.param("http://127.0.0.1/caf\xe9", id="an octet that is not UTF-8"),
    ],
)
async def test_b3_a_redirect_out_of_the_web_is_a_bad_redirect(origin: Origin, location: str) -> None:
    origin.route("/", redirect(location))

    visit = await get(origin)

    if isinstance(visit, Redirected):
        visit.target.encode("ascii")
        assert visit.target.startswith("http://127.0.0.1/caf")
    else:
        assert fault_of(visit) is Fault.BAD_REDIRECT


async def test_b3_a_redirect_without_a_target_is_a_bad_redirect(origin: Origin) -> None:
    origin.route("/", Answer(status=302))

    assert fault_of(await get(origin)) is Fault.BAD_REDIRECT


@pytest.mark.parametrize(
    ("status", "retry_after", "fault"),
    [
        pytest.param(429, None, Fault.BUSY, id="429"),
        pytest.param(503, "120", Fault.BUSY, id="503 with Retry-After"),
        pytest.param(503, None, Fault.SERVER_ERROR, id="503 alone"),
        pytest.param(500, None, Fault.SERVER_ERROR, id="500"),
        pytest.param(599, None, Fault.SERVER_ERROR, id="599"),
        pytest.param(404, None, Fault.NOT_FOUND, id="404"),
        pytest.param(410, None, Fault.GONE, id="410"),
        pytest.param(403, None, Fault.CLIENT_ERROR, id="403"),
        pytest.param(451, None, Fault.CLIENT_ERROR, id="451"),
        pytest.param(204, None, Fault.BROKEN_RESPONSE, id="204: no page"),
        pytest.param(300, None, Fault.BROKEN_RESPONSE, id="300: no page"),
    ],
)
async def test_b5_b8_every_status_has_its_meaning(
    origin: Origin, status: int, retry_after: str | None, fault: Fault
) -> None:
    origin.route("/", busy(status, retry_after=retry_after))

    visit = await get(origin)

    assert fault_of(visit) is fault
    assert isinstance(visit, Failed)
    assert visit.status == status


async def test_b5_an_absurd_retry_after_is_capped_and_shown(origin: Origin) -> None:
    origin.route("/", busy(retry_after="1000000000000"))

    visit = await get(origin)

    assert isinstance(visit, Failed)
    assert visit.retry_after == timedelta(days=1)
    assert "Retry-After: 1000000000000" in visit.detail


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        pytest.param("text/html", b"%PDF-1.7 and so on", id="a PDF that calls itself HTML"),
        pytest.param("text/html", b"\x89PNG\r\n\x1a\n", id="an image that calls itself HTML"),
        pytest.param("application/json", b"\x1f\x8b\x08\x00", id="an archive that calls itself JSON"),
        pytest.param(None, b"PK\x03\x04", id="a zip without a type"),
        pytest.param("image/png", b"\x89PNG\r\n\x1a\n", id="an honest image"),
        pytest.param("application/pdf", b"%PDF-1.7", id="an honest PDF"),
    ],
)
async def test_b9_what_is_not_text_is_refused(origin: Origin, content_type: str | None, body: bytes) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}
    origin.route("/", Answer(headers=headers, body=body))

    assert fault_of(await get(origin)) is Fault.CONTENT_TYPE


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        pytest.param(None, b"<html><p>page</p></html>", id="HTML without a type"),
        pytest.param("application/json", b"<html><p>page</p></html>", id="HTML that calls itself JSON"),
        pytest.param("text/html", b'{"jobs": []}', id="JSON that calls itself HTML"),
        pytest.param("text/plain", "größe".encode("latin-1"), id="text that is not UTF-8"),
        pytest.param("application/rss+xml", b"<rss></rss>", id="a feed"),
        pytest.param("text/html", b"", id="an empty page"),
    ],
)
async def test_b9_what_is_text_is_read_whatever_it_calls_itself(
    origin: Origin, content_type: str | None, body: bytes
) -> None:
    headers = {} if content_type is None else {"Content-Type": content_type}
    origin.route("/", Answer(headers=headers, body=body))

    visit = await get(origin)

    assert isinstance(visit, Fetched)
    assert (visit.body, visit.content_type) == (body, content_type)


async def test_b9_a_large_image_is_refused_by_its_type_before_its_body_is_read(origin: Origin) -> None:
    async def perform(wire: Wire) -> None:
        await wire.send(Answer(headers={"Content-Type": "image/png"}).head(length=1000))
        await wire.until_client_leaves()

    origin.route("/", Answer(perform=perform))

    assert fault_of(await get(origin, read=1)) is Fault.CONTENT_TYPE


async def test_the_connection_is_kept_for_the_next_request(origin: Origin) -> None:
    """The handshake is the dearest part of a polite fetch; the origin drops a connection it was asked to close."""
    origin.page("/", "hello")

    async with a_client(origin.address) as client:
        await client.get(origin.url + "/", wanted=PAGE)
        open_connections = origin.connections
        await client.get(origin.url + "/", wanted=PAGE)

        assert origin.connections == open_connections


async def test_f3_a_url_that_is_read_in_two_ways_is_never_asked_for(origin: Origin) -> None:
    async with a_client(origin.address) as client:
        visit = await client.get(f"http://{origin.address}\\@127.0.0.2/", wanted=PAGE)

    assert not isinstance(visit, Refused) or visit.reason is Refusal.ADDRESS
    assert all(hit.headers["host"] == origin.address for hit in origin.log)


class _Broken:
    """A name server that answers with this error."""

    def __init__(self, error: OSError) -> None:
        self._error = error

    async def addresses(self, name: str) -> list[str]:
        raise self._error


class _Silent:
    """A name server that never answers."""

    async def addresses(self, name: str) -> list[str]:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


async def _until(true: Callable[[], bool]) -> None:
    """Waits a while for something that should come true by itself."""
    for _ in range(100):
        if true():
            return
        await asyncio.sleep(0.01)
