"""The fixed policy: the interval as given, whatever a run found."""

from lamplighter.rules.schedule.policies.policy_input import Advice, PolicyInput


def advice(ask: PolicyInput) -> Advice:
    """The baseline."""
    return Advice(interval=ask.baseline, inputs={"baseline_seconds": ask.baseline.total_seconds()})
