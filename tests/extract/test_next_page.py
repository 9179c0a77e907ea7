"""The next page of a listing is found by recipe, rel, label or number, in this order."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.links import anchors_of
from lamplighter.extract.next_page import next_page
from lamplighter.model.recipe import EMPTY, Recipe

URL = "https://a.example/jobs?page=2"


def found(html: str, url: str = URL, recipe: Recipe = EMPTY) -> str | None:
    page = parse_page(html, url)
    return next_page(page, anchors_of(page), recipe)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<link rel=next href=/n><a rel=next href=/other>", id="link rel=next"),
        pytest.param("<a href=/other>Next</a><a rel='next nofoo' href=/n>", id="a rel=next before any label"),
        pytest.param("<a href=/other>1</a><a href=/n> Next » </a>", id="English"),
        pytest.param("<a href=/n><span>Nächste</span> Seite</a>", id="German"),
        pytest.param("<a href=/n>Page suivante</a>", id="French"),
        pytest.param("<a href=/n>SIGUIENTE</a>", id="Spanish"),
        pytest.param("<a href=/n>Próxima</a>", id="Portuguese"),
        pytest.param("<a href=/n>Следующая →</a>", id="Russian"),
        pytest.param("<a href=/n>дальше</a>", id="Russian, on"),
        pytest.param("<a href=/n>← Older posts</a><a href=/n>Older posts</a>", id="a blog's older posts"),
        pytest.param("<a href=/n aria-label='Next page'><svg></svg></a>", id="by aria-label"),
        pytest.param("<a href=/n>›<span class=sr-only>Next page of results</span></a>", id="an arrow and spoken words"),
        pytest.param("<a href=/n class='btn pagination-next'>2</a>", id="by class"),
        pytest.param("<a href=/n class=next>2</a>", id="by the plain class"),
        pytest.param("<a href=/last>»</a><a href=/n>&rsaquo;</a>", id="the single arrow before the double one"),
        pytest.param("<a href=/n>»</a>", id="the double arrow alone"),
        pytest.param("<a href=/n>»</a><a href=/last title='Letzte Seite'>»</a>", id="of two arrows not the last page"),
    ],
)
def test_the_next_page_is_recognised(html: str) -> None:
    assert found(html) == "https://a.example/n"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<a href=/n rel=nofollow>Next</a>", id="nofollow on the link"),
        pytest.param("<meta name=robots content=nofollow><a href=/n rel=next>", id="nofollow on the page"),
        pytest.param("<a href=https://b.example/n>Next</a>", id="another host"),
        pytest.param("<a href=/n class='next disabled'>Next</a>", id="disabled"),
        pytest.param("<a href=/n class=slick-next>", id="a slide, not a page"),
        pytest.param("<a href='/jobs?page=2'>Next</a>", id="the page itself"),
        pytest.param("<a href=/last class=pager__last>»</a>", id="the last page"),
        pytest.param("<button data-url='/jobs?page=3'>Map</button>", id="what else a script asks for"),
        pytest.param("<a href=/n>Next steps for applicants</a>", id="a sentence that starts so"),
    ],
)
def test_what_only_looks_like_the_next_page_is_not(html: str) -> None:
    assert found(html) is None


@pytest.mark.parametrize(
    ("url", "href", "expected"),
    [
        pytest.param("/jobs?page=2", "?page=3", True, id="counted on by one"),
        pytest.param("/jobs?page=2", "?page=4", False, id="not by two"),
        pytest.param("/jobs", "/jobs?page=2", True, id="without a number it is the first"),
        pytest.param("/jobs?q=x&page=2", "/jobs?page=3&q=x", True, id="the other parameters stay"),
        pytest.param("/jobs?q=x&page=2", "/jobs?page=3&q=y", False, id="or it is another listing"),
        pytest.param("/jobs?page=2", "/news?page=3", False, id="another path"),
        pytest.param("/jobs", "/jobs?page=2&page-items=15", True, id="the number of rows may be added"),
        pytest.param("/jobs?q=x", "/jobs?page=2&sort=new", False, id="but nothing may be lost"),
    ],
)
def test_the_page_number_counts_on(url: str, href: str, expected: bool) -> None:
    assert (found(f"<a href='{href}'>x</a>", f"https://a.example{url}") is not None) is expected


@pytest.mark.parametrize(
    ("url", "link", "expected"),
    [
        pytest.param("/jobs", "<a href='?b_start:int=8'>Successivi 8 elementi »</a>", True, id="the next of so many"),
        pytest.param("/jobs", "<a href='/episodes'>Next steps</a>", False, id="the next of something else"),
        pytest.param("/jobs/7", "<a href='/jobs/8'>Next job</a>", False, id="the next thing is no page"),
        pytest.param("/jobs", "<a href='?start=20'>2</a><a href='?start=40'>3</a>", True, id="rows are counted"),
        pytest.param("/jobs?start=20", "<a href='?start=0'>1</a><a href='?start=40'>3</a>", True, id="and counted on"),
        pytest.param("/jobs", "<a href='?from=2025'>2025</a>", False, id="a year is no row"),
        pytest.param("/jobs?start=20", "<a href='?start=60'>4</a>", False, id="no page is left out"),
        pytest.param("/jobs", "<a href='/jobs/page/2/'>2</a>", True, id="the path has a number"),
        pytest.param("/jobs/page/2/", "<a href='/jobs/page/3/'>3</a>", True, id="the path is counted on"),
        pytest.param("/jobs/page/2/", "<a href='/news/page/3/'>3</a>", False, id="the path of another listing"),
        pytest.param("/jobs", "<a href='/jobs?after=x7'>Load more</a>", True, id="more of the same"),
        pytest.param("/episodes", "<a href='/episodes?before=104'>Older episodes</a>", True, id="older ones"),
        pytest.param("/jobs", "<a href='/news'>Load more</a>", False, id="more of something else"),
        pytest.param("/jobs?page=2", "<a href='/jobs?page=1'>Previous page</a>", False, id="the previous page"),
        pytest.param("/jobs", "<button data-url='/jobs?from=20'>Show more</button>", True, id="by a script"),
        pytest.param("/jobs", "<a href='#' hx-get='/jobs?after=x7'>Load more</a>", True, id="by another script"),
        pytest.param("/jobs", "<a href='/jobs?pn=2'>2</a>", True, id="by a short name"),
    ],
)
def test_a_listing_goes_on(url: str, link: str, expected: bool) -> None:
    assert (found(link, f"https://a.example{url}") is not None) is expected


def test_a_number_that_counts_on_is_surer_than_a_double_arrow() -> None:
    html = "<a href='?start=0'>1</a><a href='?start=20'>2</a><a href='?start=40'>3</a><a href='?start=980'>»</a>"

    assert found(html, "https://a.example/jobs") == "https://a.example/jobs?start=20"


def test_the_recipe_decides_alone() -> None:
    html = "<a rel=next href=/wrong></a><div class=more><a href=/n>x</a></div>"

    assert found(html, recipe=Recipe(next="div.more")) == "https://a.example/n"
    assert found(html, recipe=Recipe(next="div.none")) is None


def test_an_excluded_next_page_is_none() -> None:
    assert found("<a rel=next href=/n></a>", recipe=Recipe(exclude=("/n$",))) is None
