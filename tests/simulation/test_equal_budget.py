"""How much slower must a policy go to spend just the budget?"""

from collections.abc import Callable

import numpy as np
import pytest

from lamplighter.simulation.compare import at_budget
from lamplighter.simulation.replay import ReplayOutcome


def _spending(fetches: Callable[[float], float]) -> Callable[[float, float], ReplayOutcome | None]:
    def replayed(scale: float, most_fetches: float) -> ReplayOutcome | None:
        spent = round(fetches(scale))
        if spent > most_fetches:
            return None
        nothing = np.zeros(1)
        return ReplayOutcome(
            fetches=np.array([spent]),
            stale_hours=nothing,
            delay_hours=nothing,
            found=np.zeros(1, dtype=np.int64),
            promised=nothing,
            measured=nothing,
        )

    return replayed


@pytest.mark.parametrize(
    "fetches",
    [
        pytest.param(lambda scale: 1e6 / scale, id="as the interval"),
        pytest.param(lambda scale: 1e5 + 1e4 / scale**2, id="steeply"),
        pytest.param(lambda scale: 1e3 + 1e9 / (1 + scale) ** 0.3, id="hardly at all"),
        pytest.param(lambda scale: 3e5 * min(1.0, 5e3 / scale) ** 0.5, id="level for long"),
        pytest.param(lambda scale: 1e11 / scale, id="far too fast at first"),
        pytest.param(lambda scale: 10 + 1e2 / scale, id="far too slow at first"),
    ],
)
def test_the_budget_is_met(fetches: Callable[[float], float]) -> None:
    _, outcome = at_budget(_spending(fetches), fetches=200_000)

    assert outcome.fetches[0] == pytest.approx(200_000, rel=0.005)


def test_a_budget_that_lies_in_a_leap_is_met_as_nearly_as_can_be() -> None:
    _, outcome = at_budget(_spending(lambda scale: 1_000 if scale < 3 else 700), fetches=800)

    assert outcome.fetches[0] == 700
