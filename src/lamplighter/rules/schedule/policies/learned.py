"""The learned policy: run when the expected staleness is worth a run; one price for all sources."""

from datetime import timedelta
from math import isfinite, pow

from lamplighter.rules.change.belief import sound, stale_hours, wait_hours
from lamplighter.rules.change.learning import age
from lamplighter.rules.change.priors import baseline_prior
from lamplighter.rules.change.recency import UNKNOWN_AGE
from lamplighter.rules.schedule.policies.policy_input import Advice, PolicyInput

HOUR = timedelta(hours=1)
#: the priority of weight 1, and by how much the priority must rise to double the weight
MIDDLE_PRIORITY = 50
DOUBLES_EVERY = 25


def advice(ask: PolicyInput) -> Advice:
    """The wait after which the expected weighted stale time reaches the price of a run."""
    belief = sound(ask.learnt.belief.a, ask.learnt.belief.b, otherwise=baseline_prior(ask.baseline))
    importance, price = weight(ask.priority), _price(ask)
    # Hours are counted in the time of the weekly profile, so that they pass quickly while the cohort changes often.
    hours = wait_hours(
        belief,
        price=price,
        weight=importance,
        signal=ask.learnt.signal,
        age=age(ask.learnt),
        least=ask.profile.hours_between(ask.now, ask.now + ask.bounds.least),
        most=ask.profile.hours_between(ask.now, ask.now + ask.bounds.most),
    )
    return Advice(
        interval=ask.profile.after(ask.now, hours) - ask.now,
        inputs={"price": price, "weight": importance, "signal": ask.learnt.signal},
    )


def weight(priority: int) -> float:
    """How much an hour of staleness counts: 1 at priority 50, four times as much at 100."""
    return pow(2.0, (priority - MIDDLE_PRIORITY) / DOUBLES_EVERY)


def _price(ask: PolicyInput) -> float:
    """The installation's price; before there is one, the price at which an unknown source keeps its baseline."""
    if ask.price is not None and isfinite(ask.price) and ask.price > 0:
        return ask.price
    usual = stale_hours(baseline_prior(ask.baseline), ask.baseline / HOUR, age=UNKNOWN_AGE)
    return weight(ask.priority) * usual
