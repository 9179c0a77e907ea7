"""How fast: gaps, requests at a time, and being left alone when a site asks for it."""

import math
from collections.abc import Sequence
from email.utils import parsedate_to_datetime

from tests.witness.lines import Line, over_at
from tests.witness.permission import Copies
from tests.witness.policy import Policy, Span
from tests.witness.rule import Breach, may_be_lost


class Gap:
    """Between two requests lies at least the delay: the policy's, or the Crawl-delay known at the first of them."""

    name = "the gap is below the policy"

    def __init__(self, policy: Policy, copies: Copies) -> None:
        self._policy, self._copies = policy, copies
        self._last: Line | None = None
        self._delay = 0.0

    def asked(self, line: Line) -> Breach | None:
        last, delay = self._last, self._delay
        self._last, self._delay = line, max(self._policy.delay, self._copies.crawl_delay)
        if last is None:
            return None
        since = last.arrived
        # From the end of an answer nothing can have been noted too late: whoever knows of it, asks afterwards.
        if self._policy.concurrency == 1 and last.answered is not None and last.answered <= line.arrived:
            since = last.answered
        gap = line.arrived - since
        if gap >= delay - self._policy.jitter:
            return None
        return Breach(f"{gap:.3f} s after the request before it, {delay:.3f} s at least were promised", last)


class Concurrency:
    """No more requests at a time than the policy allows."""

    name = "more requests at a time than the policy allows"

    def __init__(self, policy: Policy, _: Copies) -> None:
        self._policy = policy
        self._in_flight: list[Line] = []

    def asked(self, line: Line) -> Breach | None:
        now = line.arrived
        still = [other for other in self._in_flight if _over_at(other, self._policy.lost) > now]
        self._in_flight = [*still, line]
        if len(self._in_flight) <= self._policy.concurrency:
            return None
        return Breach(f"{len(self._in_flight)} at a time, {self._policy.concurrency} are allowed", still[0])


def _over_at(line: Line, lost: Sequence[Span]) -> float:
    """Whoever was killed has stopped asking, whatever the site still has to say to it."""
    end = over_at(line)
    if not lost:
        return end
    deaths = [span.end for span in lost if line.arrived <= span.end < end]
    return min([end, *deaths])


class RetryAfter:
    """A host that is busy, or that delays a redirect, is left alone for as long as it says, up to the longest."""

    name = "before Retry-After had run out"

    def __init__(self, policy: Policy, _: Copies) -> None:
        self._policy = policy
        self._until = -math.inf
        self._told: Line | None = None

    def asked(self, line: Line) -> Breach | None:
        if line.arrived >= self._until - self._policy.jitter or self._told is None:
            return None
        return Breach(f"{self._until - line.arrived:.3f} s too early", self._told)

    def answered(self, line: Line) -> None:
        wait = self._wait(line)
        if wait is None or may_be_lost(line, self._policy.lost):
            return
        until = over_at(line) + min(wait, self._policy.longest_retry_after)
        if until > self._until:
            self._until, self._told = until, line

    def _wait(self, line: Line) -> float | None:
        """Seconds; None if it did not ask to be left alone."""
        status = line.status or 0
        if status not in (429, 503) and not 300 <= status < 400:
            return None
        wait = seconds_asked(line, self._policy)
        return self._policy.busy if wait is None and status == 429 else wait


def seconds_asked(line: Line, policy: Policy) -> float | None:
    """How long the answer asks us to wait; None if it does not say so in a way that can be understood."""
    said = line.sent.get("retry-after", "")
    if said.isascii() and said.isdigit():
        return float(said)
    try:
        date = parsedate_to_datetime(said)
    except ValueError:
        return None
    if policy.epoch is None:
        raise ValueError(f"Retry-After is a date ({said}): declare the epoch of the log in the host's policy")
    return max(0.0, date.timestamp() - policy.epoch - over_at(line))
