"""The demo web on the wire: real servers on loopback ports, with validators that work."""

import asyncio
import gzip
import http.client
import os
import signal
import socket
from datetime import UTC, datetime, timedelta

import pytest

from lamplighter.demo.page import DemoPage
from lamplighter.demo.sites import SITES
from lamplighter.demo.web import DemoWeb, is_not_modified
from lamplighter.errors import BadSetting

NOW = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)
PAGE = DemoPage(body="hello", changed_at=NOW)


def free_ports(count: int) -> int:
    """The first of so many free ports in a row; processes that look at the same time begin at other numbers."""
    for first in range(20_000 + os.getpid() % 900 * 10, 30_000, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first
    raise AssertionError("no free ports on loopback")


async def ask(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[http.client.HTTPResponse, bytes]:
    def blocking() -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    return await asyncio.to_thread(blocking)


async def test_every_site_answers_on_its_port_and_none_after_the_end() -> None:
    first = free_ports(len(SITES))

    async with DemoWeb(first):
        answers = [await ask(first + offset, "/") for offset in range(len(SITES))]

    for site, (answer, body) in zip(SITES, answers, strict=True):
        assert answer.status == 200
        assert site.name in body.decode()
    with pytest.raises(ConnectionRefusedError):
        await ask(first, "/")


async def test_a_page_is_confirmed_by_304_until_the_clock_changes_it() -> None:
    first = free_ports(len(SITES))
    clock = [NOW]

    async with DemoWeb(first, clock=lambda: clock[0]):
        full, body = await ask(first + 2, "/feed.xml")
        validators = {"If-None-Match": full.headers["ETag"], "If-Modified-Since": full.headers["Last-Modified"]}
        same, nothing = await ask(first + 2, "/feed.xml", validators)
        clock[0] += timedelta(minutes=10)
        later, news = await ask(first + 2, "/feed.xml", validators)

    assert (full.status, same.status, later.status) == (200, 304, 200)
    assert nothing == b""
    assert same.headers["ETag"] == full.headers["ETag"]
    assert news != body


async def test_pages_travel_compressed_to_those_who_can_read_it() -> None:
    first = free_ports(len(SITES))

    async with DemoWeb(first, clock=lambda: NOW):
        plain, body = await ask(first, "/jobs")
        packed, packed_body = await ask(first, "/jobs", {"Accept-Encoding": "gzip"})

    assert plain.headers["Content-Encoding"] is None
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed_body) == body
    assert packed.headers["ETag"] == plain.headers["ETag"]


async def test_robots_is_plain_text_and_names_the_sitemap_in_full() -> None:
    first = free_ports(len(SITES))

    async with DemoWeb(first):
        answer, body = await ask(first, "/robots.txt")
        missing, _ = await ask(first, "/no-such-page")

    assert answer.headers["Content-Type"].startswith("text/plain")
    assert f"Sitemap: http://127.0.0.1:{first}/sitemap.xml" in body.decode()
    assert missing.status == 404


async def test_a_taken_port_is_named_and_the_others_are_let_go() -> None:
    first = free_ports(len(SITES))

    with socket.socket() as rival:
        rival.bind(("127.0.0.1", first + 2))
        rival.listen()
        with pytest.raises(BadSetting, match=rf"port {first + 2} .*another --port.*DEMO=0"):
            await DemoWeb(first).__aenter__()

    async with DemoWeb(first):
        answer, _ = await ask(first, "/")
    assert answer.status == 200


async def test_the_signals_stay_with_the_service() -> None:
    before = signal.getsignal(signal.SIGTERM)

    async with DemoWeb(free_ports(len(SITES))):
        during = signal.getsignal(signal.SIGTERM)

    assert during == before


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({}, False, id="unconditional"),
        pytest.param({"if-none-match": PAGE.etag}, True, id="our tag"),
        pytest.param(
            {"if-none-match": f'"other", {PAGE.etag.removeprefix("W/")}'}, True, id="ours among others, strong"
        ),
        pytest.param({"if-none-match": "*"}, True, id="any tag"),
        pytest.param({"if-none-match": '"other"'}, False, id="another tag"),
        pytest.param({"if-modified-since": "Sat, 14 Mar 2026 09:26:00 GMT"}, True, id="the date of the page"),
        pytest.param({"if-modified-since": "Sat, 14 Mar 2026 09:25:59 GMT"}, False, id="a second before it"),
        pytest.param({"if-modified-since": "yesterday"}, False, id="no date at all"),
        pytest.param(
            {"if-none-match": '"other"', "if-modified-since": "Sat, 14 Mar 2026 09:26:00 GMT"},
            False,
            id="the tag decides over the date",
        ),
    ],
)
def test_a_page_is_not_modified_only_for_those_who_hold_it(headers: dict[str, str], expected: bool) -> None:
    assert is_not_modified(PAGE, headers) == expected
