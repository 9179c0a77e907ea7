"""F1: a URL means to us what it means to a browser, whose reading of the URL standard is not ours."""

from itertools import product

from playwright.async_api import Browser

from lamplighter.errors import BadUrl
from lamplighter.rules.urls.urls import LinkResolver, join, parse

SCHEMES = ["http:", "https:", "HTTP:", "hTTps:\t", "http:\n"]
SLASHES = ["//", "/", "", "\\\\", "/\\", "///", "////"]
NAMES = ["tide.example", "TIDE.Example", "tide.example.", "t%69de.example", "tide.example:80", "tide.example:443"]
HOSTS = [
    *NAMES,
    *("tide.example:0", "tide.example:00081", "tide.example:65536", "tide.example:", "tide.example:x"),
    *("münchen.example", "xn--mnchen-3ya.example", "xn--a", "ＴＩＤＥ.example", "tide。example", "\u00adtide.example"),
    *("faß.example", "127.1", "0x7f.1", "2130706433", "256.256.256.256", "0300.1", "1.2.3.4.5"),
    *("[::1]", "[::127.0.0.1]", "[1::2::3]", "[::1", "[v1.x]", "", "a b.example", "a%20b.example", "a<b", "%zz"),
    *("ti_de.example", "-tide.example", "tide..example", ".example", "tide.example%2fx"),
    *("user@tide.example", "user:pw@tide.example", ":@tide.example", "a@b@tide.example"),
]
#: not "|", which Chromium escapes in a path and the standard does not
PATHS = [
    *("", "/", "/.", "/..", "/a/./b", "/a/../b", "/a/..", "/../../x", "/a/%2e%2E/b", "/a/%2e", "/a\\b", "/a//b"),
    *("/ä", "/%c3%a4", "/a b", "/a%2fb", "/~u", "/a;b=c", "/%", "/%zz", "/\"<>`{}^'", "/\u00a0x", "/a\tb\nc"),
    *("/:x", "/@x"),
]
ENDS = ["", "?", "?a=b c", "?ä", "?%zz", "?a'b\"<>", "?#", "#", "#f", "?a#b#c", "?a?b", "??", "?\ta"]
BASES = ["http://tide.example/a/b?c#d", "https://tide.example", "http://tide.example/a/b/"]
#: not those that lead to another place of the same page, which are no links to us
LINKS = [
    *("x", "./x", "../x", "../../../x", "/x", "//other.example/x", "///other.example", "?q", "?", "  x  ", "\tx\n"),
    *(
        "x y",
        "x\\y",
        "\\x",
        "\\\\other.example\\x",
        "http:x",
        "https:x",
        "http:/x",
        "https:/x",
        "http://",
        "https:///x",
    ),
    *("javascript:alert(1)", "mailto:a@b", "data:,x", "x:y", "./x:y", ":x", "://x", "//", "///", "/..//x"),
    *("%2e%2e/x", "%2E/x", "a/%2e%2e", "..%2fx", "..\\x", ".", "..", "./", "../", ";x", "?a=ä", "ä", "&amp;"),
    *("//[::1]:8/x", "//1.2/x", "//a:b/x", "//a:99999/", "ftp://x/", "ws://x/", "file:///x", "HTTP://X/"),
    *(path for path in PATHS if path),
]
ALONE = [
    *(f"{scheme}{slashes}{name}/x" for scheme, slashes, name in product(SCHEMES, SLASHES, NAMES)),
    *(f"{scheme}//{host}/x" for scheme, host in product(("http:", "https:"), HOSTS)),
    *(f"http://tide.example{path}{end}" for path, end in product(PATHS, ENDS)),
]
READ = """cases => cases.map(([text, base]) => {
  try { return (base === null ? new URL(text) : new URL(text, base)).href } catch { return null }
})"""


async def read_by(browser: Browser, cases: list[tuple[str, str | None]]) -> list[str | None]:
    """What each text, and its base if it has one, is to a browser; None for what is no URL."""
    page = await browser.new_page()
    try:
        return list(await page.evaluate(READ, [list(case) for case in cases]))
    finally:
        await page.close()


def identity(url: str | None) -> str | None:
    """As what we know a URL; None for one that is none, or that we may not ask for."""
    try:
        return None if url is None else parse(url).href
    except BadUrl:
        return None


async def test_f1_a_url_is_read_as_a_browser_reads_it(browser: Browser) -> None:
    meant = await read_by(browser, [(text, None) for text in ALONE])

    read = {text: (identity(text), identity(href)) for text, href in zip(ALONE, meant, strict=True)}
    assert {text: both for text, both in read.items() if both[0] != both[1]} == {}
    assert sum(ours is not None for ours, _ in read.values()) > 400


async def test_f1_a_link_leads_where_a_browser_goes(browser: Browser) -> None:
    cases = [(text, base) for text in LINKS for base in BASES]
    meant = await read_by(browser, list(cases))

    led = {
        (text, base): (join(base, text), LinkResolver(base).resolve(text), identity(href))
        for (text, base), href in zip(cases, meant, strict=True)
    }
    assert {case: all_three for case, all_three in led.items() if len(set(all_three)) > 1} == {}
