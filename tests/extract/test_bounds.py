"""E2: pages that would cost far more than their size are recognised before they are parsed."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.extract.bounds import excess, is_flat, nesting

ROWS = "<tr><td><p>cell<br></td></tr>" * 5_000


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>" * 100_000, id="nested blocks"),
        pytest.param("<ul><li>" * 50_000, id="nested lists"),
        pytest.param("<div></x>" * 10_000, id="end tags that close nothing"),
        pytest.param("<DIV\n>" * 10_000, id="in capitals"),
        pytest.param(
            "<p>" + "".join(f"<b x={n}>" for n in range(2_000)) + "</p>" + "<p>x</p>" * 2_000, id="formatting"
        ),
        pytest.param("<a " + "".join(f"x{n} " for n in range(20_000)) + ">", id="attributes"),
        pytest.param(
            "<a " + "".join(f"x{n}='>' " for n in range(20_000)) + ">", id="attributes that hide behind quotes"
        ),
        pytest.param("<<a " + "".join(f"x{n} " for n in range(20_000)) + ">", id="attributes behind a lonely bracket"),
        pytest.param("".join(f"<body x='<' y{n} z{n}></body>" for n in range(10_000)), id="a body again and again"),
        pytest.param("<HTML\n" + "".join(f"><html x{n}" for n in range(10_000)), id="the same of html, in capitals"),
    ],
)
def test_e2_costly_markup_is_refused_quickly(html: str) -> None:
    started = time.process_time()

    assert excess(html) is not None
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("", id="nothing"),
        pytest.param(f"<table>{ROWS}</table>", id="a long table"),
        pytest.param("<p>unclosed paragraph" * 50_000, id="paragraphs that nobody closes"),
        pytest.param("<div><span>x</span></div>" * 50_000, id="many elements side by side"),
        pytest.param(f"<img src='data:{'x' * 10_000_000}'>", id="one attribute of ten megabytes"),
        pytest.param("<script>for (i = 0; i<n; i++) { a > b }</script>" * 3_000, id="scripts that compare"),
    ],
)
def test_e2_big_but_honest_markup_is_let_through(html: str) -> None:
    assert excess(html) is None


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["<div>", "</div>", "<b>", "</b>", "<FONT a=1>", "<i/>", "<small-x>", "<p>", "</x>", "< a", "<!--"]
            ),
            st.integers(1, 3_000),
        ),
        max_size=6,
    )
)
def test_a_page_with_few_start_tags_nests_nothing_too_deep(pieces: list[tuple[str, int]]) -> None:
    html = "".join(piece * times for piece, times in pieces)
    tags = html.count("<")

    assert not is_flat(html, tags) or nesting(html, tags) is None
