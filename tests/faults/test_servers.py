"""Rows B of the fault matrix: whatever a server answers, it costs little, holds up nobody, and is told as it was."""

import asyncio
import resource
import zlib
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime

import brotli
import pytest
import sqlalchemy as sa
from backports import zstd

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import RunOutcome
from lamplighter.operations.hosts import takedowns
from lamplighter.rules.hosts import cookies
from lamplighter.store.schema import tables
from tests.faults.conftest import Site
from tests.faults.crawl_outcome import Seen, all_crawled, crawled, crawled_again, host_with, versions_of
from tests.faults.name_server import NameServer
from tests.origin import (
    Answer,
    Origin,
    Request,
    brotli_bomb,
    busy,
    endless_body,
    gzip_bomb,
    huge_header,
    many_headers,
    redirect,
)
from tests.origin.answers import conditional
from tests.service.in_process import age, all_rows, asked
from tests.service.sites import links_html, posting_html
from tests.service.waiting import until
from tests.web.asgi_client import ask_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETTINGS = {"min_delay_ms": 10}
HTML = {"Content-Type": "text/html"}
MEGABYTES = 40
CHALLENGE = "<title>Just a moment...</title><h2>Checking if the connection is secure</h2>"
LOGIN = "<title>Sign in - Acme</title><h1>Welcome back</h1><form><input><input type=password></form>"
MAINTENANCE = "<title>Down for maintenance</title><h1>Down for maintenance</h1>"
NOT_FOUND = "<title>Page not found | Acme</title><h1>Oops!</h1><p>Try the search.</p>"


async def test_b1_bombs_are_put_down_while_they_unpack(service: Service, site: Site) -> None:
    origin = await site()
    bombs = {
        "/gzip": gzip_bomb(megabytes=MEGABYTES),
        "/nested": gzip_bomb(megabytes=MEGABYTES, layers=2),
        "/brotli": brotli_bomb(megabytes=MEGABYTES),
        "/twice": _packed("br, br", brotli.compress(brotli_bomb(megabytes=MEGABYTES).body)),
        "/zstd": _packed("zstd", _in_parts(zstd.ZstdCompressor())),
        "/deflate": _packed("deflate", _in_parts(zlib.compressobj())),
    }
    origin.page("/", links_html(*bombs, "/job/1"))
    for path, bomb in bombs.items():
        origin.route(path, bomb)
    origin.page("/job/1", posting_html(1))
    before = _peak_megabytes()

    seen = await crawled(service, origin.url + "/")

    assert seen.titles == ["Posting 01"]
    assert {path: seen.pages[path].body_key for path in bombs} == dict.fromkeys(bombs)
    assert [seen.pages[path].reason for path in ("/gzip", "/brotli", "/zstd", "/deflate")] == ["too_large"] * 4
    assert {seen.pages[path].phase for path in bombs} == {"failed"}
    assert _peak_megabytes() - before < MEGABYTES / 2


def _packed(encoding: str, body: bytes) -> Answer:
    return Answer(headers={**HTML, "Content-Encoding": encoding}, body=body)


def _in_parts(packer: "zlib._Compress | zstd.ZstdCompressor") -> bytes:
    """Zeros, packed without ever being in memory at once."""
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(MEGABYTES)) + packer.flush()


def _peak_megabytes() -> float:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def test_b2_a_page_over_the_limit_is_given_up_and_what_was_known_of_it_stays(
    service: Service, site: Site
) -> None:
    large, endless = await site(), await site()
    whole = Answer(headers=HTML, body=posting_html(1).encode())
    large.route("/job", whole, Answer(headers=HTML, body=b"x" * 2_000_000))
    endless.route("/job", whole, endless_body())

    before = await all_crawled(service, large.url + "/job", endless.url + "/job")
    after = await asyncio.gather(*(crawled_again(service, seen) for seen in before))

    for first, second, origin in zip(before, after, (large, endless), strict=True):
        assert (second.run.outcome, second.pages["/job"].reason) == (RunOutcome.FAIL, "too_large")
        assert "larger than 1024 KiB; a higher max_page_kb" in second.message
        assert second.pages["/job"].content_hash == first.pages["/job"].content_hash
        assert (await versions_of(service, second, "/job"), second.titles) == (1, ["Posting 01"])
        assert await until(lambda origin=origin: _is_done(origin))  # type: ignore[misc]


async def _is_done(origin: Origin) -> bool:
    """Whether nothing is being sent any more."""
    return all(hit.finished is not None for hit in origin.log)


