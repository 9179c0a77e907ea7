"""The politeness witness: a specification of politeness that reads nothing but access logs and what was declared.

    found = violations(origin.log, {origin.address: Policy(delay=0.5)})
    assert found == [], report(found)

It knows nothing of the program that it judges, and imports nothing of it. Lines are told apart by their Host header,
so the logs of several sites may be put together in one. `Witness` does the same line by line, for those whose logs are
too long to keep.
"""

from tests.witness.judge import ANY_HOST, Violation, Witness, report, violations
from tests.witness.lines import Line
from tests.witness.policy import Policy, RobotsText, Span

__all__ = ["ANY_HOST", "Line", "Policy", "RobotsText", "Span", "Violation", "Witness", "report", "violations"]
