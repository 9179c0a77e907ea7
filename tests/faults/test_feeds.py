"""Rows D of the fault matrix: feeds, sitemaps and APIs are read as far as they make sense, and never without end."""

import asyncio
import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from lamplighter.app import Service
from lamplighter.model.crawl import RunOutcome
from tests.faults.conftest import Site
from tests.faults.crawl_outcome import all_crawled, crawled, crawled_again
from tests.origin import Answer, Origin, Request, redirect
from tests.origin.answers import conditional
from tests.service.in_process import asked
from tests.service.sites import posting_html

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETTINGS = {"min_delay_ms": 10}
RSS = {"Content-Type": "application/rss+xml"}
XML = {"Content-Type": "application/xml"}
JSON = {"Content-Type": "application/json"}
ONE, TWO = "<item><title>One</title></item>", "<item><title>Two</title></item>"


def rss(*items: str, head: str = "", version: str = "<?xml version='1.0'?>") -> str:
    return f"{version}<rss version='2.0'><channel><title>N</title>{head}{''.join(items)}</channel></rss>"


def feed(text: str) -> Answer:
    return Answer(headers=RSS, body=text.encode())


async def test_d1_a_broken_feed_is_read_as_far_as_it_goes_and_the_run_says_that_it_is_broken(
    service: Service, site: Site
) -> None:
    broken = {
        "illegal characters": rss("<item><title>One\x08</title></item>", TWO),
        "unknown entities": rss("<item><title>One &foo;</title></item>", TWO),
        "cut off": rss(ONE, TWO)[:-20],
        "an unclosed tag": rss("<item><title>One</title><b></item>", TWO),
    }
    sites = [await site() for _ in broken]
    for origin, text in zip(sites, broken.values(), strict=True):
        origin.route("/feed", feed(text))

    seen = await all_crawled(service, *(origin.url + "/feed" for origin in sites), max_depth=0)

    for found in seen:
        assert [title[:3] for title in found.titles] == ["One", "Two"], found.message
        assert any("feed is not well-formed" in line for line in found.log)


async def test_d2_entities_are_refused_and_nothing_outside_the_feed_is_loaded(service: Service, site: Site) -> None:
    laughing, reading, fetching, sitemap, lure = [await site() for _ in range(5)]
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    item = "<item><title>{}</title></item>".format
    laughing.route("/feed", feed(rss(item("&l9;"), version=f'<!DOCTYPE rss [<!ENTITY l0 "ha">{laughs}]>')))
    secret = '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    reading.route("/feed", feed(rss(item("&x;"), version=secret)))
    fetching.route("/feed", feed(rss(ONE, version=f'<!DOCTYPE rss SYSTEM "{lure.url}/x.dtd">')))
    evil = f'<!DOCTYPE urlset SYSTEM "{lure.url}/x.dtd"><urlset><url><loc>{sitemap.url}/job</loc></url></urlset>'
    sitemap.route("/sitemap.xml", Answer(headers=XML, body=evil.encode()))

    urls = [origin.url + "/feed" for origin in (laughing, reading, fetching)]
    laughed, read, fetched, mapped = await all_crawled(service, *urls, sitemap.url + "/sitemap.xml")

    for refused in (laughed, read):
        assert (refused.run.outcome, refused.titles) == (RunOutcome.WARN, [])
        assert "feed refused: it declares XML entities" in refused.message
    assert fetched.titles == ["One"]
    assert (asked(sitemap), mapped.titles) == (["/sitemap.xml"], [])
    assert lure.log == []


async def test_d3_of_contradicting_charsets_the_surest_holds(service: Service, site: Site) -> None:
    def titled(charset: str) -> str:
        return rss("<item><title>Café</title></item>", version=f"<?xml version='1.0' encoding='{charset}'?>")

    answers = {
        "a mark beats header and declaration": (b"\xef\xbb\xbf" + titled("koi8-r").encode(), "; charset=iso-8859-1"),
        "the header beats the declaration": (titled("utf-8").encode("latin-1"), "; charset=iso-8859-1"),
        "the declaration": (titled("iso-8859-1").encode("latin-1"), ""),
        "a mark of UTF-16": (titled("utf-8").encode("utf-16"), ""),
        "nothing": (titled("none").encode(), ""),
    }
    sites = [await site() for _ in answers]
    for origin, (body, charset) in zip(sites, answers.values(), strict=True):
        origin.route("/feed", Answer(headers={"Content-Type": f"application/xml{charset}"}, body=body))

    seen = await all_crawled(service, *(origin.url + "/feed" for origin in sites), max_depth=0)

    assert [found.titles for found in seen] == [["Café"]] * len(answers)