async def test_b3_redirects_that_lead_nowhere_are_not_followed(service: Service, site: Site) -> None:
    origin = await site()
    schemes = {"/file": "file:///etc/passwd", "/gopher": "gopher://127.0.0.1/x", "/script": "javascript:alert(1)"}
    origin.page("/", links_html("/a", "/itself", "/0", "/five/0", *schemes))
    for path, target in {"/a": "/b", "/b": "/a", "/itself": "/itself?utm_source=again#top", **schemes}.items():
        origin.route(path, redirect(target))
    for prefix, hops in (("/", 6), ("/five/", 5)):
        for number in range(hops):
            origin.route(f"{prefix}{number}", redirect(f"{prefix}{number + 1}"))
        origin.page(f"{prefix}{hops}", posting_html(hops))

    seen = await crawled(service, origin.url + "/")

    assert seen.titles == ["Posting 05"]
    assert {path: seen.reasons()[path] for path in ("/b", "/itself", "/5")} == dict.fromkeys(
        ("/b", "/itself", "/5"), "too_many_redirects"
    )
    assert f"{origin.url}/a leads back" in seen.pages["/b"].detail
    assert f"{origin.url}/6" in seen.pages["/5"].detail
    for path, target in schemes.items():
        assert (seen.pages[path].reason, target in seen.pages[path].detail) == ("bad_redirect", True)
    assert len(asked(origin)) == len(set(asked(origin)))
    assert "/6" not in asked(origin)


async def test_b4_a_hop_to_another_host_asks_that_host_s_leave_and_takes_nothing_along(
    service: Service, site: Site
) -> None:
    shut, listed, slow, stranger = [await site() for _ in range(4)]
    shut.robots("User-agent: *\nDisallow: /private\n")
    slow.robots("User-agent: *\nCrawl-delay: 0.5\n")
    for target in (shut, listed, slow, stranger):
        target.page("/private/job", posting_html(1))
    now = service.clock.now()
    await service.db.write(lambda db: takedowns.add(db, listed.host, stamp=Stamp("test", now)))
    await until(lambda: service.door.barrier.refusal(listed.url + "/"))
    leading = {target: await site() for target in (shut, listed, slow, stranger)}
    for target, origin in leading.items():
        to = redirect(target.url + "/private/job")
        origin.route("/", Answer(status=302, headers={**to.headers, "ETag": '"first"'}, cookies=("s=1; Path=/",)))

    urls = [origin.url + "/" for origin in leading.values()]
    shut_out, taken_down, paced, had = await all_crawled(service, *urls, recipe={"cookies": True})
    await crawled_again(service, had)

    assert "robots disallow: 'Disallow: /private'" in shut_out.message
    assert (shut_out.job.state, shut_out.job.pause_reason) == ("paused", "robots")
    assert [hit.path for hit in shut.log] == ["/robots.txt"]
    assert taken_down.message.startswith("takedown")
    assert listed.log == []
    assert paced.titles == ["Posting 01"]
    assert min(slow.gaps()) >= 0.5
    assert had.titles == ["Posting 01"]
    assert [hit.headers.get("cookie") for hit in leading[stranger].hits("/")] == [None, "s=1"]
    for hit in stranger.log:
        assert {"cookie", "authorization", "referer"}.isdisjoint(hit.headers)
        assert hit.headers.get("if-none-match") != '"first"'


async def test_b5_retry_after_is_kept_to_where_it_makes_sense_and_bounded_where_it_does_not(
    service: Service, site: Site
) -> None:
    until_then = service.clock.now() + timedelta(minutes=10)
    expected = {
        "120": timedelta(seconds=120),
        format_datetime(until_then, usegmt=True): until_then - service.clock.now(),
        "-5": timedelta(seconds=30),
        "soon": timedelta(seconds=30),
        "1000000000000": timedelta(days=1),
        None: timedelta(seconds=30),
    }
    sites = [await site() for _ in expected]
    for origin, value in zip(sites, expected, strict=True):
        origin.route("/jobs", busy(retry_after=value))

    asked_at = service.clock.now()
    seen = await all_crawled(service, *(origin.url + "/jobs" for origin in sites))
    hosts = [await host_with(service, "blocked_until", origin.address) for origin in sites]
    ended_at = service.clock.now()

    for found, host, (value, rest) in zip(seen, hosts, expected.items(), strict=True):
        assert (found.run.outcome, found.pages["/jobs"].reason) == (RunOutcome.FAIL, "host_busy")
        assert f"HTTP 429{f' with Retry-After: {value}' if value else ''}" in found.message
        assert "slow down" in host.block_reason
        # Second by second in a date.
        assert asked_at + rest - timedelta(seconds=1.5) < host.blocked_until <= ended_at + rest, value
    assert [asked(origin) for origin in sites] == [["/jobs"]] * len(sites)

    again = await _once_its_block_is_over(service, sites[-1], seen[-1])

    assert again.pages["/jobs"].reason == "host_busy"
    blocked_until = (await host_with(service, "blocked_until", sites[-1].address)).blocked_until
    doubled = timedelta(seconds=60)
    assert again.run.started_at + doubled < blocked_until <= service.clock.now() + doubled


