"""What somebody means who presses an element."""

import pytest

from lamplighter.extract.teaching.learning import learn
from lamplighter.extract.teaching.lesson import Example, TextExample
from lamplighter.extract.teaching.places import numbered, pointed_at
from lamplighter.extract.teaching.pressing import pressed

PAGE = numbered(
    "<main><ul>"
    + "".join(
        f"<li><h3><a href=/{n}>Nurse {n}</a></h3><i>Goma, DR Congo</i><time>{n} May 2027</time>"
        f"<p>Apply by {n} June 2027</p><span>EUR {n}.50</span><em>Lamps Ltd</em></li>"
        for n in range(1, 6)
    )
    + "</ul><p><a href=?page=2>Next</a> <a href=/other>Another post</a></p></main>"
)


def _at(text: str) -> int:
    return pointed_at(PAGE, [TextExample("title", text)])[0].place


def _pressed(text: str, *before: Example, meaning: str = "") -> list[Example]:
    return pressed(PAGE, before, _at(text), learn(PAGE, before), meaning=meaning)


def _first() -> Example:
    return Example("title", _at("Nurse 1"))


def test_the_first_press_is_a_title() -> None:
    assert _pressed("Goma, DR Congo") == [Example("title", _at("Goma, DR Congo"))]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        pytest.param("Nurse 3", "wrong", id="a title that is found"),
        pytest.param("Goma, DR Congo", "location", id="a place"),
        pytest.param("2 May 2027", "published_at", id="a date"),
        pytest.param("Apply by 2 June 2027", "deadline", id="a last day"),
        pytest.param("EUR 2.50", "price", id="a price"),
        pytest.param("Lamps Ltd", "organisation", id="any other text"),
        pytest.param("Next", "next", id="a link that leads on"),
        pytest.param("Another post", "title", id="what was missed"),
    ],
)
def test_a_later_press_means_what_it_looks_like(text: str, meaning: str) -> None:
    assert _pressed(text, _first()) == [_first(), Example(meaning, _at(text))]


def test_whoever_says_what_it_is_is_right() -> None:
    assert _pressed("Lamps Ltd", _first(), meaning="author")[1].meaning == "author"


def test_what_is_pressed_again_is_taken_back() -> None:
    assert _pressed("Nurse 1", _first()) == []


def test_the_newest_example_of_a_field_counts() -> None:
    before = Example("location", _at("Lamps Ltd"))

    assert _pressed("Goma, DR Congo", _first(), before) == [_first(), Example("location", _at("Goma, DR Congo"))]
