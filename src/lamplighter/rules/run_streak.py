"""What the latest runs of a source say together: how many failed in a row, and whether the site keeps us out."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from lamplighter.model.crawl import Outcome
from lamplighter.model.visit import SOFT_NOT_FOUND, Fault, Refusal

#: runs in a row that a site must turn away before it counts as keeping us out
BLOCKED_AT = 3
#: what we did not ask for was no failure of the source, and no recovery either
_NOT_ASKED = tuple(f"{refusal}:" for refusal in (Refusal.ROBOTS, Refusal.TAKEDOWN))
_TURNED_AWAY = re.compile(
    rf"{Fault.OBSTRUCTED}: (?!{SOFT_NOT_FOUND})|{Fault.BUSY}:|{Fault.CLIENT_ERROR}: HTTP (?:401|403|451)\b"
)


class Ended(NamedTuple):
    """How a run ended."""

    outcome: str
    #: begins with the reason when it failed
    message: str


def failures_in_a_row(ends: Sequence[Ended]) -> int:
    """How many runs failed since the last that did not, the latest first."""
    count = 0
    for end in ends:
        if end.outcome != Outcome.FAIL:
            break
        count += _refusal(end) is None
    return count


def is_newly_refused(ends: Sequence[Ended]) -> bool:
    """Whether we may not ask by our own rules, and might before, the latest first."""
    refused = [_refusal(end) for end in ends[:2]]
    return refused[0] is not None and refused[1:] != refused[:1]


def _refusal(end: Ended) -> str | None:
    if end.outcome != Outcome.FAIL:
        return None
    return next((refusal for refusal in _NOT_ASKED if end.message.startswith(refusal)), None)


def is_newly_shut_out(ends: Sequence[Ended]) -> bool:
    """Whether the site has just now turned us away so often in a row that it means it, the latest first."""
    turned_away = [end.outcome == Outcome.FAIL and bool(_TURNED_AWAY.match(end.message)) for end in ends]
    return all(turned_away[:BLOCKED_AT]) and len(turned_away) >= BLOCKED_AT and not any(turned_away[BLOCKED_AT:][:1])
