"""Rows F of the fault matrix: one parser reads whatever is written as a URL, for the check and for the wire alike."""

import pytest

from lamplighter.app import Service
from lamplighter.errors import BadUrl
from lamplighter.model.crawl import RunOutcome
from tests.faults.conftest import Site
from tests.faults.crawl_outcome import all_crawled, crawled, crawled_again
from tests.faults.name_server import NameServer
from tests.origin import Answer, redirect
from tests.service.in_process import age, asked, watch
from tests.service.sites import links_html

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = Answer(headers={"Content-Type": "text/html"}, body=b"<p>a page</p>")

#: links as they stand on /a/b/page.html, and what the URL standard of the WHATWG makes of them
LINKS = {
    "plain": "/a/b/plain",
    "./here": "/a/b/here",
    "../up": "/a/up",
    "../../../../top": "/top",
    "%2e%2e/dots": "/a/dots",
    "x/.%2E/y": "/a/b/y",
    "..\\back\\slash": "/a/back/slash",
    "?only=query": "/a/b/page.html?only=query",
    "  /around\t": "/around",
    "/in\nside": "/inside",
    "/a space": "/a%20space",
    "/caf\u00e9": "/caf%C3%A9",
    "/q?\u00fc=\u00df": "/q?%C3%BC=%C3%9F",
    "/q?a='x'": "/q?a=%27x%27",
    "/%zz%": "/%zz%",
    "/pipe|and^`{}": "/pipe|and%5E%60%7B%7D",
    "/semi;v=1,2": "/semi;v=1,2",
    "http:same-scheme": "/a/b/same-scheme",
    "http:/one-slash": "/one-slash",
    "/empty//segments": "/empty//segments",
    "/at@sign:80": "/at@sign:80",
}
#: and some that lead nowhere
NOWHERE = ("http://", "http://[::1", "http://a b/", "//user:word@elsewhere/", "mailto:a@b.c", "data:,x", "#here")


async def test_f1_links_are_read_as_the_url_standard_reads_them(service: Service, site: Site) -> None:
    origin = await site()
    origin.otherwise(PAGE)
    _, _, third, fourth = origin.host.split(".")
    whole = {
        f"HTTP://{origin.address}/scheme": "/scheme",
        f"http:\\\\{origin.address}\\slashes": "/slashes",
        f"//{origin.address}/same": "/same",
        f"http://127.7.{256 * int(third) + int(fourth)}:{origin.port}/short": "/short",
        f"http:///{origin.address}/three": "/three",
        f"http://@{origin.address}/nobody": "/nobody",
        f"http://{origin.host}:0{origin.port}/zero": "/zero",
    }
    links = LINKS | whole
    origin.page("/a/b/page.html", links_html(*links, *NOWHERE))

    await crawled(service, origin.url + "/a/b/page.html", max_depth=1)

    assert sorted(asked(origin)) == sorted(["/a/b/page.html", *links.values()])


