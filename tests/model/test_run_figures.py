"""The figures of a run: merged in any order, read with a known error."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.model.run_figures import MOST_WORDS, OTHER, RunFigures, Times, as_metrics, loaded, stored

#: few, so that tables of different parts meet; no more than one table holds
WORDS = st.sampled_from([f"w{number:03}" for number in range(MOST_WORDS)])
COUNTS = st.dictionaries(WORDS, st.integers(1, 9), max_size=MOST_WORDS)
#: whole numbers, because adding up fractions in another order may give another last digit
TIMES = st.lists(st.integers(0, 60_000).map(float), max_size=9).map(lambda times: Times.of(*times))
FIGURES = st.builds(
    RunFigures,
    status_codes=COUNTS,
    response_ms=TIMES,
    bytes=st.integers(0, 9),
    errors=COUNTS,
    skipped=COUNTS,
    retries=st.integers(0, 9),
    parse_cpu_ms=st.integers(0, 99).map(float),
    parse_peak_kb=st.integers(0, 99),
    first_note=st.none() | WORDS,
    log_left_out=st.integers(0, 9),
)


@given(FIGURES, FIGURES, FIGURES)
def test_parts_may_be_merged_in_any_grouping(one: RunFigures, two: RunFigures, three: RunFigures) -> None:
    assert one.merged(two).merged(three) == one.merged(two.merged(three))


@given(FIGURES)
def test_what_is_stored_is_what_is_loaded(figures: RunFigures) -> None:
    assert loaded(stored(figures)) == figures


@given(st.lists(st.floats(1, 60_000), min_size=1, max_size=200))
def test_the_p95_is_too_high_by_less_than_a_fifth_and_never_too_low(times: list[float]) -> None:
    exact = sorted(times)[math.ceil(0.95 * len(times)) - 1]

    p95 = Times.of(*times).p95

    assert p95 is not None
    assert exact * (1 - 1e-9) <= p95 <= exact * 2**0.25 * (1 + 1e-9)


def test_a_table_does_not_grow_for_ever_and_loses_no_count() -> None:
    figures = RunFigures()

    for number in range(3 * MOST_WORDS):
        figures = figures.merged(RunFigures(errors={f"error {number:03}": 2}))

    assert len(figures.errors) == MOST_WORDS + 1
    assert figures.errors[OTHER] == 4 * MOST_WORDS
    assert sum(figures.errors.values()) == 6 * MOST_WORDS


def test_an_error_that_comes_often_is_not_lost_in_a_table_that_is_full() -> None:
    figures = RunFigures()
    for number in range(MOST_WORDS + 5):
        figures = figures.merged(RunFigures(errors={f"error {number:03}": 1}))

    for _ in range(50):
        figures = figures.merged(RunFigures(errors={"timeout: no answer": 1}))

    assert figures.top_errors(1) == [("timeout: no answer", 50)]


def test_the_errors_that_came_most_often_are_told_first() -> None:
    figures = RunFigures(errors={"rare": 1, "often": 9, "b": 2, "a": 2, "c": 2, "d": 2})

    assert [error for error, _ in figures.top_errors()] == ["often", "a", "b", "c", "d"]


def test_what_programs_are_told_has_the_same_keys_with_and_without_answers() -> None:
    full = as_metrics(RunFigures(status_codes={"200": 2}, response_ms=Times.of(10, 30), parse_peak_kb=7))

    assert as_metrics(RunFigures()).keys() == full.keys()
    assert full["response_ms"] == {"min": 10, "avg": 20, "p95": 30, "max": 30}
    assert as_metrics(RunFigures())["response_ms"] == {"min": None, "avg": None, "p95": None, "max": None}


@pytest.mark.parametrize(
    ("kept", "figures"),
    [
        pytest.param(None, None, id="a run of old"),
        pytest.param({}, RunFigures(), id="nothing yet"),
        pytest.param({"bytes": 3, "of a later version": 1}, RunFigures(bytes=3), id="what a later version has added"),
    ],
)
def test_what_is_stored_may_be_older_or_newer_than_we_are(kept: dict[str, int] | None, figures: RunFigures) -> None:
    assert loaded(kept) == figures