async def test_d4_an_entry_stays_the_same_whatever_happens_to_its_guid(service: Service, site: Site) -> None:
    origin = await site()

    def entry(name: str, link: str, guid: str = "") -> str:
        named = f"<guid isPermaLink='false'>{guid}</guid>" if guid else ""
        return f"<item><title>{name}</title><link>{link}</link>{named}</item>"

    plain = [entry("Without", "/without"), entry("Shared A", "/a", "same"), entry("Shared B", "/b", "same")]
    first = rss(*plain, entry("Changing", "/changing?utm_source=feed", "1"), entry("Kept", "/kept", "k"))
    second = rss(entry("Kept", "/kept", "k"), entry("Changing", "/changing", "2"), *reversed(plain), head="<!-- 2 -->")
    origin.route("/feed", feed(first), feed(second))
    based = await site()
    entries = "<entry><title>Near</title><link href='1'/></entry><entry xml:base='{}/far/'><title>Far</title>"
    atom = f"<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/deep/'>{entries.format(based.url)}"
    based.route("/feed", feed(f"{atom}<link href='2'/></entry></feed>"))

    seen, elsewhere = await all_crawled(service, origin.url + "/feed", based.url + "/feed", max_depth=0)
    again = await crawled_again(service, seen)

    assert seen.titles == ["Changing", "Kept", "Shared A", "Shared B", "Without"]
    assert [record.url for record in seen.records] == [
        origin.url + path for path in ("/changing", "/kept", "/a", "/b", "/without")
    ]
    assert [record.id for record in again.records] == [record.id for record in seen.records]
    assert again.run.tally.records_inserted == 0
    assert [record.url for record in elsewhere.records] == [based.url + "/far/2", based.url + "/deep/1"]


async def test_d5_dates_are_understood_or_kept_as_text_and_never_lie_ahead(service: Service, site: Site) -> None:
    origin = await site()
    dates = {
        "Mon, 02 Mar 2026 12:00:00 GMT+7": datetime(2026, 3, 2, 5, tzinfo=UTC),
        "Mon, 02 Mar 2026 12:00:00 EST": datetime(2026, 3, 2, 17, tzinfo=UTC),
        "2026-03-02 12:00:00": datetime(2026, 3, 2, 12, tzinfo=UTC),
        "Tue, 01 Jan 2041 00:00:00 GMT": None,
        "Thu, 01 Jan 1970 00:00:00 GMT": None,
        "soon": None,
    }
    items = [
        f"<item><title>{n}</title><link>/{n}</link><pubDate>{text}</pubDate></item>" for n, text in enumerate(dates)
    ]
    origin.route("/feed", feed(rss(*items, "<item><title>9</title><link>/9</link></item>")))

    seen = await crawled(service, origin.url + "/feed", max_depth=0)

    assert [record.published_at for record in seen.records] == [*dates.values(), None]
    *_, future, epoch, soon, none = (record.fields.get("published_at_raw") for record in seen.records)
    assert (future[:4], epoch[:4], soon, none) == ("2041", "1970", "soon", None)
    assert all(record.first_seen_at <= service.clock.now() for record in seen.records)


async def test_d6_a_feed_that_moves_or_becomes_a_page_loses_nothing(service: Service, site: Site) -> None:
    origin, other = await site(), await site()
    moved = conditional(Answer(headers=RSS | {"ETag": '"1"'}, body=rss(ONE, TWO).encode()))
    page = Answer(
        headers={"Content-Type": "text/html"}, body=b"<html><body><h1>Our news</h1><p>Soon.</p></body></html>"
    )
    origin.route("/feed", moved, redirect("/new", 301), redirect("/new", 302), page)
    origin.route("/new", moved)
    other.route("/feed", moved)

    seen, unchanged = await all_crawled(service, origin.url + "/feed", other.url + "/feed", max_depth=0)
    unchanged = await crawled_again(service, unchanged)
    for_good = await crawled_again(service, seen)
    for_now = await crawled_again(service, for_good)
    as_page = await crawled_again(service, for_now)

    assert [hit.status for hit in other.hits("/feed")] == [200, 304]
    assert (unchanged.run.outcome, unchanged.run.tally.pages_unchanged) == (RunOutcome.OK, 1)
    assert asked(origin) == ["/feed", "/feed", "/new", "/feed", "/new", "/feed"]
    assert [each.run.tally.records_inserted for each in (for_good, for_now)] == [0, 0]
    told = [[line for line in each.log if "moved for good" in line] for each in (for_good, for_now)]
    assert [len(lines) for lines in told] == [1, 0]
    assert f"to {origin.url}/new" in told[0][0]
    assert as_page.run.outcome is RunOutcome.WARN
    assert "extractor may be broken" in as_page.message
    assert [(record.title, record.gone_at) for record in as_page.records] == [("One", None), ("Two", None)]