async def _once_its_block_is_over(service: Service, origin: Origin, seen: Seen) -> Seen:
    """The next run, as if the host's block had passed."""
    now = service.clock.now()
    host = sa.update(tables.hosts).where(tables.hosts.c.key == origin.address)

    await service.db.write(lambda db: db.execute(host.values(blocked_until=None, due_at=now, free_at=now)))
    return await crawled_again(service, seen)


async def test_b6_503_and_redirects_with_retry_after_wait_their_time(service: Service, site: Site) -> None:
    resting, moving, leaving, elsewhere = [await site() for _ in range(4)]
    resting.route("/jobs", busy(503, retry_after="120"))
    moving.route("/jobs", redirect("/moved", retry_after="1"))
    leaving.route("/jobs", redirect(elsewhere.url + "/moved", retry_after="2"))
    for origin in (moving, elsewhere):
        origin.page("/moved", posting_html(1))

    asked_at = service.clock.now()
    rested, moved, left = await all_crawled(service, *(each.url + "/jobs" for each in (resting, moving, leaving)))
    host = await host_with(service, "blocked_until", resting.address)
    asked_for = timedelta(seconds=120)

    assert rested.pages["/jobs"].reason == "host_busy"
    assert asked_at + asked_for < host.blocked_until <= service.clock.now() + asked_for
    assert asked(resting) == ["/jobs"]
    assert moved.titles == ["Posting 01"], moved.message
    assert [hit.path for hit in moving.log] == ["/robots.txt", "/jobs", "/moved"]
    assert moving.gaps()[1] >= 1.0
    assert left.titles == ["Posting 01"], left.message
    assert elsewhere.log[0].arrived - leaving.hits("/jobs")[0].arrived >= 2.0


async def test_b7_a_wall_is_called_one_and_nobody_climbs_it(service: Service, site: Site) -> None:
    walls = {"a bot challenge": CHALLENGE, "a login page": LOGIN, "an error page": MAINTENANCE}
    sites = [await site() for _ in walls]
    for origin, wall in zip(sites, walls.values(), strict=True):
        wall += '<form action="/let-me-in" method=post><a href="/climb">Go on</a></form>'
        answers = (posting_html(1), wall)
        origin.route("/job", *(Answer(headers=HTML, body=html.encode()) for html in answers))

    before = await all_crawled(service, *(origin.url + "/job" for origin in sites), max_depth=1)
    after = await asyncio.gather(*(crawled_again(service, seen) for seen in before))

    for first, seen, origin, name in zip(before, after, sites, walls, strict=True):
        assert (seen.run.outcome, seen.pages["/job"].reason) == (RunOutcome.FAIL, "obstructed")
        assert name in seen.message
        assert seen.pages["/job"].content_hash == first.pages["/job"].content_hash
        assert await versions_of(service, seen, "/job") == 1
        assert (seen.run.tally.pages_changed, seen.titles, seen.records[0].gone_at) == (0, ["Posting 01"], None)
        assert [(hit.method, hit.path) for hit in origin.log if "jobs" not in hit.path] == [
            ("GET", "/robots.txt"),
            ("GET", "/job"),
            ("GET", "/job"),
        ]


