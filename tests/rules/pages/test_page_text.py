"""What would a person read of this markup?"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.pages import page_text
from lamplighter.rules.pages.page_text import readable


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        pytest.param("<p>Lit at <b>dusk</b>.</p><p>Out at dawn.</p>", "Lit at dusk.\nOut at dawn.", id="blocks"),
        pytest.param("<script>var a = '<p>no</p>'</script>seen", "seen", id="scripts"),
        pytest.param("<head><title>no</title></head><BODY>seen", "seen", id="the head"),
        pytest.param("a<!-- <p>no</p> -->b", "a\nb", id="comments"),
        pytest.param("salt &amp; 1 &lt; 2", "salt & 1 < 2", id="entities"),
        pytest.param("1 < 2", "1 < 2", id="a sign that is no tag"),
        pytest.param("<p>one\n two", "one two", id="lines of the source"),
        pytest.param("seen<script>never closed", "seen", id="an open script"),
        pytest.param("seen<p never closed", "seen", id="an open tag"),
        pytest.param(f"a&#{'1' * 5000};b", "a\N{REPLACEMENT CHARACTER}b", id="a number that no character has"),
        pytest.param("İ<p>ok", "İ\nok", id="a letter that grows when it is made small"),
    ],
)
def test_the_text_without_its_tags(markup: str, text: str) -> None:
    assert readable(markup) == text


@settings(deadline=None)
@given(st.text(alphabet="<>/!-sSpcript \n&a", max_size=80))
def test_any_markup_gives_some_text_without_empty_lines(markup: str) -> None:
    assert all(line.strip() == line and line for line in readable(markup).split("\n") if readable(markup))


@pytest.mark.parametrize("part", ["< ", "</ ", "<p", "<!", "<!-- ", "<b>", "<script>", "<svg></svg", "a"])
def test_no_part_of_the_markup_is_searched_again_and_again(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    markup, searched, search = part * 2_000, 0, page_text.behind

    def counting(text: str, end: str, start: int) -> int:
        nonlocal searched
        found = search(text, end, start)
        searched += found - start
        return found

    monkeypatch.setattr(page_text, "behind", counting)
    readable(markup)

    assert searched <= 2 * len(markup)
