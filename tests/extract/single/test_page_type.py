"""Articles are known by their head, their frame and their address."""

import pytest

from lamplighter.extract.html_page import HtmlPage, parse_page
from lamplighter.extract.single.page_type import is_article, is_story
from lamplighter.model.record import Finding, Method
from tests.extract.single.article_pages import document, p, paragraphs

URL = "https://a.example/x/pier"
TEXT = p(paragraphs())
DATED = "<meta property=og:type content=article><meta property=article:published_time content=2026-03-04>"
HEAD = f"{DATED}<meta property=og:title content='The pier'><meta property=article:section content=Harbour>"


def page(body: str, *, head: str = "", url: str = URL) -> HtmlPage:
    return parse_page(document(body, title="The pier", head=head), url)


@pytest.mark.parametrize(
    ("body", "head", "url"),
    [
        pytest.param(TEXT, DATED, URL, id="a date in the head"),
        pytest.param(TEXT, "", "https://a.example/blog/pier", id="a section of articles"),
        pytest.param(f"<article><h1>The pier</h1>{TEXT}</article>", "", URL, id="one long article"),
        pytest.param(f"<main><h1>The pier</h1>{TEXT}<pre>moor()</pre></main>", "", URL, id="code explained"),
    ],
)
def test_an_article_is_known(body: str, head: str, url: str) -> None:
    assert is_article(page(body, head=head, url=url), {})


@pytest.mark.parametrize(
    ("body", "head", "url"),
    [
        pytest.param(f"<main><h1>The pier</h1>{TEXT}</main>", "", URL, id="prose alone"),
        pytest.param(f"<article class='page type-page'><h1>The pier</h1>{TEXT}</article>", DATED, URL, id="no post"),
        pytest.param(TEXT, DATED, "https://a.example/events/pier", id="an event"),
        pytest.param(TEXT, DATED, "https://a.example/careers", id="the front of a section"),
        pytest.param(TEXT, "<meta name=author content=Acme>", URL, id="a site's name as its author"),
    ],
)
def test_other_pages_are_none(body: str, head: str, url: str) -> None:
    assert not is_article(page(body, head=head, url=url), {})


def test_a_name_that_is_guessed_makes_no_article() -> None:
    guessed, shown = (Finding("Jane Doe", Method.LABELS, confidence) for confidence in (0.5, 0.65))

    assert not is_article(page(TEXT), {"author": guessed})
    assert is_article(page(TEXT), {"author": shown})


def test_a_story_needs_a_head_that_says_so_and_much_to_read() -> None:
    assert is_story(page(f"<h1>The pier</h1>{TEXT}", head=HEAD))
    assert not is_story(page(f"<h1>The pier</h1>{TEXT}"))
    assert not is_story(page("<h1>The pier</h1><p>It fell.</p>", head=HEAD))
    assert not is_story(page(f"<h1>The pier</h1>{TEXT}", head=HEAD, url="https://a.example/jobs/pilot"))
