"""Planners for tests: what would be drawn by chance lies in the middle."""

from typing import Any

from lamplighter.crawl.planning.planner import Planner
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.schedule import PolicyName
from tests.clocks import At


def planner(clock: Any = None, *, policy: PolicyName = PolicyName.HASH_BACKOFF, **source_defaults: Any) -> Planner:
    """Plans by a rule whose numbers can be told in one's head, unless the test is about another."""
    return Planner(
        source_defaults=SourceDefaults(policy=policy, **source_defaults), clock=clock or At(), draw=lambda: 0.5
    )
