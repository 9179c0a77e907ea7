"""What the names of elements say about their worth."""

import gc
import weakref

import pytest

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.listing.columns import cells_of
from lamplighter.extract.listing.rows import text_of
from lamplighter.extract.listing.tree import Box, outline, release

TEXT = "<p>The harbour office has moved to Quay Street and is open in the mornings.</p>"


def boxes_of(html: str) -> dict[str, Box]:
    page = parse_page(f"<html><body>{html}</body></html>", "https://site.example/news")
    return {box.tag: box for box in outline(page)}


@pytest.mark.parametrize("name", ["content-sidebar-wrap", "has-sidebar", "page--navbarActive", "with-sticky-nav"])
def test_a_wrapper_is_no_frame_though_it_is_named_after_one(name: str) -> None:
    found = boxes_of(f"<div class='{name}'><h1>News</h1><ul><li>{TEXT}</li></ul><aside>{TEXT}</aside></div>")

    assert found["li"].worth == 1.0
    assert found["aside"].worth < 0.5


def test_a_side_bar_without_a_main_heading_is_a_frame() -> None:
    found = boxes_of(f"<main><h1>News</h1>{TEXT}</main><div class='sidebar'><ul><li>{TEXT}</li></ul></div>")

    assert found["li"].worth < 0.5


@pytest.mark.parametrize("name", ["Sidebar", "SIDEBAR", "page-Footer", "navMenu", "x NAV"])
def test_names_are_known_in_capitals_too(name: str) -> None:
    assert (
        boxes_of(f"<main><h1>News</h1>{TEXT * 9}</main><div class='{name}'><ul><li>{TEXT}</li></ul></div>")["li"].worth
        < 0.5
    )


def test_nothing_of_an_outline_is_left_when_it_was_let_go() -> None:
    page = parse_page(f"<table><tr><td><a href='/a'>The pier</a><td>{TEXT}</table>", "https://site.example/news")
    boxes = outline(page)
    texts = [text_of(box) for box in boxes]
    cells = [cells_of(box) for box in boxes]
    left = [weakref.ref(box) for box in boxes]

    gc.disable()
    try:
        release(boxes)
        del boxes, cells
        found = [box() for box in left]
    finally:
        gc.enable()

    assert "The pier" in texts
    assert found == [None] * len(left)


def test_a_menu_of_main_headings_is_a_menu() -> None:
    entries = "".join(f"<li><h1><a href='/{n}'>Department {n}</a></h1></li>" for n in range(8))

    assert boxes_of(f"<ul class='menu'>{entries}</ul>{TEXT}")["li"].worth < 0.5


def test_rows_in_spans_that_nobody_closes_are_alike() -> None:
    page = parse_page(
        "<div>" + "".join(f"<span><a href='/{n}'>Minutes of {n} May</a><br>" for n in range(9)), "https://site.example/"
    )
    paths = [box.path for box in outline(page) if box.tag == "a"]

    assert len(set(paths[3:])) == 1
