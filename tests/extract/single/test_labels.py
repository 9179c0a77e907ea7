"""Labelled values, in whatever way a page puts a label before its value."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.html_page import parse_page
from lamplighter.extract.single.labels import attribute_labelled, labelled_values
from lamplighter.extract.single.text_lines import lines_of


def found(html: str) -> list[tuple[str, str]]:
    page = parse_page(f"<main><h1>Nurse</h1>{html}</main>", "https://a.example/x")
    labelled = [*labelled_values(lines_of(page)), *attribute_labelled(page)]
    return [(label.field, label.value) for label in labelled]


BOTH = [("location", "Nairobi"), ("deadline", "5 May 2026")]


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<p>Location: Nairobi</p><p>Deadline: 5 May 2026</p>", id="on lines"),
        pytest.param("<ul><li>Location : Nairobi</li><li>Deadline - 5 May 2026</li></ul>", id="in items"),
        pytest.param("<dl><dt>Location</dt><dd>Nairobi</dd><dt>Deadline</dt><dd>5 May 2026</dd></dl>", id="terms"),
        pytest.param(
            "<table><tr><th>Location</th><td>Nairobi</td></tr><tr><th>Deadline</th><td>5 May 2026</td></tr></table>",
            id="rows with a head",
        ),
        pytest.param(
            "<table><tr><td>Location</td><td>Nairobi</td><td>Deadline</td><td>5 May 2026</td></tr></table>",
            id="four cells of a row",
        ),
        pytest.param("<p><b>Location:</b> Nairobi<br><b>Deadline</b> 5 May 2026</p>", id="bold words"),
        pytest.param("<p>Location<br>Nairobi<br>Deadline<br>5 May 2026</p>", id="line after line"),
        pytest.param(
            "<div><span class=label>Location</span><span>Nairobi</span></div>"
            "<div><span class=label>Deadline</span><time>5 May 2026</time></div>",
            id="spans side by side",
        ),
        pytest.param(
            "<div><div>Location</div><div>Nairobi</div></div><div><div>Deadline</div><div>5 May 2026</div></div>",
            id="divisions",
        ),
        pytest.param(
            "<div><div><span>Location</span></div><div><span>Nairobi</span></div></div>"
            "<div><div><span>Deadline</span></div><div><span>5 May 2026</span></div></div>",
            id="wrapped divisions",
        ),
        pytest.param("<h3>Location</h3><p>Nairobi</p><h3>Deadline</h3><p>5 May 2026</p>", id="headings"),
        pytest.param("<p><b>Location:</b> Nairobi <b>Deadline:</b> 5 May 2026</p>", id="two on a line"),
        pytest.param("<p>Location: Nairobi | Deadline: 5 May 2026</p>", id="between bars"),
        pytest.param("<p><span>Location: Nairobi</span><span>Deadline: 5 May 2026</span></p>", id="side by side"),
        pytest.param(
            "<span aria-label='Location'>Nairobi</span><p data-label='Deadline'>5 May 2026</p>", id="attributes"
        ),
    ],
)
def test_a_value_is_found_however_it_is_labelled(html: str) -> None:
    assert found(html) == BOTH


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<p>Einsatzort: Berlin</p>", [("location", "Berlin")], id="German"),
        pytest.param("<p>Date limite : 5 mai 2026</p>", [("deadline", "5 mai 2026")], id="French"),
        pytest.param("<p>工作地点\uff1a北京</p>", [("location", "北京")], id="Chinese"),
        pytest.param("<p>Место работы: Москва</p>", [("location", "Москва")], id="Russian"),
    ],
)
def test_labels_are_known_in_many_languages(html: str, expected: list[tuple[str, str]]) -> None:
    assert found(html) == expected


def test_a_value_is_whole_even_if_parts_of_it_are_links() -> None:
    assert found("<dl><dt>Location</dt><dd><a href=/n>Nairobi</a>, <a href=/k>Kenya</a></dd></dl>") == [
        ("location", "Nairobi, Kenya")
    ]


def test_an_empty_value_does_not_take_the_next_label() -> None:
    assert found("<dl><dt>Location</dt><dd></dd><dt>Deadline</dt><dd>5 May 2026</dd></dl>") == BOTH[1:]


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(
            "<table><tr><th>Location</th><th>Deadline</th></tr><tr><td>Nairobi</td><td>5 May</td></tr></table>",
            id="the head of columns",
        ),
        pytest.param("<h2>Salary Specialist</h2><p>Nairobi</p>", id="a title with a label's word in it"),
        pytest.param("<p>Our <b>location</b> is the best of all.</p>", id="a word in a sentence"),
        pytest.param("<p>Deadline: n/a</p>", id="a value that is none"),
        pytest.param(f"<p>Location: {'a long story ' * 30}</p>", id="running text"),
        pytest.param("<nav><p>Location: Nairobi</p></nav>", id="in the menu"),
        pytest.param("<form><label>Location</label><select><option>Nairobi</select></form>", id="a filter"),
        pytest.param("<p>Published: soon</p>", id="a date without a digit"),
    ],
)
def test_what_is_no_labelled_value_is_left_alone(html: str) -> None:
    assert found(html) == []


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.sampled_from(["Location", ":", "<b>", "</b>", "<p>", "<br>", "|", "x", " ", "5", "<td>", "<tr>"]),
        max_size=30,
    )
)
def test_every_value_stands_on_the_page(parts: list[str]) -> None:
    page = parse_page("".join(parts), "https://a.example/x")
    lines = lines_of(page)

    shown = "\n".join(line.text for line in lines)

    assert all(label.value in shown and label.label in shown for label in labelled_values(lines))


def test_e2_a_page_of_nothing_but_labels_is_read_in_bounded_time() -> None:
    assert len(found("<p>Location: Nairobi</p>" * 50_000)) <= 3_000


def test_one_known_label_among_several_of_a_line_is_enough() -> None:
    line = "<b>Colour:</b> <span>Red</span> <b>Brand:</b> <span>Acme</span>"

    assert found(f"<p>{line}</p>") == [("brand", "Acme")]


@pytest.mark.parametrize("label", ["Výrobca", "Kaubamärk", "Tootja", "Zīmols", "Ražotājs", "Gyártó"])
def test_a_brand_has_its_name_in_small_languages_too(label: str) -> None:
    assert found(f"<dl><dt>{label}</dt><dd>Acme</dd></dl>") == [("brand", "Acme")]
