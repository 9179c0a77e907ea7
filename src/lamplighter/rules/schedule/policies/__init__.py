"""The scheduling policies: five ways to choose the wait until the next run, each a pure function."""

from collections.abc import Callable, Mapping

from lamplighter.model.schedule import PolicyName
from lamplighter.rules.schedule.policies import hash_backoff, learned, priority, yield_days
from lamplighter.rules.schedule.policies.policy_input import Advice, PolicyInput

__all__ = ["POLICIES", "Advice", "PolicyInput", "advise"]


def _fixed(ask: PolicyInput) -> Advice:
    """The interval as given, whatever a run found."""
    return Advice(interval=ask.baseline, inputs={"baseline_seconds": ask.baseline.total_seconds()})


POLICIES: Mapping[PolicyName, Callable[[PolicyInput], Advice]] = {
    PolicyName.FIXED: _fixed,
    PolicyName.YIELD_DAYS: yield_days.advice,
    PolicyName.HASH_BACKOFF: hash_backoff.advice,
    PolicyName.PRIORITY: priority.advice,
    PolicyName.LEARNED: learned.advice,
}


def advise(name: PolicyName, ask: PolicyInput) -> Advice:
    """The advice of a policy, within the bounds; where the bounds cut it, the inputs contain the uncut value."""
    advice = POLICIES[name](ask)
    interval = min(max(advice.interval, ask.bounds.least), ask.bounds.most)
    if interval == advice.interval:
        return advice
    return Advice(interval=interval, inputs=advice.inputs | {"before_bounds_seconds": advice.interval.total_seconds()})
