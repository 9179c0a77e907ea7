"""How what all sources showed corrects what is promised of each."""

import math

import numpy as np
import pytest

from lamplighter.rules.change.promises import GROWN, RECENT, YOUNG, SeenHours, correction, mean_share, recent

LONG = 10 * GROWN


@pytest.mark.parametrize(
    ("stale", "low", "high"),
    [
        pytest.param(100.0, 0.99, 1.0, id="as believed"),
        pytest.param(200.0, 1.9, 2.0, id="twice as stale"),
        pytest.param(0.0, 0.0, 0.02, id="never stale"),
    ],
)
def test_a_correction_is_what_was_seen_over_what_is_believed_now(stale: float, low: float, high: float) -> None:
    seen = SeenHours(watched=1_000.0, stale=stale)

    assert low <= correction(seen, believed=0.1, watched_each=LONG) <= high


def test_where_hardly_anything_was_to_be_expected_little_is_corrected() -> None:
    assert correction(SeenHours(watched=1.0, stale=0.0), believed=0.05, watched_each=LONG) > 0.9


def test_of_sources_that_were_hardly_watched_less_is_promised_than_believed() -> None:
    as_believed = SeenHours(watched=1_000.0, stale=100.0)

    found = [correction(as_believed, believed=0.1, watched_each=GROWN * part) for part in (0.0, 0.5, 1.0, 4.0)]

    assert found[0] == pytest.approx(YOUNG)
    assert found == sorted(found)
    assert found[-1] > 0.95


@pytest.mark.parametrize("numbers", [(math.nan, 1.0, 0.1), (1.0, math.inf, 0.1), (1.0, 1.0, math.nan)])
def test_corrupt_numbers_correct_nothing(numbers: tuple[float, float, float]) -> None:
    watched, stale, believed = numbers

    assert correction(SeenHours(watched, stale), believed=believed, watched_each=LONG) == 1.0


def test_what_is_new_in_the_month_is_recent() -> None:
    month = SeenHours(watched=500.0, stale=50.0)

    found = recent(SeenHours(), month_before=SeenHours(), month=month, hours=1.0)

    assert found == month


def test_what_was_recent_fades_within_days() -> None:
    before, nothing = SeenHours(watched=100.0, stale=10.0), SeenHours()

    found = recent(before, month_before=nothing, month=nothing, hours=RECENT)

    assert found == pytest.approx((100 / math.e, 10 / math.e))


def test_sources_that_are_removed_do_not_count_against_what_was_seen() -> None:
    before, month = SeenHours(watched=100.0, stale=10.0), SeenHours(watched=1_000.0, stale=100.0)

    found = recent(before, month_before=month, month=SeenHours(watched=1.0, stale=0.0), hours=0.0)

    assert found == before


def test_a_source_counts_in_what_is_believed_by_the_hours_for_which_it_was_watched() -> None:
    assert mean_share(np.array([0.1, 0.5]), np.array([300.0, 100.0])) == pytest.approx(0.2)
    assert mean_share(np.array([0.1]), np.array([0.0])) == 0.0
