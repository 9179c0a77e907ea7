"""What a rule is: something that hears of requests and of answers, in their order, and speaks up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.witness.lines import Line
from tests.witness.policy import Span


@dataclass(frozen=True, slots=True)
class Breach:
    """A request broke a rule."""

    why: str
    #: the line that made it a breach; None when the request is one by itself
    because_of: Line | None = None


class Rule(Protocol):
    """One rule of politeness towards one host. It may also have `answered(line)`, called when an answer was there."""

    name: str

    def asked(self, line: Line) -> Breach | None:
        """Whether this request breaks the rule."""
        ...


def may_be_lost(line: Line, lost: Sequence[Span]) -> bool:
    """Whether whoever asked may have died or slept before it had saved the answer."""
    if not lost:
        return False
    end = line.finished if line.finished is not None else float("inf")
    return any(line.arrived <= span.end and end >= span.begin for span in lost)
