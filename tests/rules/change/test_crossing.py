"""Where falling curves meet their targets."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lamplighter.rules.change.crossing import MOST_GUESSES, Floats, SearchEnd, crossing

ENDS = -50.0, 50.0


class Curves:
    """Curves that remember how often they were looked at."""

    def __init__(self, slopes: Floats, *, floor: float = 1e-3, ceiling: float = 1e3) -> None:
        self.slopes, self.floor, self.ceiling, self.looks = slopes, floor, ceiling, 0

    def __call__(self, at: Floats) -> Floats:
        self.looks += 1
        return self.heights(at)

    def heights(self, at: Floats) -> Floats:
        return np.exp(np.clip(-self.slopes * at, np.log(self.floor), np.log(self.ceiling)))

    def met(self, targets: Floats) -> Floats:
        left, right = (SearchEnd(np.full(len(targets), at), self.heights(np.full(len(targets), at))) for at in ENDS)
        return crossing(self, targets, left=left, right=right)


slopes_and_targets = st.lists(st.tuples(st.floats(0.2, 50), st.floats(1e-3, 1e3)), min_size=1, max_size=20)


@given(slopes_and_targets)
@example([(8.0, 999.875)])  # a hair below a long flat stretch
@settings(deadline=None, max_examples=200)
def test_every_curve_meets_its_own_target(rows: list[tuple[float, float]]) -> None:
    slopes, targets = (np.array(column) for column in zip(*rows, strict=True))
    curves = Curves(slopes)

    found = curves.met(targets)

    assert curves.heights(found) == pytest.approx(targets, rel=2e-6)
    assert curves.looks < MOST_GUESSES


def test_a_straight_curve_is_met_at_the_first_guess() -> None:
    curves = Curves(np.array([0.5]), floor=1e-99, ceiling=1e99)

    found = curves.met(np.array([7.0]))

    assert found == pytest.approx([-2 * np.log(7.0)])
    assert curves.looks == 1


@pytest.mark.parametrize("height", [1e-3, 1e3], ids=["the floor", "the ceiling"])
def test_a_target_at_an_end_is_met(height: float) -> None:
    curves = Curves(np.array([1.0]))

    assert curves.heights(curves.met(np.array([height]))) == pytest.approx([height])


def test_a_curve_without_a_slope_is_met_anywhere() -> None:
    curves = Curves(np.array([0.0]))

    assert ENDS[0] <= curves.met(np.array([1.0]))[0] <= ENDS[1]
