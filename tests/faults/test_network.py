"""Rows A of the fault matrix: whatever the network does, a page is had whole or not at all, and the run says why."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import pytest

from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from tests.faults.certificates import Authority
from tests.faults.conftest import Site
from tests.faults.crawl_outcome import Seen, all_crawled, crawled, crawled_again, host_with, versions_of
from tests.faults.name_server import NameServer
from tests.origin import (
    Answer,
    Origin,
    bad_chunking,
    hang,
    hang_after_headers,
    reset_mid_body,
    short_body,
    slow_body,
    slow_headers,
    surplus_body,
)
from tests.origin.wire import Wire
from tests.service.in_process import asked
from tests.service.sites import job_board, links_html, posting_html
from tests.service.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: few slots and little patience; leases shorter than the patience with a silent server
SETTINGS = {"fetch_slots": 4, "lease_seconds": 4, "read_timeout_seconds": 6, "total_timeout_seconds": 7}
HTML = {"Content-Type": "text/html"}
#: to HTTP/1.1 in plain text: SETTINGS, a reset stream, and the end of the connection, as HTTP/2 says them
HTTP2_FRAMES = (
    bytes.fromhex("000000040000000000")
    + bytes.fromhex("00000403000000000100000008")
    + bytes.fromhex("0000080700000000000000000000000000")
)


async def test_a1_names_that_cannot_be_had_are_told_apart_and_tried_later(service: Service, names: NameServer) -> None:
    names.fail("failing.example", socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"))
    names.keep_silent("silent.example")

    hosts = ("nowhere.example", "failing.example", "silent.example")
    lost = await all_crawled(service, *(f"http://{host}/jobs" for host in hosts))

    for seen, host, cause in zip(
        lost, hosts, ("Name or service not known", "Temporary failure in name resolution", "timed out"), strict=True
    ):
        assert seen.run.outcome is RunOutcome.FAIL
        assert seen.message.startswith("robots_unreachable")
        assert f"http://{host}/robots.txt" in seen.message
        assert cause in seen.message
        assert (seen.pages["/jobs"].phase, seen.pages["/jobs"].body_key, seen.titles) == ("failed", None, [])
        assert (seen.job.state, seen.job.retry_count) == ("pending", 1)
        assert seen.run.finished_at is not None
        # The first try again is due after a minute, which is moved to later only.
        assert 60 <= (seen.job.next_run_at - seen.run.finished_at).total_seconds() <= 60 * 1.15
        assert (await host_with(service, "failure_count", host)).failure_count == 1


async def test_a2_what_is_refused_or_reset_is_repeated_twice_and_half_a_page_is_none(
    service: Service, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    resetting, refusing = await site(), await site()
    resetting.page("/jobs", links_html("/job/0", "/job/1"))
    resetting.page("/job/0", posting_html(0))
    resetting.route("/job/1", reset_mid_body(posting_html(1).encode()))
    await refusing.close()
    monkeypatch.setattr(service.fetching.visitor, "request_retries", 2)

    reset, refused = await all_crawled(service, resetting.url + "/jobs", refusing.url + "/jobs")

    first, second, third = (hit.arrived for hit in resetting.hits("/job/1"))
    assert (second - first > 0.7, third - second > 1.4) == (True, True)
    assert reset.titles == ["Posting 00"]
    assert (reset.pages["/job/1"].phase, reset.pages["/job/1"].reason) == ("failed", "broken_response")
    assert await versions_of(service, reset, "/job/1") == 0
    assert refused.run.outcome is RunOutcome.FAIL
    assert f"could not connect to {refusing.address}" in refused.message
    assert (await host_with(service, "failure_count", refusing.address)).failure_count == 1


async def test_a3_whoever_cannot_prove_who_it_is_over_tls_is_not_asked(
    service: Service, site: Site, authority: Authority
) -> None:
    good = await _secure_site(site, authority)
    bad = {
        "certificate has expired": await _secure_site(site, authority, expired=True),
        "self-signed certificate": await _secure_site(site, authority, signed=False),
        "no alternative certificate subject name matches": await site(tls=authority.server("another.example")),
    }
    async with await asyncio.start_server(_only_tls_of_old, "127.7.255.3") as old:
        address = "{}:{}".format(*old.sockets[0].getsockname())

        urls = [origin.url + "/jobs" for origin in (good, *bad.values())]
        fine, *refused = await all_crawled(service, *urls, f"https://{address}/jobs")

    assert fine.titles == ["Posting 01"], fine.message
    for seen, why in zip(refused, (*bad, "protocol version"), strict=True):
        assert seen.run.outcome is RunOutcome.FAIL
        assert "TLS failed" in seen.message
        assert why in seen.message
    assert [origin.log for origin in bad.values()] == [[], [], []]


async def _only_tls_of_old(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What a server says that speaks TLS 1.0 alone: a fatal alert, the protocol version."""
    await reader.read(4096)
    writer.write(bytes.fromhex("15030100020246"))
    writer.close()


