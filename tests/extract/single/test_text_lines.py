"""The lines that a reader sees."""

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.text_lines import TextLine, TextPosition, lines_of


def lines(body: str) -> list[TextLine]:
    return lines_of(parse_page(f"<body>{body}</body>", "https://a.example/x"))


def texts(body: str) -> list[str]:
    return [line.text for line in lines(body)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>one</p>two<div>three</div>", ["one", "two", "three"]),
        ("one<br>two", ["one", "two"]),
        ("<p>The <em>old</em> pier<b>s</b>.</p>", ["The old piers."]),
        ("<p><span>Location</span><span>Nairobi</span></p>", ["Location Nairobi"]),
        ("<p>  much \n white   space </p>", ["much white space"]),
        ("<p></p> <p> </p>", []),
    ],
)
def test_lines_are_as_they_are_shown(body: str, expected: list[str]) -> None:
    assert texts(body) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<nav>x</nav>",
        "<div class='post Comments'>x</div>",
        "<footer>x</footer>",
        "<div hidden>x</div>",
        "<div style='display: none'>x</div>",
        "<div aria-hidden=true>x</div>",
        "<div role=navigation>x</div>",
        "<div class='cookie-banner'>x</div>",
        "<section id=comments>x</section>",
        "<div><form>x</form></div>",
        "<!-- x -->",
    ],
)
def test_what_is_no_content_is_left_out(hidden: str) -> None:
    assert texts(f"<p>before</p>{hidden}<p>after</p>") == ["before", "after"]


@pytest.mark.parametrize(
    "frame", ["<form>", "<div class='has-comments comments'>", "<div class=sidebar>", "<div id=menu>"]
)
def test_whatever_holds_the_main_heading_is_content(frame: str) -> None:
    (heading, text) = lines(f"<div>{frame}<h1>Nurse</h1><p>text</p>")

    assert heading.in_content
    assert text.in_content


@pytest.mark.parametrize("beside", ["<aside>x</aside>", "<header>x</header>", "<div class=sidebar>x</div>"])
def test_what_stands_beside_the_content_says_so(beside: str) -> None:
    assert [line.spot.place for line in lines(f"<p>text</p>{beside}")] == [TextPosition.CONTENT, TextPosition.BESIDE]


def test_links_and_struck_texts_are_told_apart() -> None:
    (line,) = lines("<p><a href=/x>four</a> <del>49</del> 39</p>")

    assert (line.linked, line.struck, line.parts) == (4, "49", ("four", "49", "39"))


def test_e2_deep_pages_are_walked() -> None:
    assert texts("<div>" * 3_000 + "<p>deep</p>") == ["deep"]


def test_e2_endless_pages_are_bounded() -> None:
    assert len(lines("<p>x" * 200_000)) <= 150_000


def test_what_an_open_dialog_covers_is_still_content() -> None:
    covered = "<div aria-hidden=true><h1>Watch</h1></div><div aria-hidden=true><p>Brand: Acme</p></div>"

    assert texts(f"{covered}<div role=dialog>We value your privacy</div>")[:2] == ["Watch", "Brand: Acme"]
    assert texts("<h1>Watch</h1><p aria-hidden=true>*</p>") == ["Watch"]
