"""Articles: the level to hold is that of the best open extractor."""

import re
from collections import Counter

import pytest
import trafilatura
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.article import article_text, read_article
from lamplighter.extract.single.headings import Heading
from lamplighter.extract.single.text_lines import lines_of
from lamplighter.model.record import Method, RawRecord, RecordKind
from tests.extract.single.article_pages import (
    ENGLISH,
    FOOTER,
    MENU,
    PAGES,
    ArticlePage,
    document,
    news,
    p,
    paragraphs,
    wordpress,
)

URL = "https://a.example/n/1"
EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def read(html: str, wanted: RecordKind | None = RecordKind.ARTICLE, url: str = URL) -> list[RawRecord]:
    return read_article(parse_page(html, url), html, wanted)


def text_of(html: str) -> str:
    (record,) = read(html)
    return str(record.fields["text"].value)


def likeness(text: str, expected: str) -> float:
    """F1 of the runs of four words that two texts have in common."""
    ours, theirs = (
        Counter(zip(*(words[start:] for start in range(4)), strict=False))
        for words in (re.findall(r"[\u3040-\u9fff]|[^\W_]+", given) for given in (text, expected))
    )
    return 2 * sum((ours & theirs).values()) / max(1, sum(ours.values()) + sum(theirs.values()))


@EACH
def test_the_text_is_never_worse_than_the_best_open_extractors(page: ArticlePage) -> None:
    expected = "\n".join(page.blocks)

    ours = likeness(text_of(page.html), expected)

    assert ours >= likeness(trafilatura.extract(page.html, include_comments=False) or "", expected)
    assert ours >= 0.98


@EACH
def test_nothing_of_the_frame_is_in_the_text(page: ArticlePage) -> None:
    text = text_of(page.html)

    assert [noise for noise in page.noise if noise in text] == []


@EACH
def test_title_author_date_and_language_are_read(page: ArticlePage) -> None:
    (record,) = read(page.html)

    said = {name: found.value for name, found in record.fields.items()}

    assert said["title"] == page.title
    assert said["language"] == page.language
    assert said.get("author") == page.author
    if page.published:
        assert said["published_at"] == page.published


def test_paragraphs_stay_paragraphs() -> None:
    page = wordpress()

    assert set(page.blocks) <= set(text_of(page.html).split("\n"))


def test_every_value_says_where_it_was_found() -> None:
    (record,) = read(wordpress().html)

    assert record.fields["text"][1:] == (Method.ARTICLE, 0.60)
    assert record.fields["published_at"].method is Method.META
    assert record.fields["language"].method is Method.HTML


def test_an_article_is_known_without_being_told() -> None:
    (record,) = read(news().html, None)

    assert record.kind is RecordKind.ARTICLE


@pytest.mark.parametrize(
    ("body", "url"),
    [
        pytest.param(f"<h1>Our work</h1>{p(paragraphs())}", URL, id="prose without date or byline"),
        pytest.param(f"<h1>About us</h1><p>By Jane Doe</p>{p(paragraphs())}", URL, id="about us"),
        pytest.param(
            f"<h1>News</h1><time datetime='2026-01-01'></time>{p(paragraphs())}", URL, id="a listing's heading"
        ),
        pytest.param(f"<h1>Terms</h1><p>Updated 1 May 2026</p>{p(paragraphs())}", URL, id="terms"),
        pytest.param(f"<h1>Acme</h1><p>By Jane Doe</p>{p(paragraphs())}", "https://a.example/", id="the front page"),
    ],
)
def test_other_prose_is_no_article(body: str, url: str) -> None:
    assert read(document(f"{MENU}<main>{body}</main>{FOOTER}", title="Acme"), None, url) == []


@pytest.mark.parametrize("wanted", [RecordKind.JOB, RecordKind.PRODUCT])
def test_jobs_and_products_are_no_articles(wanted: RecordKind) -> None:
    assert read(news().html, wanted) == []


def test_a_page_without_prose_is_not_read() -> None:
    assert read(document(f"<h1>Links</h1>{MENU}", title="Links")) == []


def test_the_language_is_guessed_from_a_long_text_only_where_the_page_does_not_say_it() -> None:
    body = f"<h1>A pier</h1>{p(paragraphs())}"

    (guessed,) = read(f"<title>A pier</title>{body}")
    (said,) = read(f'<title>A pier</title><meta property="og:locale" content="en_GB">{body}')

    assert (guessed.fields["language"].value, guessed.fields["language"].confidence) == ("en", 0.50)
    assert said.fields["language"].value == "en-GB"


def test_our_own_reading_stands_in_where_the_other_finds_nothing() -> None:
    html = f"<main><h1>A pier</h1>{p(paragraphs())}</main>"

    text = article_text("", lines_of(parse_page(html, URL)), Heading("A pier", None, True))

    assert text == "\n".join(paragraphs())


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>" * 3_900 + f"<h1>A pier</h1>{p(paragraphs())}", id="nested"),
        pytest.param(f"<h1>A pier</h1>{p(paragraphs(count=2_000))}", id="long"),
        pytest.param(f"<h1>A pier</h1>{p(ENGLISH)}<table>" + "<tr><td>1<td>2" * 5_000, id="a long table"),
        pytest.param(f"<h1>A pier</h1>{p(ENGLISH)}<a title='{'x' * 1_000_000}'>", id="a long attribute"),
    ],
)
def test_e2_hostile_pages_are_read_within_bounds(html: str) -> None:
    (record,) = read(html)

    assert 0 < len(str(record.fields["text"].value)) <= 50_000


PIECES = [
    "<p>",
    "</p>",
    "<article>",
    "<h1>A pier</h1>",
    "\x00",
    "&#0;",
    "<br>",
    "<![CDATA[",
    "<?xml ",
    "</body>",
    "<table><tr>",
]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([*PIECES, *ENGLISH[:4]]) | st.text(max_size=10), max_size=30))
def test_no_page_makes_it_raise(parts: list[str]) -> None:
    assert len(read("".join(parts))) <= 1
