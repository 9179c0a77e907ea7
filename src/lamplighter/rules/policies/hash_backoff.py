"""Twice as long after every run that found the same content: the rule of seeds S1 and S4."""

from datetime import timedelta

from lamplighter.rules.policies.asking import Advice, Ask
from lamplighter.rules.politeness import doubled

#: S1, S4: doubling ends here. A longer baseline is kept: cutting it would visit the quiet more often than the busy
CAP = timedelta(hours=24)


def advice(ask: Ask) -> Advice:
    """The baseline after a change, doubled for every unchanged run since."""
    return Advice(
        interval=doubled(ask.baseline, ask.unchanged_count, cap=max(CAP, ask.baseline)),
        inputs={"baseline_seconds": ask.baseline.total_seconds(), "unchanged_runs": ask.unchanged_count},
    )
