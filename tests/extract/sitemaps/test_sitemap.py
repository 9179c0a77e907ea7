"""D8: sitemaps of every form, bounded in every way."""

import gzip
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.sitemaps.sitemap import Sitemap, SitemapEntry, read_sitemap
from lamplighter.model.record import RecordKind

URL = "https://a.example/sitemap.xml"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"


def urlset(*entries: str) -> bytes:
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0"?><urlset xmlns="{namespace}" xmlns:n="{NEWS}">{"".join(entries)}</urlset>'.encode()


def entry(location: str, rest: str = "") -> str:
    return f"<url><loc>{location}</loc>{rest}</url>"


def read(body: bytes) -> Sitemap:
    return read_sitemap(body, url=URL)


def locations(sitemap: Sitemap) -> list[str]:
    return [entry.url for entry in sitemap.entries]


def test_entries_are_read_with_their_dates() -> None:
    lastmod = "<lastmod>2026-03-02T12:00:00+02:00</lastmod><priority>1</priority>"

    sitemap = read(urlset(entry("https://a.example/1", lastmod), entry("\n https://a.example/2?b=1&amp;a=2 ")))

    assert sitemap == Sitemap(
        entries=(
            SitemapEntry("https://a.example/1", datetime(2026, 3, 2, 10, tzinfo=UTC)),
            SitemapEntry("https://a.example/2?a=2&b=1", None),
        )
    )


def test_an_index_names_further_sitemaps_but_d8_never_itself() -> None:
    names = ("https://a.example/2.xml.gz", URL, "https://a.example/2.xml.gz")
    body = f"<sitemapindex>{''.join(f'<sitemap><loc>{name}</loc></sitemap>' for name in names)}</sitemapindex>"

    assert read(body.encode()) == Sitemap(children=("https://a.example/2.xml.gz",))


def test_an_article_of_a_news_sitemap_is_a_record() -> None:
    news = (
        "<n:news><n:publication><n:name>The Day</n:name><n:language>en</n:language></n:publication>"
        "<n:publication_date>2026-03-02</n:publication_date><n:title>One &amp; all</n:title></n:news>"
    )

    (record,) = read(urlset(entry("https://a.example/1", news), entry("https://a.example/2"))).records

    assert record.kind is RecordKind.ARTICLE
    assert {name: found.value for name, found in record.fields.items()} == {
        "title": "One & all",
        "url": "https://a.example/1",
        "published_at": "2026-03-02",
        "organisation": "The Day",
        "language": "en",
    }


def test_pictures_are_not_pages() -> None:
    picture = '<image:image xmlns:image="urn:i"><image:loc>https://a.example/i.png</image:loc></image:image>'

    assert locations(read(urlset(entry("https://a.example/1", picture)))) == ["https://a.example/1"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(gzip.compress(urlset(entry("https://a.example/1"))), id="gzipped"),
        pytest.param(gzip.compress(b"https://a.example/1\n"), id="a gzipped list"),
        pytest.param(b"\xef\xbb\xbfhttps://a.example/1\r\n\r\n", id="a list"),
        pytest.param(b"\xef\xbb\xbf" + urlset(entry("https://a.example/1")), id="behind a byte order mark"),
        pytest.param(b"\xff\xfe" + urlset(entry("https://a.example/1")).decode().encode("utf-16-le"), id="UTF-16"),
        pytest.param(b"\n\n" + urlset(entry("https://a.example/1")).partition(b"?>")[2], id="below empty lines"),
    ],
)
def test_d8_every_form_is_read(body: bytes) -> None:
    assert read(body) == Sitemap(entries=(SitemapEntry("https://a.example/1", None),))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(urlset(entry("https://a.example/1?a=1&amp;b=2"))[:-12], id="cut off"),
        pytest.param(gzip.compress(urlset(entry("https://a.example/1?a=1&amp;b=2")), 0)[:-20], id="cut gzip"),
        pytest.param(urlset(entry("https://a.example/1?a=1&amp;b=2")) + b"<br>", id="junk at the end"),
    ],
)
def test_what_can_be_read_of_a_broken_sitemap_is_read_with_a_warning(body: bytes) -> None:
    sitemap = read(body)

    assert locations(sitemap) == ["https://a.example/1?a=1&b=2"]
    assert sitemap.warnings[0].startswith("sitemap is not well-formed: ")


def test_a_bare_ampersand_does_not_change_an_address_wherever_a_piece_ends() -> None:
    entries = [entry(f"https://a.example/{n}?a=1&b=2&amp;c=3") for n in range(3_000)]

    assert {url.partition("?")[2] for url in locations(read(urlset(*entries)))} == {"a=1&b=2&c=3"}


def test_d8_a_sitemap_speaks_for_its_own_host() -> None:
    own = ["https://a.example/1", "https://www.a.example/2", "http://a.example/3"]
    foreign = ["https://b.example/4", "https://evil.example//a.example/"]

    sitemap = read_sitemap(urlset(*map(entry, own + foreign)), url=URL)

    assert locations(sitemap) == own
    assert sitemap.warnings == ("sitemap names 2 addresses of other hosts: left out",)


@pytest.mark.parametrize("slashes", ["//", "/\\", "/\\/"])
def test_d8_a_host_is_not_smuggled_in_behind_the_own_one(slashes: str) -> None:
    assert all(
        url.startswith("https://a.example/")
        for url in locations(read(urlset(entry(f"https://a.example{slashes}b.example/"))))
    )


def test_what_is_no_address_is_counted() -> None:
    assert read(urlset(entry("mailto:a@a.example"), entry("https://"))).warnings == (
        "sitemap names 2 invalid addresses: left out",
    )


def test_an_empty_sitemap_is_a_warning() -> None:
    assert read(urlset()).warnings == ("sitemap names nothing",)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzipped"])
def test_d8_50_000_addresses_are_enough_and_quick(pack: type[bytes]) -> None:
    lastmod = "<lastmod>2026-03-02</lastmod>"
    body = pack(urlset(*(entry(f"https://a.example/jobs/{n}", lastmod) for n in range(50_001))))
    started = time.process_time()

    sitemap = read(body)

    assert len(sitemap.entries) == 50_000
    assert sitemap.warnings == ("sitemap names more than 50000 addresses: the rest was left out",)
    assert time.process_time() - started < 20


def test_d8_a_gzip_bomb_is_inflated_only_so_far() -> None:
    bomb = gzip.compress(b"<urlset>" + bytes(60 * 1024 * 1024).replace(b"\0", b" "))
    started = time.process_time()

    assert read(bomb).entries == ()
    assert time.process_time() - started < 20


def test_d2_a_document_type_is_refused() -> None:
    laughs = b'<!DOCTYPE u [<!ENTITY a "https://a.example/">]><urlset><url><loc>&a;</loc></url></urlset>'

    assert read(laughs) == Sitemap(warnings=("sitemap refused: it has a document type",))


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=300), st.integers(0, 200))
def test_no_bytes_make_it_raise(junk: bytes, place: int) -> None:
    body = urlset(entry("https://a.example/1"))

    for tried in (junk, body[:place] + junk + body[place:], gzip.compress(body)[:place] + junk):
        assert len(read(tried).entries) <= 100
