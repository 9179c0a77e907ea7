"""The learned policy on arrays is the learned policy of the service."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.schedule import Belief
from lamplighter.rules.change import belief, priors
from lamplighter.rules.change.fitting import prior_hours
from lamplighter.rules.change.learning import VisitEvidence, age, announce, learn
from lamplighter.rules.change.priors import GAP_IN_INTERVALS, Fit
from lamplighter.simulation.learned import LEAST_WAIT, MOST_WAIT, Learner, moved_hours

START = datetime(2026, 1, 5, tzinfo=UTC)
MEAN_HOURS = 10.0
visits = st.lists(st.tuples(st.floats(0.1, 2_000.0), st.booleans()), max_size=30)


def _learner(count: int = 1) -> Learner:
    learner = Learner(
        host=np.arange(count), weight=np.full(count, 2.0), mean_hours=MEAN_HOURS, rng=np.random.default_rng(1)
    )
    learner.price = 3.0
    return learner


@settings(deadline=None, max_examples=60)
@given(visits)
def test_visits_teach_the_arrays_what_they_teach_the_service(visits: list[tuple[float, bool]]) -> None:
    learner, who, at = _learner(), np.array([0]), 0.0
    prior = priors.baseline_prior(timedelta(hours=MEAN_HOURS))
    learnt = learn(None, VisitEvidence(at=START, is_changed=True), prior=prior)

    for hours, is_changed in visits:
        at += hours
        learner.visit(who, np.array([at]), np.array([is_changed]))
        learnt = learn(learnt, VisitEvidence(at=START + timedelta(hours=at), is_changed=is_changed), prior=prior)

    wait = belief.wait_hours(learnt.belief, price=3.0, weight=2.0, age=age(learnt), least=LEAST_WAIT, most=MOST_WAIT)
    assert learner.next_visit(who)[0] - at == pytest.approx(wait, rel=1e-6)


def test_an_announcement_counts_as_much_as_in_the_service() -> None:
    learner = _learner()
    learnt = learn(
        None, VisitEvidence(at=START, is_changed=True), prior=priors.baseline_prior(timedelta(hours=MEAN_HOURS))
    )

    learner.announce(np.array([0]))

    told = announce(learnt, 0.8)
    wait = belief.wait_hours(
        told.belief, price=3.0, weight=2.0, signal=told.signal, age=age(told), least=LEAST_WAIT, most=MOST_WAIT
    )
    assert learner.next_visit(np.array([0]))[0] == pytest.approx(wait, rel=1e-6)


def test_announcements_that_prove_false_are_trusted_less() -> None:
    false, true = _learner(40), _learner(40)
    for learner, is_changed in ((false, False), (true, True)):
        crowd = np.arange(39)
        learner.announce(crowd)
        learner.visit(crowd, np.full(39, 1.0), np.full(39, is_changed))

    for learner in (false, true):
        learner.announce(np.array([39]))

    assert false.next_visit(np.array([39]))[0] > true.next_visit(np.array([39]))[0]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 50), st.floats(0.0, 3_000.0), st.integers(0, 2)), min_size=1, max_size=8))
def test_neighbours_teach_the_arrays_what_they_teach_the_service(rows: list[tuple[int, float, int]]) -> None:
    changes, hours = np.array([float(row[0]) for row in rows]), np.array([row[1] for row in rows])
    host = np.array([row[2] for row in rows])
    baseline = priors.baseline_prior(timedelta(hours=MEAN_HOURS))

    gap = np.full(len(rows), GAP_IN_INTERVALS * MEAN_HOURS)
    together = prior_hours(fit=Fit(), gap=gap, changes=changes, hours=hours, host=host)

    for number in range(len(rows)):
        mates = host == host[number]
        alone = priors.prior(
            baseline=baseline,
            cohort=priors.GroupEvidence(changes=changes.sum(), hours=hours.sum()),
            host=priors.GroupEvidence(changes=changes[mates].sum(), hours=hours[mates].sum()),
            own=priors.GroupEvidence(changes=changes[number], hours=hours[number]),
        )
        assert together[number] == pytest.approx(alone.b, rel=1e-6)


@settings(deadline=None, max_examples=60)
@given(st.floats(0.1, 8.0), st.floats(1.0, 1e4), st.floats(1.0, 1e4), st.floats(1.0, 1e4), st.integers(1, 50))
def test_a_belief_follows_its_prior_as_in_the_service(
    a: float, b: float, before: float, after: float, visit_count: int
) -> None:
    shape = priors.PRIOR_SHAPE

    moved = moved_hours(
        np.array([a]),
        np.array([b]),
        shape=shape,
        before=np.array([before]),
        after=np.array([after]),
        visits=np.array([visit_count]),
    )

    alone = priors.reprior(
        Belief(a=a, b=b), before=Belief(a=shape, b=before), after=Belief(a=shape, b=after), visit_count=visit_count
    )
    assert moved[0] == pytest.approx(alone.b, rel=1e-9)
