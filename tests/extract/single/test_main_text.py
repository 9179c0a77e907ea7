"""Where the running text of a page stands, and whether there is any."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.main_text import LONGEST_TEXT, has_prose, joined, main_lines, prose_length
from lamplighter.extract.single.text_lines import lines_of
from tests.extract.single.article_pages import ENGLISH, FOOTER, MENU, PAGES, ArticlePage, document, p, paragraphs

URL = "https://a.example/x"


def text(html: str) -> str:
    return joined(main_lines(lines_of(parse_page(html, URL))))


def prosaic(body: str) -> bool:
    return has_prose(parse_page(document(f"{MENU}{body}{FOOTER}", title="x"), URL))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_most_of_every_article_and_none_of_its_noise_is_read(page: ArticlePage) -> None:
    lines = text(page.html).split("\n")

    # Rows of tables are read cell by cell.
    assert sum(block in lines for block in page.blocks) >= 0.6 * len(page.blocks)
    assert not any(noise in line for noise in page.noise for line in lines)


def test_a_section_of_short_items_is_kept_beside_one_long_paragraph() -> None:
    items = "<h2>Duties</h2><ul><li>Nursing</li><li>Teaching</li></ul>"

    assert text(f"<main><div>{p(paragraphs(count=1, each=6))}{items}</div></main>").endswith(
        "Duties\nNursing\nTeaching"
    )


def test_a_page_without_prose_has_no_text() -> None:
    assert text(document(MENU, title="x")) == ""


def test_a_text_is_bounded() -> None:
    assert len(text("<p>" + "word " * 50_000)) <= LONGEST_TEXT


def test_links_are_no_prose() -> None:
    linked = lines_of(parse_page(f"<p><a href=/x>{ENGLISH[0]}</a></p><p>{ENGLISH[1]}</p>", URL))

    assert prose_length(linked) == len(ENGLISH[1])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_articles_are_worth_reading(page: ArticlePage) -> None:
    assert has_prose(parse_page(page.html, URL))


CARD = f"<div><h3><a href='/n'>News</a></h3><p>{ENGLISH[0]} {ENGLISH[2]} {ENGLISH[4]}</p></div>"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("", id="menus alone"),
        pytest.param(CARD * 20, id="cards with teasers"),
        pytest.param(
            "<table>" + "<tr><td><a href='/j'>Nurse</a></td><td>Nairobi</td></tr>" * 50 + "</table>", id="rows"
        ),
        pytest.param(f"<ul>{f'<li><a href=/j>Nurse</a><div>{ENGLISH[0]}</div></li>' * 30}</ul>", id="items"),
    ],
)
def test_listings_are_not(body: str) -> None:
    assert not prosaic(body)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.sampled_from(["<p>", "<div>", "</div>", "<br>", "<span>", ENGLISH[0], "<td>", "<form>", "x"]), max_size=40
    )
)
def test_no_page_makes_it_raise(parts: list[str]) -> None:
    page = parse_page("".join(parts), URL)

    assert has_prose(page) in (True, False)
    assert main_lines(lines_of(page)) is not None
