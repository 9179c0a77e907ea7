"""Which prior suits these sources?"""

import numpy as np
import pytest

from lamplighter.model.schedule import Belief
from lamplighter.rules.change import belief, fitting
from lamplighter.rules.change.fitting import Visits
from lamplighter.rules.change.priors import USUAL, Fit


def _visited(rate: np.ndarray, *, times: int = 30, hours: float = 24.0) -> Visits:
    rng = np.random.default_rng(3)
    count = len(rate)
    changed = rng.random((times, count)) < -np.expm1(-rate * hours)
    size = times * count
    return Visits(
        source=np.tile(np.arange(count), times),
        hours=np.full(size, hours),
        is_changed=changed.ravel(),
        activity=np.ones(size),
    )


def _fit(rate: np.ndarray) -> Fit:
    count = len(rate)
    return fitting.fitted(_visited(rate), gap=np.full(count, 72.0), host=np.zeros(count, dtype=np.int64))


def test_sources_that_are_alike_get_a_narrow_prior() -> None:
    assert _fit(np.full(300, 0.01)) == Fit(shape=40.0, is_felt=False)


def test_sources_that_differ_widely_get_a_wide_one() -> None:
    assert _fit(np.where(np.arange(300) < 30, 0.1, 1e-6)).shape == 0.15


def test_without_visits_the_usual_prior_stays() -> None:
    assert (
        fitting.fitted(_visited(np.full(3, 0.01), times=0), gap=np.full(3, 72.0), host=np.zeros(3, dtype=np.int64))
        == USUAL
    )


@pytest.mark.parametrize("fit", [Fit(4.0, False), Fit(40.0, False)])
def test_a_replay_teaches_what_the_visits_taught(fit: Fit) -> None:
    visits = _visited(np.array([0.02]), times=12)

    (again,) = fitting.replayed(visits, [fit], gap=np.array([72.0]), host=np.array([0]))

    learnt = Belief(a=fit.shape, b=float(again.prior_hours[0]))
    for is_changed in visits.is_changed:
        learnt = (belief.changed if is_changed else belief.unchanged)(learnt, 24.0)
        learnt = belief.capped(learnt, shape=fit.shape)
    assert again.lessons.a[0] == pytest.approx(learnt.a)
    assert again.lessons.b[0] == pytest.approx(learnt.b)


def test_evidence_is_capped_beyond_the_prior() -> None:
    assert belief.capped(Belief(a=96.0, b=100.0), shape=40.0) == Belief(a=48.0, b=50.0)


def test_hours_of_a_busy_host_count_more_often() -> None:
    quiet, busy = (
        fitting.replayed(
            Visits(
                source=np.zeros(1, dtype=np.int64),
                hours=np.array([24.0]),
                is_changed=np.array([True]),
                activity=np.array([level]),
            ),
            [USUAL],
            gap=np.array([72.0]),
            host=np.array([0]),
        )[0].lessons
        for level in (1.0, 50.0)
    )

    assert busy.a[0] / busy.b[0] < 0.8 * quiet.a[0] / quiet.b[0]
