"""The body of an article, and what stands around and within it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.body_text import body_lines, body_of
from lamplighter.extract.single.text_lines import TextLine, lines_of
from tests.extract.single.article_pages import p, paragraphs

TITLE = "The pier"
TEXTS = paragraphs(count=6)
QUOTE = "closed since the storm two winters ago"


def lines(body: str) -> list[TextLine]:
    return lines_of(parse_page(f"<body>{body}</body>", "https://a.example/n/1"))


def body(page: str, *, left_out: str = "") -> list[str]:
    """What is left of a reading of the whole page, but for one line that the reader left out."""
    read = lines(page)
    text = "\n".join(line.text for line in read if line.text != left_out)
    return body_of(text, read, TITLE).split("\n")


@pytest.mark.parametrize(
    ("before", "within", "after"),
    [
        pytest.param("<p>Press release no. 58</p>", "", "", id="above the heading"),
        pytest.param("", "<div><p>MORE</p><a href='/b'>The festival has no home</a></div>", "", id="a box with a link"),
        pytest.param("", "<div><p>Enjoying this?</p><a href='/s'>Order a copy</a></div>", "", id="an appeal"),
        pytest.param("", f"<div><q>{QUOTE}</q></div>", "", id="a pull quote"),
        pytest.param("", f"<blockquote class=pullquote><p>{QUOTE}</p></blockquote>", "", id="one in its element"),
        pytest.param(
            "", "", "<div><p><b>Jane Doe</b> writes about piers and lives by the sea.</p></div>", id="biography"
        ),
        pytest.param(
            "", "", "<div><h3>Comments</h3><p>I saw it in 2009 and I laugh to this day.</p></div>", id="comments"
        ),
        pytest.param("", "", "<div><h3>Medienkontakt</h3><p>Pressestelle<br>Tel. 0000 555</p></div>", id="contact"),
        pytest.param(
            "", "", "<section><h2>Weitere</h2><ul><li>8.5. <a href=/x>Mensa</a></li></ul></section>", id="more"
        ),
    ],
)
@pytest.mark.parametrize("is_framed", [True, False], ids=["in an element of its own", "beside the heading"])
def test_only_the_body_is_left(before: str, within: str, after: str, is_framed: bool) -> None:
    text = f"{p(TEXTS[:3])}{within}{p(TEXTS[3:])}"
    page = f"{before}<h1>{TITLE}</h1>{f'<div class=text>{text}</div>' if is_framed else text}{after}"

    assert body(page) == list(TEXTS)


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param("<h2>A lesson in timber</h2>", id="a heading"),
        pytest.param("<ul><li>Take the bow line first</li></ul>", id="a list"),
        pytest.param("<blockquote>I have never had a desk.</blockquote>", id="somebody quoted"),
        pytest.param("<div><pre>index = {}</pre></div>", id="code"),
        pytest.param("<p><a href='/r'>The whole report is here</a></p>", id="a paragraph that is a link"),
    ],
)
def test_parts_of_the_body_stay(kept: str) -> None:
    page = f"<h1>{TITLE}</h1><div>{p(TEXTS[:3])}{kept}{p(TEXTS[3:])}</div>"

    assert len(body(page)) == len(TEXTS) + 1


def test_a_second_element_of_the_same_kind_is_more_of_the_body() -> None:
    first, second = (f"<div class=part>{p(texts)}</div>" for texts in (TEXTS[:5], TEXTS[5:]))
    page = f"<h1>{TITLE}</h1>{first}<p>An advertisement</p>{second}"

    assert body(page) == list(TEXTS)


def test_a_heading_that_the_reader_left_out_is_put_back_in_its_place() -> None:
    page = f"<h1>{TITLE}</h1>{p(TEXTS[:3])}<h3>Four minutes</h3>{p(TEXTS[3:])}"

    assert body(page, left_out="Four minutes") == [*TEXTS[:3], "Four minutes", *TEXTS[3:]]


def test_a_text_without_a_body_is_left_as_it_is() -> None:
    cards = "".join(f"<div><h3>Card</h3>{p([text])}</div>" for text in TEXTS)

    assert len(body(f"<h1>{TITLE}</h1>{cards}")) == 1 + 2 * len(TEXTS)


def test_a_body_is_prose_side_by_side() -> None:
    story = f"<h1>{TITLE}</h1>{p(TEXTS)}"
    cards = f"<h1>{TITLE}</h1>" + "".join(f"<div><p>{text}</p></div>" for text in TEXTS)

    assert [line.text for line in body_lines(lines(story), TITLE)] == list(TEXTS)
    assert not body_lines(lines(cards), TITLE)


def test_e2_deep_pages_are_bounded() -> None:
    page = f"<h1>{TITLE}</h1>{p(TEXTS)}{'<div>' * 20_000}<p>{TEXTS[0]}</p>"

    assert TEXTS[-1] in body(page)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(["<div>", "</div>", "<p>", f"<p>{TEXTS[0]}", TEXTS[1], "<a href=/>x</a>", "<h2>A</h2>"]))
)
def test_no_page_makes_it_raise(parts: list[str]) -> None:
    assert body("".join(parts)) is not None
