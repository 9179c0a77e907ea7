"""The interval as given, whatever was found."""

from lamplighter.rules.policies.asking import Advice, Ask


def advice(ask: Ask) -> Advice:
    """The baseline."""
    return Advice(interval=ask.baseline, inputs={"baseline_seconds": ask.baseline.total_seconds()})
