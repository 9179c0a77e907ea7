"""Any body in, a reading out."""

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.errors import BadUrl
from lamplighter.extract.ladder import read
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.reading import PageRole, Reading
from lamplighter.model.recipe import EMPTY, Recipe
from lamplighter.model.record import RecordKind

URL = "https://a.example/jobs/7"
JOB = json.dumps({"@type": "JobPosting", "title": "Nurse", "hiringOrganization": {"name": "Acme"}})
PAGE = f"""<!doctype html><html lang=en><title>Nurse at Acme</title><link rel=canonical href=/jobs/7>
<link rel=alternate type=application/rss+xml href=/rss><script type="application/ld+json">{JOB}</script>
<h1>Nurse</h1><a href=/jobs/8>Cook</a><a href=/jobs/list?page=2>Next</a>"""
FEED = """<rss version='2.0'><channel><title>T</title><lastBuildDate>{}</lastBuildDate>
<item><title>A</title><link>/a</link></item></channel></rss>"""


def read_html(
    html: str, recipe: Recipe = EMPTY, kind: RecordKind | None = None, robots_tag: str | None = None
) -> Reading:
    return read(html.encode(), url=URL, content_type="text/html", recipe=recipe, kind=kind, robots_tag=robots_tag)


def test_a_page_is_read_in_full() -> None:
    reading = read_html(PAGE)

    assert (reading.method, reading.title, reading.language) == ("jsonld", "Nurse at Acme", "en")
    assert reading.records[0].fields["organisation"].value == "Acme"
    assert [(link.url, link.role) for link in reading.links] == [
        ("https://a.example/jobs/8", PageRole.LINK),
        ("https://a.example/jobs/list?page=2", PageRole.LISTING),
    ]
    assert reading.next_page == "https://a.example/jobs/list?page=2"
    assert reading.feeds == ("https://a.example/rss",)
    assert reading.canonical == reading.records[0].fields["url"].value == URL
    assert reading.warnings == ()


def test_recipe_and_jsonld_complete_each_other() -> None:
    reading = read_html(PAGE, parse_recipe({"fields": {"title": "h1", "location": "title"}}))

    (record,) = reading.records
    assert (reading.method, record.kind) == ("recipe", RecordKind.JOB)
    assert {"location", "organisation"} <= record.fields.keys()


def test_records_of_another_kind_than_the_sources_are_left_out() -> None:
    assert read_html(PAGE, kind=RecordKind.PRODUCT).records == ()
    assert len(read_html(PAGE, kind=RecordKind.JOB).records) == 1


@pytest.mark.parametrize(
    ("html", "header"),
    [
        ("<meta name=robots content=noindex>" + PAGE, None),
        (PAGE, "noindex"),
        (PAGE, "otherbot: all\nlamplighterbot: none"),
    ],
    ids=["meta", "header", "header to us"],
)
def test_e4_a_page_that_asks_not_to_be_indexed_is_marked(html: str, header: str | None) -> None:
    assert read_html(html, robots_tag=header).directives.noindex


def test_e4_nofollow_in_the_header_leaves_no_way_on() -> None:
    reading = read_html(PAGE, robots_tag="nofollow")

    assert (reading.links, reading.next_page, reading.feeds) == ((), None, ())
    assert len(reading.records) == 1


def test_e4_another_robots_header_is_ignored() -> None:
    assert not read_html(PAGE, robots_tag="otherbot: noindex, nofollow").directives.noindex


def test_a_feed_is_read_and_its_entries_are_links() -> None:
    reading = read(FEED.encode(), url=URL, content_type="application/rss+xml")

    assert (reading.method, reading.title) == ("feed", "T")
    assert reading.records[0].kind is RecordKind.ARTICLE
    assert [link.url for link in reading.links] == ["https://a.example/a"]


def test_a_feed_may_be_of_another_kind() -> None:
    assert read(FEED.encode(), url=URL, content_type=None, kind=RecordKind.JOB).records[0].kind is RecordKind.JOB


def test_e5_the_hash_of_a_feed_does_not_depend_on_its_build_date() -> None:
    first, second = (read(FEED.format(day).encode(), url=URL, content_type=None) for day in ("1 May", "2 May"))

    assert first.content_hash == second.content_hash


def test_e5_the_hash_of_a_page_depends_on_what_it_shows() -> None:
    def seen(html: str) -> str:
        return read_html(html).content_hash

    assert seen("<p>a  b<script>1</script><input value=1>") == seen("<p>a\nb<script>2</script><input value=2>")
    assert seen("<p>a b") != seen("<p>a c")


def test_a_json_answer_is_read_with_and_without_a_recipe() -> None:
    body = json.dumps({"results": [{"title": "A", "url": "/a", "x": "X"}], "next": "/p2"}).encode()
    recipe = parse_recipe({"items": "results", "fields": {"title": "x"}})

    guessed, by_recipe = (read(body, url=URL, content_type="application/json", recipe=r) for r in (EMPTY, recipe))

    assert [(link.url, link.role) for link in guessed.links] == [
        ("https://a.example/a", PageRole.LINK),
        ("https://a.example/p2", PageRole.LISTING),
    ]
    assert (by_recipe.method, by_recipe.records[0].fields["title"].value) == ("recipe", "X")


