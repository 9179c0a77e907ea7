"""Fuzz targets: what a site says on the wire outside its pages: URLs, robots.txt, headers, cookies, dates."""

import zlib
from datetime import UTC, datetime, timedelta

from multidict import CIMultiDict

from lamplighter.errors import BadUrl
from lamplighter.extract import directives
from lamplighter.extract.charset import declared_charset, decode
from lamplighter.extract.sniff import sniff
from lamplighter.model.capture import Capture
from lamplighter.rules.formats import warc
from lamplighter.rules.hosts import cookies, server_hints, takedown
from lamplighter.rules.robots import usage
from lamplighter.rules.robots.robots import compile_robots
from lamplighter.rules.urls import addresses, traps, urls
from tests.security.target import Target, header_of, text_of

_NOW = datetime(2026, 3, 1, 8, tzinfo=UTC)
_CAP = timedelta(days=1)
_HERE = urls.parse("https://jobs.town.example:8443/a/b")
_ELSEWHERE = urls.parse("https://other.example/")
_TOKEN = "lamplighterbot"
_ARCHIVED = warc.response(
    Capture(url=_HERE.href, fetched_at=_NOW, status=200, headers=(("Content-Type", "text/html"),), body=b"hello")
)


def play_url(data: bytes) -> None:
    """A URL has one identity form, which is a URL with that same form; what is no web URL is refused."""
    text = text_of(data)
    try:
        found = urls.parse(text)
    except BadUrl:
        assert urls.join(_HERE.href, text) is None or not text.lower().lstrip().startswith(("file:", "javascript:"))
        return
    again = urls.parse(found.href)
    assert again == found
    assert urls.normalise(text) == found.href
    assert found.scheme in ("http", "https")
    assert found.href.startswith(f"{found.origin}/")
    assert found.hostname
    assert 0 <= found.port <= 65535
    assert not set("@\\ \t\r\n#") & set(found.origin)
    assert not set(" \t\r\n#") & set(found.path_query)
    traps.trap_reason(found.href, now_year=_NOW.year)
    assert addresses.is_literal(found.hostname) or not found.hostname.replace(".", "").isdigit()


def play_link(data: bytes) -> None:
    """A link is resolved alike by both ways that resolve links."""
    text = text_of(data)
    joined = urls.join(_HERE.href, text)
    assert urls.LinkResolver(_HERE.href).resolve(text) == joined
    assert joined is None or urls.normalise(joined) == joined


def play_takedown(data: bytes) -> None:
    """What is taken down is found again by its entry."""
    try:
        kept = takedown.entry(text_of(data))
    except BadUrl:
        return
    url = kept if "://" in kept else f"http://{f'[{kept}]' if ':' in kept else kept}/"
    assert takedown.matching(urls.normalise(url), [kept]) == kept
    assert takedown.entry(f"[{kept}]" if ":" in kept and "://" not in kept else kept) == kept


def play_robots(data: bytes) -> None:
    """Rules are read line by line; robots.txt itself is always allowed."""
    robots = compile_robots(data)
    assert robots.verdict(_TOKEN, "https://a.example/robots.txt").allowed
    for path in ("/", "/a/b?c=d", "/%61", "/" + "a" * 100):
        robots.verdict(_TOKEN, "https://a.example" + path)
        robots.usage(_TOKEN, "https://a.example" + path)
    robots.disallowed(_TOKEN)


def play_times(data: bytes) -> None:
    """What a server says about time is within bounds, or nothing."""
    text = header_of(data)
    wait = server_hints.retry_after(text, now=_NOW, cap=_CAP)
    assert wait is None or timedelta(0) <= wait <= _CAP
    fresh = server_hints.fresh_for({"Cache-Control": text}, now=_NOW)
    assert fresh is None or timedelta(0) <= fresh <= server_hints.LONGEST_FRESH
    fresh = server_hints.fresh_for({"Expires": text}, now=_NOW)
    assert fresh is None or timedelta(0) <= fresh <= server_hints.LONGEST_FRESH


def play_cookie(data: bytes) -> None:
    """A cookie goes to nobody but those who may have set it, and breaks no header."""
    lines = data.decode("latin-1").split("\n")
    received = cookies.received(lines, _HERE, [], now=_NOW)
    assert len(received.kept) <= cookies.MOST_COOKIES
    assert cookies.header(received.kept, _ELSEWHERE, now=_NOW) is None
    header = cookies.header(received.kept, _HERE, now=_NOW)
    assert header is None or not set("\r\n\0") & set(header)


def play_headers(data: bytes) -> None:
    """Directives, uses and charsets are found in any header."""
    text = header_of(data)
    directives.from_header(text, _TOKEN)
    directives.from_meta([text])
    lines = usage.from_headers(CIMultiDict({"Content-Usage": text, "Content-Signal": text, "TDM-Reservation": text}))
    usage.forbids_search(lines)
    usage.as_mapping(lines)
    codec = declared_charset(text)
    assert codec is None or "x".encode(codec)


def play_charset(data: bytes) -> None:
    """Any bytes are text in the end, and of some type."""
    text = decode(data, None)
    assert len(text) <= len(data)
    text.encode()
    sniff(data, None)


def play_capture(data: bytes) -> None:
    """A damaged archive has no capture in it, or one."""
    warc.read(data)


TARGETS = (
    Target(
        "url",
        play_url,
        (
            b"https://a.example/b?c=d#e",
            b"http://127.1:80/",
            b"http://a.example\\@b.example/",
            b"http://0x7f.1/",
            b"file:///etc/passwd",
            b"http://[::ffff:7f00:1]/a/../b",
            "http://ｅxample。com/ä".encode(),
        ),
    ),
    Target("link", play_link, (b"../b?c", b"//other.example/", b"javascript:alert(1)", b"?a=b", b"http:x", b"/a/./b")),
    Target("takedown", play_takedown, (b"example.org", b"https://example.org/a/", b"[::1]", b"127.1")),
    Target(
        "robots",
        play_robots,
        (
            b"User-agent: *\nDisallow: /*a*b$\nAllow: /c\nCrawl-delay: 5\nSitemap: /s.xml\n",
            b"\xef\xbb\xbfUser-agent: LamplighterBot\rContent-Usage: /a train-ai=n\rDisallow: /%7e",
        ),
    ),
    Target(
        "times",
        play_times,
        (
            b"120",
            b"Wed, 21 Oct 2026 07:28:00 GMT",
            b"Sunday, 06-Nov-94 08:49:37 GMT",
            b"Sun Nov  6 08:49:37 1994",
            b"public, max-age=600",
            b"Mon, 01 Jan 0001 00:00:00 +9999",
        ),
    ),
    Target(
        "cookie",
        play_cookie,
        (
            b"a=b; Path=/; Domain=.town.example; Max-Age=60; Secure",
            b"__Host-a=b; Secure; Path=/\na=",
            b"a=b; Expires=x",
        ),
    ),
    Target(
        "headers",
        play_headers,
        (
            b"noindex, lamplighterbot: nofollow, max-snippet:10",
            b"unavailable_after: 25 Jun 2026 15:00:00 PST",
            b"train-ai=n, search=y;a=1",
            b'text/html; charset="utf-8"',
        ),
    ),
    Target(
        "charset",
        play_charset,
        (b'<meta charset="shift_jis">', b"<?xml version='1.0' encoding='iso-8859-1'?>", b"\xff\xfea\x00", b"\x1b$B"),
    ),
    Target("capture", play_capture, (_ARCHIVED, zlib.decompress(_ARCHIVED, wbits=31))),
)