async def _secure_site(site: Site, authority: Authority, *, expired: bool = False, signed: bool = True) -> Origin:
    """A site with a posting, and a certificate for its own address."""
    spare = await site()
    await spare.close()
    origin = await site(spare.host, tls=authority.server(spare.host, expired=expired, signed=signed))
    origin.page("/jobs", posting_html(1))
    return origin


async def test_a4_whoever_sends_by_the_byte_is_left_at_the_deadline_and_holds_up_nobody(
    service: Service, site: Site
) -> None:
    slow = [await site() for _ in range(4)]
    for origin in slow[:2]:
        origin.route("/jobs", slow_body(posting_html(1).encode(), bytes_per_second=5))
    for origin in slow[2:]:
        origin.route("/jobs", slow_headers(bytes_per_second=5))
    quick = await site()
    job_board(quick, postings=2, per_page=2)

    *left, had = await all_crawled(service, *(origin.url + "/jobs" for origin in (*slow, quick)))

    assert had.titles == ["Posting 00", "Posting 01"], had.message
    for seen, origin in zip(left, slow, strict=True):
        assert (seen.run.outcome, seen.pages["/jobs"].reason, seen.titles) == (RunOutcome.FAIL, "timeout", [])
        assert "timed out" in seen.message
        assert asked(origin) == ["/jobs"]
        assert await until(lambda origin=origin: _has_left(origin))  # type: ignore[misc]


async def _has_left(origin: Origin) -> bool:
    """Whether the client has closed the connection of the last request."""
    return origin.log[-1].finished is not None


async def test_a5_silence_ends_at_the_deadline_and_nobody_takes_the_page_meanwhile(
    service: Service, site: Site
) -> None:
    silent, halting = await site(), await site()
    silent.route("/jobs", hang())
    halting.route("/jobs", hang_after_headers())
    with closing(socket.create_server(("127.7.255.1", 0))) as half_open:
        address = "{}:{}".format(*half_open.getsockname())

        urls = (silent.url + "/jobs", halting.url + "/jobs", f"http://{address}/jobs")
        *left, unheard = await all_crawled(service, *urls)

    for seen, origin in zip(left, (silent, halting), strict=True):
        assert (seen.run.outcome, seen.pages["/jobs"].reason) == (RunOutcome.FAIL, "timeout")
        # Longer than its lease, which was therefore renewed: nobody else thought it dead and asked as well.
        (hit,) = origin.hits("/jobs")
        await until(lambda origin=origin: _has_left(origin))  # type: ignore[misc]
        assert hit.finished is not None
        assert hit.finished - hit.arrived > service.settings.lease_seconds
        assert (await host_with(service, "failure_count", origin.address)).failure_count == 1
    assert unheard.message.startswith("robots_unreachable")
    assert "timed out" in unheard.message