def test_a_json_feed_is_a_feed() -> None:
    body = b'{"version": "https://jsonfeed.org/version/1", "items": [{"id": "1", "title": "A", "url": "/a"}]}'

    assert read(body, url=URL, content_type="application/feed+json").method == "feed"


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        (b"%PDF-1.4", "binary"),
        (b'{"a": ', "JSON is broken"),
        (b"<?xml version='1.0'?><urlset/>", "names nothing"),
        (b" ", "empty"),
        (b"<div>" * 100_000, "page not parsed"),
    ],
    ids=["PDF", "cut JSON", "sitemap", "nothing", "e2: too deep"],
)
def test_what_cannot_be_read_says_so_and_still_has_a_hash(body: bytes, warning: str) -> None:
    reading = read(body, url=URL, content_type=None)

    assert warning in reading.warnings[0]
    assert len(reading.content_hash) == 64


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<div>" * 100_000, id="100,000 nested blocks"),
        pytest.param(b"<ul><li>" * 100_000, id="nested lists"),
        pytest.param(b"<b><i><a><div>" * 25_000 + b"</b></i>" * 25_000, id="misnested formatting"),
        pytest.param(b"<span>" * 3_000, id="as deep as is let through"),
        pytest.param(b"<a href='" + b"x" * 10_000_000 + b"'>y</a>", id="an attribute of 10 MB"),
        pytest.param(b"<a class='next " + b"pag" * 3_000_000 + b"' href=/x>y</a>", id="a class of 9 MB"),
        pytest.param(b"<a " + b"x" * 10_000_000 + b"=1>", id="a name of 10 MB"),
        pytest.param(b"<a " + b" ".join(b"x%d" % n for n in range(100_000)) + b">", id="100,000 attributes"),
        pytest.param(b"<!--" * 200_000, id="comments that never end"),
        pytest.param(b"<rss><channel>" + b"<item>" * 10_000, id="nested entries"),
        pytest.param(b"[" * 1_000_000, id="nested JSON"),
    ],
)
def test_e2_a_hostile_body_costs_little(body: bytes) -> None:
    started = time.process_time()

    read(body, url=URL, content_type=None)

    assert time.process_time() - started < 20


def test_only_an_impossible_address_raises() -> None:
    with pytest.raises(BadUrl):
        read(b"", url="no url", content_type=None)


RECIPE = parse_recipe(
    {"items": "div, a", "fields": {"title": "", "url": "a", "x": {"selector": "p", "pattern": "a(.*)"}}}
)


@settings(deadline=None, max_examples=300)
@given(
    st.binary(max_size=300), st.sampled_from([None, "text/html", "application/json", "text/xml; charset=utf-16", "x/y"])
)
def test_no_bytes_make_it_raise(body: bytes, content_type: str | None) -> None:
    assert read(body, url=URL, content_type=content_type, recipe=RECIPE).content_hash


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from([PAGE.encode(), FEED.encode(), b'{"items": [{"title": "A", "url": "/a"}], "next": "/b"}']),
    st.lists(st.tuples(st.integers(0, 600), st.integers(0, 20), st.binary(max_size=6)), max_size=6),
)
def test_no_mutation_makes_it_raise(body: bytes, cuts: list[tuple[int, int, bytes]]) -> None:
    for start, length, instead in cuts:
        body = body[:start] + instead + body[start + length :]

    assert read(body, url=URL, content_type="text/html", recipe=RECIPE) == read(
        body, url=URL, content_type="text/html", recipe=RECIPE
    )


def test_a_wall_gives_no_records_whatever_the_site_writes_into_all_its_pages() -> None:
    html = (
        "<title>Page not found</title><h1>Page not found</h1><p>Sorry, there is nothing here."
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Lamps lit again"}</script>'
    )

    reading = read_html(html)

    assert (reading.obstacle, reading.records) == ("a page-not-found page", ())


@pytest.mark.parametrize(
    ("expects", "body", "warned"),
    [
        pytest.param("feed", b"<rss version='2.0'><channel><title>T</title></channel></rss>", False, id="a feed"),
        pytest.param("feed", b'{"version": "https://jsonfeed.org/version/1.1", "items": []}', False, id="a JSON feed"),
        pytest.param("feed", b"<html><body><p>Moved</p></body></html>", True, id="a page where a feed was"),
        pytest.param("json", b'[{"title": "Pilot", "url": "/1"}]', False, id="an API"),
        pytest.param("json", b"<html><body><p>Down</p></body></html>", True, id="a page where an API was"),
    ],
)
def test_a_recipe_that_expects_something_else_warns(expects: str, body: bytes, warned: bool) -> None:
    recipe = parse_recipe({"expects": expects})

    reading = read(body, url="https://a.example/", content_type=None, recipe=recipe)

    assert any(warning.startswith(f"recipe: expects {expects}") for warning in reading.recipe_warnings) is warned


def test_a_page_that_says_the_same_is_not_read_again() -> None:
    def again(html: str, **how: Any) -> Reading:
        return read(html.encode(), url=URL, content_type="text/html", seen=read_html(PAGE).seen_hash, **how)

    assert again(PAGE + "<!-- 16:05:07 -->") == Reading(is_same=True, seen_hash=read_html(PAGE).seen_hash)
    for other in (
        again(PAGE.replace("Cook", "Driver")),
        again(PAGE, kind=RecordKind.JOB),
        again(PAGE, robots_tag="noindex"),
    ):
        assert not other.is_same
        assert other.records
