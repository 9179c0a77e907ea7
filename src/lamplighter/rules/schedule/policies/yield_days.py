"""The yield policy: a day sooner after a rich run, a day later after quiet runs (seed S0)."""

from datetime import timedelta

from lamplighter.rules.schedule.policies.policy_input import Advice, PolicyInput

#: S0: so many new or updated records make a run busy
BUSY_AT = 10
#: S0: so many runs in a row without any make a source quiet
QUIET_AT = 3
#: S0: subtracted or added
STEP = timedelta(days=1)
#: S0: never sooner
LEAST = timedelta(days=0.5)
#: S0: never later, unless the baseline itself is
MOST = timedelta(days=14)


def advice(ask: PolicyInput) -> Advice:
    """The baseline, a step shorter or longer by what the last runs yielded."""
    return Advice(
        interval=_interval(ask),
        inputs={
            "baseline_seconds": ask.baseline.total_seconds(),
            "yielded": ask.yielded,
            "unchanged_runs": ask.unchanged_count,
        },
    )


def _interval(ask: PolicyInput) -> timedelta:
    """The interval in S0's days. For a baseline under a day the step and the minimum shrink with the baseline.

    Without that a busy source checked every 6 h would be slowed down to half a day. Half the baseline when busy and
    twice when quiet are what S0 itself says for one day, so nothing jumps there.
    """
    base = ask.baseline
    step = min(STEP, base)
    if ask.yielded >= BUSY_AT:
        return max(min(LEAST, base / 2), base - step)
    if ask.yielded == 0 and ask.unchanged_count >= QUIET_AT:
        return min(max(MOST, base), base + step)
    return base
