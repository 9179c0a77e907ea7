"""Planners for tests: what would be drawn by chance lies in the middle."""

from datetime import datetime
from typing import Any

from lamplighter.crawl.norms import Norms
from lamplighter.crawl.planner import Planner
from lamplighter.model.schedule import PolicyName
from tests.moments import NOON


class At:
    """A clock that stands still unless it is set."""

    def __init__(self, now: datetime = NOON) -> None:
        self.at = now

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()


def planner(clock: Any = None, *, policy: PolicyName = PolicyName.HASH_BACKOFF, **norms: Any) -> Planner:
    """Plans by a rule whose numbers can be told in one's head, unless the test is about another."""
    return Planner(norms=Norms(policy=policy, **norms), clock=clock or At(), draw=lambda: 0.5)
