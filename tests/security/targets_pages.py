"""Fuzz targets: what a site says in its pages: HTML, feeds, sitemaps, JSON, and recipes that read them."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import orjson

from lamplighter.errors import BadRecipe
from lamplighter.extract.feeds.feed import read_feed
from lamplighter.extract.ladder import read
from lamplighter.extract.recipes.patterns import compiled, search
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.extract.sitemaps.sitemap import read_sitemap
from lamplighter.extract.structured import loose_json
from lamplighter.model.reading import Reading
from lamplighter.model.record import Record, RecordKind
from lamplighter.normalise.records import to_records
from lamplighter.rules.pages import page_text
from lamplighter.rules.urls.urls import normalise
from tests.security.target import Target, text_of

_URL = "https://a.example/jobs/"
_NOW = datetime(2026, 3, 1, 8, tzinfo=UTC)
PAGE = b"""<!doctype html><html lang=en><title>Jobs</title><base href=/b/><meta name=robots content=nofollow>
<script type="application/ld+json">{"@type":"JobPosting","title":"Nurse","datePosted":"2026-02-01"}</script>
<ul class=jobs><li><a href=1>Nurse</a> Kyiv, closing 1 March<li><a href=2>Cook</a> Oslo, \xe2\x82\xac 20</ul>
<div itemscope itemtype=https://schema.org/Product><b itemprop=name>Lamp</b></div><a rel=next href=?p=2>Next</a>"""
_FEED = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><ttl>60</ttl><item><title>A</title>
<link>/a</link><guid>1</guid><pubDate>Mon, 02 Mar 2026 08:00:00 GMT</pubDate></item></channel></rss>"""
_SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>
<loc>https://a.example/jobs/1</loc><lastmod>2026-02-30T25:00Z</lastmod></url></urlset>"""
_JSON = b'{"data":[{"title":"Nurse","url":"/1","tags":[{"name":"a"}],"salary":1e400}],"next":"?p=2","n":NaN}'
_RECIPE = b"""{"items":".jobs li","fields":{"title":{"selector":"a","pattern":"(.*)"},"url":"a@href",
"tags":{"selector":"b","many":true}},"next":"a.next","include":["/jobs/\\\\d+"],"ignore":[".ad"]}"""


def is_sound(reading: Reading) -> None:
    """What every reading promises: links that can be asked for, records that can be written down."""
    for link in reading.links:
        assert normalise(link.url) == link.url
    for url in filter(None, (reading.next_page, reading.canonical, *reading.feeds)):
        assert url.startswith(("http://", "https://")), url
    for found in to_records(reading.records, page_url=_URL, source_url=_URL, language=reading.language, seen_at=_NOW):
        if isinstance(found, Record):
            assert found.title.strip()
            assert found.url.startswith(("http://", "https://")), found.url
            orjson.dumps(found.fields)


def _play_as(content_type: str) -> Any:
    def play(data: bytes) -> None:
        """Any bytes are read, twice alike."""
        reading = read(data, url=_URL, content_type=content_type)
        is_sound(reading)
        assert read(data, url=_URL, content_type=content_type).content_hash == reading.content_hash

    return play


def play_feed(data: bytes) -> None:
    """A feed is read however broken it is; one that declares entities is not."""
    text = text_of(data)
    feed = read_feed(text, url=_URL, kind=RecordKind.ARTICLE)
    assert not (feed.records and "<!entity" in text.lower())


def play_sitemap(data: bytes) -> None:
    """The entries of a sitemap are of its own host."""
    sitemap = read_sitemap(data, url=_URL)
    for url in (*(entry.url for entry in sitemap.entries), *sitemap.children):
        assert url.startswith("https://a.example/"), url


def play_loose_json(data: bytes) -> None:
    """What is nearly JSON is a value, or refused as JSON is."""
    for reader in (loose_json.loads, loose_json.mend, loose_json.literal):
        with suppress(ValueError):
            reader(text_of(data))


def play_recipe(data: bytes) -> None:
    """A recipe is refused by name, or read, written and read again as the same, and reads any page."""
    try:
        recipe = parse_recipe(orjson.loads(data))
    except (BadRecipe, orjson.JSONDecodeError):
        return
    assert parse_recipe(recipe_to_json(recipe)) == recipe
    is_sound(read(PAGE, url=_URL, content_type="text/html", recipe=recipe))
    is_sound(read(_JSON, url=_URL, content_type="application/json", recipe=recipe))


def play_pattern(data: bytes) -> None:
    """A pattern that is accepted ends soon, also on the text that suits it least."""
    pattern = text_of(data)
    try:
        compiled(pattern)
    except ValueError:
        return
    for letter in "a0 ":
        search(pattern, letter * 6_000 + "!")


def play_readable(data: bytes) -> None:
    """A page becomes lines of text, none of them empty."""
    lines = page_text.readable(text_of(data)).split("\n")
    assert lines == [""] or all(line.strip() for line in lines)


TARGETS = (
    Target("html", _play_as("text/html"), (PAGE, b"<table><tr><td>a<svg><![CDATA[<", b"<p>" * 50)),
    Target("json", _play_as("application/json"), (_JSON, b"[[[[", b'{"items":[{"name":"a","url":"javascript:1"}]}')),
    Target("body", _play_as(""), (PAGE, _FEED, _SITEMAP, _JSON, b"%PDF-1.4", b"\x1f\x8b\x08")),
    Target("feed", play_feed, (_FEED, b"<feed xmlns='http://www.w3.org/2005/A'><entry><title type=html>", b"<!ENTITY")),
    Target("sitemap", play_sitemap, (_SITEMAP, b"https://a.example/1\nhttps://b.example/", b"<sitemapindex><sitemap>")),
    Target("loose_json", play_loose_json, (b'{a: 1, /* b */ "c": [1,], }', b"{'a': undefined}", _JSON)),
    Target("recipe", play_recipe, (_RECIPE, b'{"items":"data","fields":{"title":"title"},"api":{"params":{"a":"b"}}}')),
    Target("pattern", play_pattern, (b"Due: (.*)", b"(?:a?){19}x", b"a{0,9}(b|c)*", b"(?=a)[^x]+?$", b"(?i:\\w+)\\d")),
    Target("readable", play_readable, (PAGE, b"<script>a</script><pre> b\n")),
)