async def test_d7_a_vast_feed_is_cut_and_an_entry_that_returns_is_the_one_that_left(
    service: Service, site: Site
) -> None:
    vast, wavering = await site(), await site()
    vast.route("/feed", feed(rss(ONE * 10_000, TWO)))
    one, two = (f"<item><title>{n}</title><link>/{n}</link></item>" for n in ("One", "Two"))
    wavering.route(
        "/feed", feed(rss(one, two)), *(feed(rss(one, head=f"<!--{n}-->")) for n in "123"), feed(rss(one, two))
    )

    cut, first = await all_crawled(service, vast.url + "/feed", wavering.url + "/feed", max_depth=0, kind="job")
    gone = first
    for _ in range(3):
        gone = await crawled_again(service, gone)
    back = await crawled_again(service, gone)

    assert (cut.run.tally.records_found, cut.titles) == (1, ["One"])  # the same entry each time
    assert any("feed has 10001 entries; the first 10000 were read" in line for line in cut.log)
    assert [record.gone_at is not None for record in gone.records] == [False, True]
    assert [(record.id, record.gone_at) for record in back.records] == [(record.id, None) for record in first.records]
    assert back.run.tally.records_inserted == 0


async def test_d8_sitemaps_are_read_once_each_and_only_so_far(service: Service, site: Site) -> None:
    looping, deep, long, plain, elsewhere = [await site() for _ in range(5)]
    looping.route("/sitemap.xml", Answer(headers=XML, body=_index(looping, "/sitemap.xml", "/part.xml.gz")))
    part = gzip.compress(_urlset(f"{looping.url}/job/1", f"{looping.url}/job/2", f"{elsewhere.url}/job/3"))
    looping.route("/part.xml.gz", Answer(headers={"Content-Type": "application/gzip"}, body=part))
    deep.otherwise(_bottomless(deep))
    many = "".join(f"{long.url}/job/{number}\n" for number in range(50_001))
    long.route(
        "/sitemap.txt.gz", Answer(headers={"Content-Type": "application/gzip"}, body=gzip.compress(many.encode()))
    )
    plain.route("/sitemap.txt", Answer(body=f"{plain.url}/job/1\n{plain.url}/job/2\n".encode()))
    for origin in (looping, plain):
        origin.page("/job/1", posting_html(1))
        origin.page("/job/2", posting_html(2))

    looped, _, cut, listed = await asyncio.gather(
        crawled(service, looping.url + "/sitemap.xml", max_depth=1),
        crawled(service, deep.url + "/0.xml", max_depth=1, max_pages=40),
        crawled(service, long.url + "/sitemap.txt.gz", max_depth=1, recipe={"include": ["/job/1$"]}),
        crawled(service, plain.url + "/sitemap.txt", max_depth=1),
    )

    assert sorted(asked(looping)) == ["/job/1", "/job/2", "/part.xml.gz", "/sitemap.xml"]
    assert looped.titles == listed.titles == ["Posting 01", "Posting 02"]
    assert elsewhere.log == []
    assert asked(deep) == [f"/{number}.xml" for number in range(4)]
    assert asked(long) == ["/sitemap.txt.gz", "/job/1"]
    assert any("sitemap names more than 50000 addresses" in line for line in cut.log)


def _index(origin: Origin, *paths: str) -> bytes:
    entries = "".join(f"<sitemap><loc>{origin.url}{path}</loc></sitemap>" for path in paths)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'.encode()


def _urlset(*urls: str) -> bytes:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()


def _bottomless(origin: Origin) -> Callable[[Request], Answer]:
    """An index of which each names the next, for ever."""

    def answer(request: Request) -> Answer:
        number = request.path.strip("/").partition(".")[0]
        return Answer(headers=XML, body=_index(origin, f"/{int(number) + 1 if number.isdigit() else 0}.xml"))

    return answer


async def test_d9_an_api_may_answer_anything_and_page_in_circles(service: Service, site: Site) -> None:
    odd, vast, circling = [await site() for _ in range(3)]
    items = '[{"name": "One"}, null, 7, "text", [], {"name": null}, {"name": ["Two"]}, {"name": NaN}, {"other": 1}]'
    odd.route("/api", Answer(headers=JSON, body=f'{{"data": {items}, "next": {{}}}}'.encode()))
    vast.route("/api", Answer(headers=JSON, body=b"[" + b'{"name": "x"},' * 200_000 + b"{}]"))
    circling.route("/api", _circle)
    paging = {"kind": "cursor", "param": "after", "cursor_path": "next"}
    recipe = {"items": "data", "fields": {"title": "name"}, "api": {"paging": paging}}

    urls = [origin.url + "/api" for origin in (odd, vast, circling)]
    read, refused, circled = await all_crawled(service, *urls, recipe=recipe, max_depth=0)

    assert (read.titles, read.run.outcome) == (["One", "Two"], RunOutcome.OK)
    assert (read.run.tally.records_failed, len(asked(odd))) == (0, 1)
    assert (refused.run.outcome, refused.pages["/api"].reason) == (RunOutcome.FAIL, "too_large")
    assert asked(circling) == ["/api", "/api?after=b", "/api?after=a"]
    assert circled.titles == ["at a", "at b", "at start"]


def _circle(request: Request) -> Answer:
    """Its cursors lead from a to b and from b to a."""
    at = parse_qs(urlsplit(request.target).query).get("after", ["start"])[0]
    following = {"start": "b", "a": "b", "b": "a"}[at]
    return Answer(headers=JSON, body=json.dumps({"data": [{"name": f"at {at}"}], "next": following}).encode())
