"""Only links that may be followed are found, absolute and normalised, in document order."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.links import anchors_of, as_links, is_asset
from lamplighter.model.reading import Link, PageRole
from lamplighter.model.recipe import EMPTY, Recipe

URL = "https://a.example/jobs/"


def found(html: str) -> list[str]:
    return [anchor.url for anchor in anchors_of(parse_page(html, URL))]


def test_links_are_resolved_and_normalised_in_document_order() -> None:
    html = "<a href=2?utm_source=x>b</a><map><area href=/z></map><a href=//b.example>c</a>"

    assert found(html) == ["https://a.example/jobs/2", "https://a.example/z", "https://b.example/"]


def test_base_is_respected() -> None:
    assert found("<base href=/other/><a href=x>") == ["https://a.example/other/x"]


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<a href=/x rel='noopener NoFollow'>", id="rel=nofollow"),
        pytest.param("<meta name=robots content=nofollow><a href=/x>", id="the page says nofollow"),
        pytest.param(
            "<a href='#top'><a href=mailto:a@b.example><a href=javascript:x()><a href=tel:1><a>", id="no page"
        ),
        pytest.param("<a href=ftp://a.example/x><a href=''>", id="nothing that we could ask"),
        pytest.param("<a href=/jobs/>", id="the page itself"),
        pytest.param("<a href=/a.PDF><a href=/b.css?v=1><a href=/c.tar.gz>", id="assets"),
        pytest.param(f"<a href='/{'x' * 10_000_000}'>", id="e2: an address of ten megabytes"),
    ],
)
def test_what_may_not_be_followed_is_left_out(html: str) -> None:
    assert found(html) == []


def test_ugc_and_sponsored_links_may_be_followed() -> None:
    assert found("<a rel='ugc sponsored' href=/x>") == ["https://a.example/x"]


@pytest.mark.parametrize(
    "url",
    ["https://a.zip/", "https://a.example/v1.2/x", "https://a.example/x?file=/a.pdf", "https://a.example/a.html"],
    ids=["a host", "a folder", "a parameter", "a page"],
)
def test_only_the_ending_of_the_path_makes_an_asset(url: str) -> None:
    assert not is_asset(url)


def test_a_link_is_given_once() -> None:
    assert as_links(["https://a.example/x"] * 2, next_page=None, recipe=EMPTY) == (Link(url="https://a.example/x"),)


def test_the_next_page_is_a_listing() -> None:
    links = as_links(["https://a.example/2", "https://a.example/x"], next_page="https://a.example/2", recipe=EMPTY)

    assert links == (Link(url="https://a.example/2", role=PageRole.LISTING), Link(url="https://a.example/x"))


def test_a_recipe_admits_what_it_includes_and_does_not_exclude_and_always_the_next_page() -> None:
    recipe = Recipe(include=("/jobs/",), exclude=("/jobs/old",))
    urls = ["https://a.example/about", "https://a.example/jobs/1", "https://a.example/jobs/old/2"]

    links = as_links(urls, next_page="https://a.example/p2", recipe=recipe)

    assert [link.url for link in links] == ["https://a.example/jobs/1", "https://a.example/p2"]
