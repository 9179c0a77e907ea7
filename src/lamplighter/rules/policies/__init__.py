"""How long until the next run? Five ways to choose, each a pure function of what is known when a run has ended."""

from collections.abc import Callable, Mapping

from lamplighter.model.schedule import PolicyName
from lamplighter.rules.policies import fixed, hash_backoff, learned, priority, yield_days
from lamplighter.rules.policies.asking import Advice, Ask

__all__ = ["POLICIES", "Advice", "Ask", "advise"]

POLICIES: Mapping[PolicyName, Callable[[Ask], Advice]] = {
    PolicyName.FIXED: fixed.advice,
    PolicyName.YIELD_DAYS: yield_days.advice,
    PolicyName.HASH_BACKOFF: hash_backoff.advice,
    PolicyName.PRIORITY: priority.advice,
    PolicyName.LEARNED: learned.advice,
}


def advise(name: PolicyName, ask: Ask) -> Advice:
    """What a policy says, inside the bounds; where they cut it, what it said before is among the inputs."""
    advice = POLICIES[name](ask)
    interval = min(max(advice.interval, ask.bounds.least), ask.bounds.most)
    if interval == advice.interval:
        return advice
    return Advice(interval=interval, inputs=advice.inputs | {"before_bounds_seconds": advice.interval.total_seconds()})