async def test_b8_what_is_gone_is_asked_for_once_more_and_then_left_and_nothing_of_it_is_kept(
    service: Service, site: Site
) -> None:
    origin, forbidden = await site(), await site()
    paths = ("/soft", "/gone", "/law", "/job/1")
    listings = (links_html(*paths, text=f"list {number}") for number in range(5))
    origin.route("/", *(Answer(headers=HTML, body=html.encode()) for html in listings))
    origin.page("/soft", NOT_FOUND)
    origin.route("/gone", status=410)
    origin.route("/law", status=451)
    origin.page("/job/1", posting_html(1))
    forbidden.route("/jobs", status=451)

    seen, denied = await all_crawled(service, origin.url + "/", forbidden.url + "/jobs", max_depth=1)
    later = seen
    for _ in range(3):
        await age(service, hours=2)
        later = await crawled_again(service, later)

    assert seen.titles == ["Posting 01"]
    assert (seen.pages["/soft"].reason, "page-not-found" in seen.pages["/soft"].detail) == ("obstructed", True)
    assert (seen.reasons()["/gone"], seen.reasons()["/law"]) == ("gone", "client_error")
    assert any("HTTP 451" in line for line in seen.log)
    assert (denied.run.outcome, "HTTP 451" in denied.message) == (RunOutcome.FAIL, True)
    assert len(origin.hits("/")) == 4
    assert [len(origin.hits(path)) for path in ("/gone", "/law")] == [2, 2]
    assert [await versions_of(service, later, path) for path in paths] == [0, 0, 0, 1]


async def test_b9_the_bytes_say_what_a_body_is_and_nothing_but_pages_is_loaded(service: Service, site: Site) -> None:
    origin = await site()
    html = posting_html(1).encode()
    bodies = {
        "/pdf": (b"%PDF-1.7 \xe2\xe3", "text/html"),
        "/png": (b"\x89PNG\r\n\x1a\n" + bytes(100), "text/html"),
        "/honest": (b"%PDF-1.7", "application/pdf"),
        "/as-json": (html, "application/json"),
        "/untyped": (html.replace(b"Posting 01", b"Posting 02"), None),
    }
    assets = '<link rel=stylesheet href="/style.css"><link rel=icon href="/icon.png"><script src="/code.js"></script>'
    shown = '<img src="/picture.png"><iframe src="/frame"></iframe>'
    lists = (links_html(*bodies, head=assets, text=f"{shown} in edition {number}") for number in (1, 2))
    origin.route("/", *(Answer(headers=HTML, body=each.encode()) for each in lists))
    for path, (body, kind) in bodies.items():
        origin.route(path, Answer(headers={} if kind is None else {"Content-Type": kind}, body=body))

    seen = await crawled(service, origin.url + "/")
    await crawled_again(service, seen)

    assert seen.titles == ["Posting 01", "Posting 02"]
    assert [seen.pages[path].reason for path in ("/pdf", "/png", "/honest")] == ["unsupported_content_type"] * 3
    assert sorted(path for path in asked(origin) if path != "/jobs") == sorted(["/", "/", *bodies]), "each file once"


async def test_b10_cookies_for_others_and_too_many_of_them_are_ignored_and_the_log_says_so_once(
    service: Service, site: Site, names: NameServer
) -> None:
    origin, flood, shop = [await site() for _ in range(3)]
    names.say("shop.example.co.uk", shop.host)
    wide = ("all=1; Domain=co.uk", "site=1; Domain=example.co.uk")
    shop.route("/jobs", Answer(headers=HTML, body=links_html("/job/1").encode(), cookies=wide))
    shop.page("/job/1", posting_html(1))
    foreign = ("x=1; Domain=example.org", "y=1; Domain=com", "z=1; Domain=0.0.1")
    many = tuple(f"c{number}=1" for number in range(70))
    origin.route("/jobs", Answer(headers=HTML, body=links_html("/job/1").encode(), cookies=foreign + many))
    origin.route("/job/1", Answer(headers=HTML, body=b"<p>one</p>", cookies=(*foreign, "long=" + "x" * 5000)))
    flood.route("/jobs", Answer(headers=HTML, body=b"<p>a</p>", cookies=tuple(f"c{n}=1" for n in range(10_000))))

    urls = (origin.url + "/jobs", flood.url + "/jobs", f"http://shop.example.co.uk:{shop.port}/jobs")
    seen, flooded, shopped = await all_crawled(service, *urls, recipe={"cookies": True})
    kept = [row for row in await all_rows(service, tables.source_cookies) if row.source_id == seen.run.source_id]

    assert len(kept) == 50
    assert origin.hits("/job/1")[0].headers["cookie"] == "; ".join(f"c{n}=1" for n in range(50))
    assert [line for line in seen.log if "ignored" in line] == [
        f"20 cookies ignored: {cookies.TOO_MANY}; further ones are not mentioned",
        f"3 cookies ignored: {cookies.FOREIGN}; further ones are not mentioned",
        f"1 cookie ignored: {cookies.TOO_LONG}; further ones are not mentioned",
    ]
    assert flooded.pages["/jobs"].reason == "broken_response"
    assert shop.hits("/job/1")[0].headers["cookie"] == "site=1"
    assert [line for line in shopped.log if "ignored" in line] == [
        f"1 cookie ignored: {cookies.FOREIGN}; further ones are not mentioned"
    ]


