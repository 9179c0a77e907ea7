"""Values with markup become what a reader would see."""

import pytest

from lamplighter.extract.html_page import plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(" a \n b ", "a b", id="white space"),
        pytest.param("R&amp;D", "R&D", id="entities"),
        pytest.param("<p>One</p><p>Two &amp; more</p>", "One Two & more", id="tags"),
        pytest.param("&lt;p&gt;One&lt;/p&gt;", "One", id="escaped once too often"),
        pytest.param("a<script>alert(1)</script>b", "a b", id="j5: scripts are gone"),
        pytest.param("1 < 2", "1 < 2", id="a bare sign"),
        pytest.param("<div>" * 50_000, "", id="e2: hostile markup"),
    ],
)
def test_markup_becomes_plain(value: str, expected: str) -> None:
    assert plain(value) == expected
