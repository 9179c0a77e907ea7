"""What is different between two texts?"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.pages import text_diff
from lamplighter.rules.pages.text_diff import DiffLine, DiffPiece, DiffRow, DiffTally, Gap, Mark

# Few letters and words, so that much is found again in another place.
TEXTS = st.one_of(st.text(alphabet="ab .\n\t", max_size=60), st.text(max_size=60))


def side(pieces: list[DiffPiece], without: Mark) -> str:
    return "".join(piece.text for piece in pieces if piece.mark is not without)


@settings(deadline=None)
@given(TEXTS, TEXTS, st.integers(0, 50))
def test_what_stayed_and_came_is_the_other_text(before: str, after: str, most_pairs: int) -> None:
    pieces = text_diff.by_words(before, after, most_pairs=most_pairs)

    assert side(pieces, Mark.NEW) == before
    assert side(pieces, Mark.GONE) == after


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_the_rows_hold_every_line_of_both_texts_in_order(before: str, after: str) -> None:
    rows = text_diff.by_lines(before, after)

    for side_of, text in ((0, before), (1, after)):
        lines = [row[side_of] for row in rows if row[side_of] is not None]
        assert "\n".join(line.text for line in lines) == text
        assert [line.number for line in lines] == list(range(1, len(lines) + 1))


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_what_is_folded_away_did_not_change(before: str, after: str) -> None:
    rows = text_diff.by_lines(before, after)

    shown = text_diff.folded(rows)

    assert sum(part.lines if isinstance(part, Gap) else 1 for part in shown) == len(rows)
    assert [row for row in rows if not row.is_same] == [
        part for part in shown if isinstance(part, DiffRow) and not part.is_same
    ]


@settings(deadline=None)
@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert text_diff.tally(text_diff.by_lines(text, text)) == DiffTally(added=0, removed=0)
    assert {piece.mark for piece in text_diff.by_words(text, text)} <= {Mark.SAME}


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        pytest.param("lit at dusk.", "lit at dawn.", "lit at [-dusk-][+dawn+].", id="a word"),
        pytest.param("the old lamp", "the lamp", "the[- old-] lamp", id="a word less"),
        pytest.param("€ 1200", "€ 1350", "€ [-1200-][+1350+]", id="a number"),
        pytest.param("", "new", "[+new+]", id="nothing before"),
    ],
)
def test_changed_words_are_marked(before: str, after: str, shown: str) -> None:
    signs = {Mark.SAME: ("", ""), Mark.GONE: ("[-", "-]"), Mark.NEW: ("[+", "+]")}

    pieces = text_diff.by_words(before, after)

    assert "".join(signs[mark][0] + text + signs[mark][1] for mark, text in pieces) == shown


def test_a_line_that_reads_differently_stands_beside_the_one_it_was() -> None:
    rows = text_diff.by_lines("a\nold\nz", "a\nnew\nz")

    assert rows[1] == DiffRow(DiffLine(2, "old"), DiffLine(2, "new"))
    assert text_diff.tally(rows) == DiffTally(added=1, removed=1)


def test_lines_far_from_every_change_are_a_gap() -> None:
    same = [f"line {number}" for number in range(20)]

    shown = text_diff.folded(text_diff.by_lines("\n".join(same), "\n".join([*same, "more"])))

    assert shown[0] == Gap(17)
    assert len(shown) == 5


def test_space_makes_no_difference_in_squeezed_texts() -> None:
    assert text_diff.squeezed("  a \t b\n\n\n c  ") == text_diff.squeezed("a b\nc")


def test_a_long_page_that_repeats_itself_is_still_compared_line_by_line() -> None:
    lines = [text for number in range(2000) for text in ("<div>", f"item {number}", "</div>")]
    changed = ["<div>", "changed", *lines[2:-2], "also", "</div>"]

    rows = text_diff.by_lines("\n".join(lines), "\n".join(changed))

    assert [(row.before.text, row.after.text) for row in rows if row.before and row.after and not row.is_same] == [
        ("item 0", "changed"),
        ("item 1999", "also"),
    ]


def test_what_repeats_itself_too_often_is_not_compared_closely() -> None:
    before, after = "a b " * 5000, "b a " * 5000

    pieces = text_diff.by_words(before, after)

    assert len(pieces) <= 4
    assert side(pieces, Mark.NEW) == before