#: other ways to write 127.0.0.1
DISGUISES = (
    *("127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "0x7f.1..", "0.0.0.0"),
    *("[::ffff:7f00:1]", "[::ffff:127.0.0.1]", "\u2460\u2461\u2466.0.0.1", "127\u30020\u30020\u30021"),
    *("12\t7.0.0.1", "127.\n0.0.1", "%31%32%37.0.0.1", "localhost.", "LOCALHOST"),
)


async def test_f2_no_disguise_of_a_closed_address_is_ever_asked(
    service: Service, site: Site, names: NameServer
) -> None:
    opened, closed = await site(), await site("127.0.0.1")
    for name in ("localhost", "inside.example"):
        names.say(name, closed.host)
    disguised = [f"http://{host}:{closed.port}/{number}" for number, host in enumerate([*DISGUISES, "inside.example"])]
    for number, url in enumerate(disguised):
        opened.route(f"/to/{number}", redirect(url.encode().decode("latin-1").translate({9: None, 10: None})))

    led = [f"{opened.url}/to/{number}" for number in range(len(disguised))]
    refused = await all_crawled(service, *disguised, *led)
    with pytest.raises(BadUrl, match="credentials"):
        await watch(service, f"http://user@{opened.address}/")

    assert closed.log == []
    assert {seen.run.outcome for seen in refused} == {RunOutcome.FAIL}
    assert [seen.message for seen in refused if "not a public address" not in seen.message] == []
    assert len(asked(opened)) == len(disguised)


async def test_f3_what_two_parsers_would_read_differently_is_asked_of_whom_was_checked(
    service: Service, site: Site
) -> None:
    # Both are open: nothing but how the URL is read keeps us from the other one.
    meant, other = await site(), await site()
    for each in (meant, other):
        each.otherwise(PAGE)
    ambiguous = [
        f"http://{meant.address}\\@{other.address}/backslash",
        f"http://{meant.address}#@{other.address}/fragment",
        f"http://{meant.address}?@{other.address}/query",
        f"http:\\\\{meant.address}/\\{other.address}/slashes",
        f"http://{meant.address}/\t/{other.address}/tab",
    ]
    meant.page("/links", links_html(*ambiguous))
    meant.route("/redirect", redirect(f"http://{meant.address}\\@{other.address}/redirected"))

    await all_crawled(
        service,
        *(meant.url + path for path in ("/links", "/redirect")),
        f"http://{meant.address}\\@{other.address}/source",
        max_depth=1,
    )

    assert other.log == []
    assert set(asked(meant)) >= {f"/@{other.address}/{path}" for path in ("backslash", "redirected", "source")}


async def test_f4_one_page_in_many_spellings_is_asked_for_once_and_redirects_end(service: Service, site: Site) -> None:
    origin = await site()
    origin.otherwise(PAGE)
    same = [
        *("/list?b=2&a=1", "/list?a=1&b=2", "/list?a=1&b=2#top", "/list?a=1&utm_source=x&b=2"),
        *("/list?a=1&b=2&PHPSESSID=0123456789abcdef", "/list;jsessionid=1A2B?a=1&b=2", "/./x/../list?%61=1&b=2"),
    ]
    different = ["/dir", "/dir/", "/twice?q=1&q=2", "/twice?q=2&q=1", "/Case", "/case"]
    links = [*same, *different, "/old"]
    origin.page("/", links_html(*links))
    origin.route("/dir", redirect("/dir/", 301))  # it adds a slash,
    origin.route("/case", redirect("/list?b=2&a=1", 301))  # has an order of its own for parameters,
    origin.route("/old", redirect("/old?PHPSESSID=0123456789abcdef", 302))  # or hands out a session

    first = await crawled(service, origin.url + "/", max_depth=1)
    by_then = len(asked(origin))
    await age(service, days=30)
    origin.page("/", links_html(*reversed(links), text="the same links, in another order"))
    await crawled_again(service, first)

    once = sorted({"/", "/list?a=1&b=2", *different, "/old"})
    assert sorted(asked(origin)[:by_then]) == once
    assert sorted(asked(origin)[by_then:]) == once


async def test_f5_traps_are_not_walked_into(service: Service, site: Site) -> None:
    origin = await site()
    origin.otherwise(PAGE)
    traps = [
        *("/" + "x" * 100_000, "/?" + "&".join(f"p{n}=1" for n in range(10_000))),
        *("/a/b/a/b/a/b", "/" + "/".join(f"s{n}" for n in range(21)), "/calendar/7749/1", "/events?date=7749-03-12"),
    ]
    origin.page("/", links_html(*traps, "/a/b/a/c", "/calendar/2026/1", "/jobs/7749"))

    await crawled(service, origin.url + "/", max_depth=1)
    with pytest.raises(BadUrl, match="longer than"):
        await watch(service, origin.url + "/" + "x" * 100_000)

    assert sorted(asked(origin)) == ["/", "/a/b/a/c", "/calendar/2026/1", "/jobs/7749"]
