"""Why a crawl job runs next at its planned time, in one line for people."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lamplighter.model.schedule import PolicyName
from lamplighter.rules.formats.plural import counted

#: fewer visits than this leave the change rate to the prior, and it is not shown
TELLING_VISITS = 2
#: seconds
YEAR = 365.25 * 86400
CENTURY = 100 * YEAR


def sentence(reason: Mapping[str, Any] | None) -> str:
    """The explanation of a next run in one line."""
    if not reason:
        return "as soon as possible: it has not run yet"
    if "why" in reason:
        return str(reason["why"])
    if "steps" not in reason:
        return _from_before(reason)
    return " · ".join(_parts(reason))


def _from_before(reason: Mapping[str, Any]) -> str:
    """The explanation of a plan that was stored before steps were; after its next run a job has steps."""
    interval = reason.get("interval_seconds")
    every = f"every {span(interval)}, " if interval is not None else ""
    return f"{every}as planned by an earlier version"


def _parts(reason: Mapping[str, Any]) -> Iterator[str]:
    steps = reason["steps"]
    expected = reason["expected"]
    failing = any(step["step"] == "backoff" for step in steps)
    if expected["visits"] > TELLING_VISITS:
        yield _change_rate(expected)
    for step in steps:
        # The policy's advice does not matter while a failed visit is to be retried.
        if not (failing and step["step"] == "policy"):
            yield _STEPS[step["step"]](step)
    if expected["visits"] > TELLING_VISITS and not failing:
        yield _staleness(expected)


def _change_rate(expected: Mapping[str, Any]) -> str:
    low, high = expected["changes_every_range_seconds"]
    return (
        f"changes about every {span(expected['changes_every_seconds'])} "
        f"({span(low)} to {span(high)}, from {counted(expected['visits'], 'visit')})"
    )


def _staleness(expected: Mapping[str, Any]) -> str:
    measured = expected["measured_staleness"]
    before = f" (last month it was {measured:.0%})" if measured is not None else ""
    return f"{expected['staleness']:.0%} of the time our copy is expected to be stale{before}"


def _policy(step: Mapping[str, Any]) -> str:
    set_to = f", set to {span(step['set_seconds'])} by a person" if "set_seconds" in step else ""
    return _pace(step) + set_to


def _pace(step: Mapping[str, Any]) -> str:
    every = f"every {span(step['seconds'])}"
    match step["policy"]:
        case PolicyName.LEARNED:
            signal = step.get("signal")
            return f"visited {every}" + (f", sooner because a change was announced ({signal:.0%})" if signal else "")
        case PolicyName.HASH_BACKOFF if step["unchanged_runs"]:
            return f"{every} after {counted(step['unchanged_runs'], 'unchanged run')}"
        case PolicyName.YIELD_DAYS:
            return f"{every} for {counted(step['yielded'], 'record')} found"
        case PolicyName.PRIORITY:
            return f"{every} by its priority"
        case _:
            return every


def _backoff(step: Mapping[str, Any]) -> str:
    if not step["is_final"]:
        return f"retry {step['tries']} after {span(step['seconds'])}"
    rest = f"backing off {span(step['seconds'])} after {counted(step['failures'], 'failure')}"
    return f"{rest}, the breaker is open" if step["opens_breaker"] else rest


def _hint(step: Mapping[str, Any]) -> str:
    if step["by"] == "fresh":
        return f"the server calls its response fresh for {span(step['seconds'])}"
    return f"the host is not fetched for {span(step['seconds'])}"


def _window(step: Mapping[str, Any]) -> str:
    if step["at"] is None:
        return "the windows of source and host never open together and are ignored"
    return f"waits {span(step['waited_seconds'])} for its window to open"


def _slot(step: Mapping[str, Any]) -> str:
    where = "later" if step["moved_seconds"] > 0 else "earlier"
    return f"moved {span(abs(step['moved_seconds']))} {where} for load"


def _siblings(step: Mapping[str, Any]) -> str:
    sooner = f"brought forward {span(step['moved_seconds'])}"
    seen = f"{step['changed']} of {counted(step['visited'], 'source')} of this host that were visited"
    return f"{sooner}: {seen} in the last {span(step['within_seconds'])} had changed"


def caught_up(step: Mapping[str, Any]) -> str:
    """The explanation of a job that fell due while no scheduler was running, and waits a little longer."""
    waits = f"delayed by {span(step['waits_seconds'])} to spread the missed runs"
    return f"due while no scheduler ran for {span(step['away_seconds'])}, {waits}"


_STEPS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "policy": _policy,
    "rhythm": lambda step: f"keeps its rhythm, {span(step['seconds'])} after the last run",
    "backoff": _backoff,
    "hint": _hint,
    "bounds": lambda step: f"limited by its bounds to {span(step['seconds'])}",
    "jitter": lambda step: f"{step['share']:+.1%} jitter",
    "window": _window,
    "slot": _slot,
    "spread": lambda step: f"{span(step['moved_seconds'])} later this once: many sources were added together",
    "catch_up": caught_up,
    "siblings": _siblings,
}


def span(seconds: float) -> str:
    """A duration for people: 90 s, 15 min, 6 h, 3 d; anything longer than a century is 100+ y."""
    if seconds >= CENTURY:
        return "100+ y"
    for size, unit in ((YEAR, "y"), (86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size or (seconds >= size and seconds % size == 0):
            return f"{seconds / size:.3g} {unit}"
    # Rounded first: less than a millisecond would be written with an exponent.
    return f"{round(seconds, 3):.3g} s"
