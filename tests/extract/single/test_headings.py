"""What a page is called."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.headings import main_heading
from tests.extract.single.article_pages import PAGES, ArticlePage


def heading(body: str, *, title: str = "", head: str = "") -> str | None:
    page = parse_page(f"<head><title>{title}</title>{head}</head><body>{body}</body>", "https://a.example/x/y")
    found = main_heading(page)
    return found.text if found else None


@pytest.mark.parametrize(
    ("body", "title"),
    [
        pytest.param("<h1>Nurse</h1>", "", id="the only heading"),
        pytest.param("<h1>Nurse</h1>", "Acme", id="a title that is the site's name"),
        pytest.param("<h1><a href='/'>Acme</a></h1><h1>Nurse</h1>", "", id="the first leads home"),
        pytest.param("<h1>Acme</h1><h1>Nurse</h1>", "Nurse | Acme Careers", id="the title begins with the second"),
        pytest.param("<h1>Vacancy details</h1><h2>Nurse</h2>", "Nurse - Acme", id="a heading of the second rank"),
        pytest.param("<h1 class=site-title>Acme</h1><h2>Nurse</h2>", "Acme: Nurse", id="a class of the site's name"),
        pytest.param("<nav><h1>Menu</h1></nav><h1>Nurse</h1>", "", id="one in the menu"),
        pytest.param("<h1><img src=logo.png></h1><h2>News</h2>", "Nurse - Acme", id="only the title names it"),
        pytest.param("<h2>Nurse</h2><h3>Duties</h3><h4>Other</h4>", "Vacancy details", id="a title of every page"),
        pytest.param("<a href='/'>Acme</a><h2>Nurse</h2>", "Acme", id="the site's name above it"),
        pytest.param("<aside><h2>Menu</h2></aside><h3>Nurse</h3>", "Stellenangebot", id="a heading of the third rank"),
        pytest.param("<h2>Duties</h2>", "Nurse", id="a title that says something"),
        pytest.param("<h1>Nurse<a href='#x'>\u00b6</a></h1>", "", id="a mark to link by"),
    ],
)
def test_the_heading_that_names_the_page_is_chosen(body: str, title: str) -> None:
    assert heading(body, title=title) == "Nurse"


@pytest.mark.parametrize(
    ("body", "title"),
    [
        pytest.param("<h1>Acme Board, Ltd</h1><h3>Night nurse</h3>", "Jobs - Night nurse - Acme", id="a lower rank"),
        pytest.param("<h1>Night nurse</h1><h1>Pay</h1>", "A nurse by night. Pay", id="the same words in another order"),
    ],
)
def test_a_heading_that_the_title_has_in_it_is_chosen(body: str, title: str) -> None:
    assert heading(body, title=title) == "Night nurse"


def test_of_headings_of_one_rank_none_names_the_page() -> None:
    assert heading("<h2>Duties</h2><p>x</p><h2>Contact</h2>", title="Vacancy details") == "Vacancy details"


def test_the_name_of_the_site_is_not_the_name_of_the_page() -> None:
    site = '<meta property="og:site_name" content="Acme"><meta property="og:title" content="Nurse">'

    assert heading("<h1>Acme</h1>", title="Acme", head=site) == "Nurse"


def test_a_page_without_heading_and_title_has_no_name() -> None:
    assert heading("<p>text</p>") is None


def test_parts_side_by_side_are_parted_and_commas_are_not() -> None:
    assert heading("<h1><span>Nurse</span><span>Nairobi</span></h1>") == "Nurse Nairobi"
    assert heading("<h1>Nurse <em>senior</em>, Nairobi</h1>") == "Nurse senior, Nairobi"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_title_of_every_article_is_found(page: ArticlePage) -> None:
    found = main_heading(parse_page(page.html, "https://a.example/x/y"))

    assert found is not None
    assert found.text == page.title