async def test_b11_headers_are_bounded_and_whatever_they_say_is_shown_as_text(service: Service, site: Site) -> None:
    origin = await site()
    script = "<script>alert(1)</script>"
    evil = {"ETag": f'"{script}"', "X-Robots-Tag": script, "Content-Type": f"application/pdf; {script}"}
    origin.page("/", links_html("/huge", "/many", "/split", "/evil", "/job/1"))
    origin.route("/huge", huge_header(1024))
    origin.route("/many", many_headers(10_000))
    origin.route("/split", Answer(headers=HTML | {"X-A": "1\r\nSet-Cookie: stolen=1\r\nX-B: 2"}, body=b"<p>page</p>"))
    origin.route("/evil", Answer(headers=evil, body=b"%PDF-1.7"))
    origin.page("/job/1", posting_html(1))

    seen = await crawled(service, origin.url + "/")
    ask = ask_of(service)
    shown = [await ask(f"/pages/{seen.pages['/evil'].id}"), await ask(f"/runs/{seen.run.public_id}")]

    assert seen.titles == ["Posting 01"]
    assert [seen.pages[path].reason for path in ("/huge", "/many")] == ["broken_response"] * 2
    assert script in seen.pages["/evil"].detail
    assert [reply.status for reply in shown] == [200, 200]
    assert "&lt;script&gt;alert(1)" in shown[0].text
    assert not any(script in reply.text for reply in shown)
    assert all("cookie" not in hit.headers for hit in origin.log)


async def test_b12_what_a_page_says_decides_whether_it_changed_whatever_its_etag_says(
    service: Service, site: Site
) -> None:
    restless, stuck = await site(), await site()
    body = posting_html(1).encode()
    restless.route("/job", *(Answer(headers=HTML | {"ETag": f'"{visit}"'}, body=body) for visit in range(3)))
    before, after, later = (
        Answer(headers=HTML | {"ETag": '"same"'}, body=posting_html(1, title=title).encode())
        for title in ("Before", "After", "Later")
    )
    stuck.route("/job", before, after, conditional(later))  # which would call itself unchanged if it was asked by it

    seen = await all_crawled(service, restless.url + "/job", stuck.url + "/job", max_depth=0)
    unchanged, changed = await asyncio.gather(*(crawled_again(service, each) for each in seen))
    await crawled_again(service, unchanged)
    changed_again = await crawled_again(service, changed)
    await crawled_again(service, changed_again)
    shown = (await ask_of(service)(f"/pages/{changed.pages['/job'].id}")).text

    assert [hit.headers.get("if-none-match") for hit in restless.hits("/job")] == [None, '"0"', '"1"']
    assert (unchanged.run.tally.pages_unchanged, unchanged.run.tally.pages_changed) == (1, 0)
    assert await versions_of(service, unchanged, "/job") == 1
    assert changed.run.tally.pages_changed == 1
    assert "After" in changed.titles
    assert [hit.headers.get("if-none-match") for hit in stuck.hits("/job")] == [None, '"same"', None, None]
    assert (changed_again.run.tally.pages_changed, "Later" in changed_again.titles) == (1, True)
    assert await versions_of(service, changed, "/job") == 3
    assert "not used: the same validator came with different bodies" in shown


async def test_b13_a_tarpit_ends_with_the_page_budget_or_when_it_shows_nothing_new(
    service: Service, site: Site
) -> None:
    varied, dull = await site(), await site()
    varied.otherwise(_tarpit(text="You are at {path}."))
    dull.otherwise(_tarpit(text="Round and round."))
    for origin in (varied, dull):
        origin.robots("")

    bounded, given_up = await asyncio.gather(
        crawled(service, varied.url + "/pit", max_depth=100, max_pages=40),
        crawled(service, dull.url + "/pit", max_depth=100, max_pages=1000),
    )

    assert len(asked(varied)) == 40
    assert bounded.run.outcome is RunOutcome.WARN
    assert 50 <= len(asked(dull)) < 600
    assert given_up.run.outcome is RunOutcome.WARN


def _tarpit(*, text: str) -> Callable[[Request], Answer]:
    """Every page links to three that nobody has seen before; `{path}` in the text makes every page different."""

    def answer(request: Request) -> Answer:
        links = "".join(f'<a href="{request.path}-{number}">on</a>' for number in range(3))
        html = f"<html><body><p>{text.format(path=request.path)}</p>{links}</body></html>"
        return Answer(headers=HTML, body=html.encode())

    return answer