async def test_a6_a_body_of_another_length_than_promised_is_no_change(service: Service, site: Site) -> None:
    broken = {
        "too short": short_body(posting_html(1, title="Half").encode(), missing=10),
        "no chunks": bad_chunking(),
        "no gzip": Answer(headers=HTML | {"Content-Encoding": "gzip"}, body=b"not gzip"),
    }
    sites = [await site() for _ in broken]
    for origin, answer in zip(sites, broken.values(), strict=True):
        origin.route("/jobs", Answer(headers=HTML, body=posting_html(1, title="Whole").encode()), answer)
    talkative = await site()
    talkative.page("/jobs", links_html("/job/1", "/job/2"))
    lies = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlies"
    talkative.route("/job/1", surplus_body(posting_html(1).encode() + lies, surplus=len(lies)))
    talkative.page("/job/2", posting_html(2))

    *before, surplus = await all_crawled(service, *(origin.url + "/jobs" for origin in (*sites, talkative)))
    after = await asyncio.gather(*(crawled_again(service, seen) for seen in before))

    for first, second in zip(before, after, strict=True):
        assert (second.run.outcome, second.pages["/jobs"].reason) == (RunOutcome.FAIL, "broken_response")
        assert second.run.tally.pages_changed == 0
        assert (second.titles, second.records[0].gone_at) == (["Whole"], None)
        assert _content(second) == _content(first)
        assert await versions_of(service, second, "/jobs") == 1
    assert surplus.titles == ["Posting 01", "Posting 02"]


def _content(seen: Seen) -> tuple[str | None, str | None]:
    """What is kept of the start page."""
    return seen.pages["/jobs"].body_key, seen.pages["/jobs"].content_hash


async def test_a7_http_2_is_never_spoken_and_its_frames_are_no_answer(
    service: Service, site: Site, authority: Authority
) -> None:
    spoken = list[str | None]()

    async def speak_http_2(wire: Wire) -> None:
        await wire.send(HTTP2_FRAMES)

    async def speak_as_agreed(wire: Wire) -> None:
        spoken.append(wire.alpn)
        await wire.send(Answer(headers=HTML).head(length=None) + posting_html(1).encode())

    plain, spare = await site(), await site()
    plain.route("/jobs", Answer(perform=speak_http_2))
    await spare.close()
    context = authority.server(spare.host)
    context.set_alpn_protocols(["h2", "http/1.1"])
    modern = await site(spare.host, tls=context)
    modern.route("/jobs", Answer(perform=speak_as_agreed))

    reset, had = await all_crawled(service, plain.url + "/jobs", modern.url + "/jobs")

    assert (reset.run.outcome, reset.pages["/jobs"].reason) == (RunOutcome.FAIL, "broken_response")
    assert asked(plain) == ["/jobs"]
    assert had.titles == ["Posting 01"], had.message
    assert spoken == ["http/1.1"]


async def test_a8_a_dead_family_of_addresses_is_passed_over_and_no_address_goes_unjudged(
    service: Service, site: Site, names: NameServer
) -> None:
    four = await site()
    six = await site("::1")
    closed = await site("127.9.0.1")
    beside_closed = await site(port=closed.port)
    four_beside_silence = await site()
    for origin in (four, six, closed, beside_closed, four_beside_silence):
        origin.page("/jobs", posting_html(1))
    names.say("only-four.example", "::1", four.host)
    names.say("only-six.example", "127.7.255.2", "::1")
    names.say("half-closed.example", closed.host, beside_closed.host)
    names.say("closed.example", closed.host)
    names.say("six-is-silent.example", "::1", four_beside_silence.host)

    with _silence(four_beside_silence.port):
        had = await all_crawled(
            service,
            f"http://only-four.example:{four.port}/jobs",
            f"http://only-six.example:{six.port}/jobs",
            f"http://half-closed.example:{closed.port}/jobs",
            f"http://six-is-silent.example:{four_beside_silence.port}/jobs",
        )
    refused = await crawled(service, f"http://closed.example:{closed.port}/jobs")

    assert [seen.titles for seen in had] == [["Posting 01"]] * 4, [seen.message for seen in had]
    assert refused.message.startswith("address_refused")
    assert closed.log == []


@contextmanager
def _silence(port: int) -> Iterator[None]:
    """At this port of ::1 nobody answers who wants to connect: as many wait there already as can."""
    with ExitStack() as opened:
        full = opened.enter_context(socket.create_server(("::1", port), family=socket.AF_INET6, backlog=0))
        for _ in range(2):
            waiting = opened.enter_context(socket.socket(socket.AF_INET6))
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        yield
