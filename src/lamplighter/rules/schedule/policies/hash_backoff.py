"""The hash back-off policy: twice as long after every run with unchanged content (seeds S1 and S4)."""

from datetime import timedelta

from lamplighter.rules.hosts.politeness import doubled
from lamplighter.rules.schedule.policies.policy_input import Advice, PolicyInput

#: S1, S4: doubling ends here. A longer baseline is kept: cutting it would visit quiet sources more often than busy ones
CAP = timedelta(hours=24)


def advice(ask: PolicyInput) -> Advice:
    """The baseline after a change, doubled for every unchanged run since."""
    return Advice(
        interval=doubled(ask.baseline, ask.unchanged_count, cap=max(CAP, ask.baseline)),
        inputs={"baseline_seconds": ask.baseline.total_seconds(), "unchanged_runs": ask.unchanged_count},
    )
