"""A day sooner after a rich run, a day later after quiet ones: the rule of seed S0."""

from datetime import timedelta

from lamplighter.rules.policies.asking import Advice, Ask

#: S0: so many new or updated records make a run a busy one
BUSY_AT = 10
#: S0: so many runs in a row without any make a source a quiet one
QUIET_AT = 3
#: S0: what is taken off, or added
STEP = timedelta(days=1)
#: S0: never sooner
LEAST = timedelta(days=0.5)
#: S0: never later, unless the baseline itself is
MOST = timedelta(days=14)


def advice(ask: Ask) -> Advice:
    """The baseline, a step shorter or longer by what the last runs yielded."""
    return Advice(
        interval=_interval(ask),
        inputs={
            "baseline_seconds": ask.baseline.total_seconds(),
            "yielded": ask.yielded,
            "unchanged_runs": ask.unchanged_count,
        },
    )


def _interval(ask: Ask) -> timedelta:
    """S0 thinks in days. For a baseline under a day its step and its least shrink along with the baseline.

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
