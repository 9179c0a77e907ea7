"""Did a site change so that we no longer understand it?"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.rules.change import drift

USUAL = [20, 20, 20]


def _judge(shown: int, earlier: list[int], *, found: int = 0, untitled: int = 0) -> str | None:
    judged = drift.judge(shown=shown, found=found, untitled=untitled, earlier=earlier)
    return judged.reason if judged is not None else None


@pytest.mark.parametrize(
    ("shown", "earlier", "reason"),
    [
        pytest.param(0, USUAL, "no records shown where 20 are usual", id="nothing"),
        pytest.param(9, USUAL, "9 records shown where 20 are usual", id="under half"),
        pytest.param(10, USUAL, None, id="just half"),
        pytest.param(90, USUAL, None, id="more than ever"),
        pytest.param(1, [20, 20], None, id="too few runs before"),
        pytest.param(1, [3, 3, 3], None, id="too few records before"),
        pytest.param(0, [1], "no records shown where 1 is usual", id="nothing where there was something"),
        pytest.param(0, [], None, id="nothing in the first run"),
        pytest.param(0, [0, 20, 20, 20], "no records shown where 20 are usual", id="the second time"),
        pytest.param(1, [4, 4, 5, 5], "1 record shown where 4.5 are usual", id="between two values"),
        pytest.param(0, [0] * 6 + [20] * 4, None, id="small for most of the last ten"),
        pytest.param(2, [20] * 10 + [0] * 90, "2 records shown where 20 are usual", id="only ten runs count"),
    ],
)
def test_a_run_out_of_line_is_told_with_its_figures(shown: int, earlier: list[int], reason: str | None) -> None:
    assert _judge(shown, earlier) == reason


@pytest.mark.parametrize(
    ("found", "untitled", "reason"),
    [
        pytest.param(20, 11, "11 of 20 records found have no title", id="more than half"),
        pytest.param(20, 10, None, id="just half"),
        pytest.param(3, 3, None, id="too few to tell"),
    ],
)
def test_records_without_titles_are_a_sign(found: int, untitled: int, reason: str | None) -> None:
    assert _judge(20, USUAL, found=found, untitled=untitled) == reason


def test_a_site_that_truly_shrank_becomes_usual_after_a_while() -> None:
    history, judged = [20] * 10, []

    for _ in range(12):
        judged.append(_judge(3, history) is not None)
        history.insert(0, 3)

    assert judged == [True] * 6 + [False] * 6


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(0, 1000), min_size=3, max_size=12), st.integers(0, 1000))
def test_showing_more_is_never_worse(earlier: list[int], shown: int) -> None:
    if _judge(shown, earlier) is None:
        assert _judge(shown + 1, earlier) is None


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(0, 1000), min_size=1))
def test_the_median_has_as_many_above_as_below(values: list[int]) -> None:
    middle = drift.median(values)

    assert sum(value < middle for value in values) <= len(values) / 2
    assert sum(value > middle for value in values) <= len(values) / 2
