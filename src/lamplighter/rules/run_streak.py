"""What the latest runs of a source say together: how many failed in a row, and whether the site keeps us out."""

import re
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


class Streaks(NamedTuple):
    """What happened how often in a row, by the columns of a job."""

    failed_runs: int
    turned_away_runs: int


def after(failed_runs: int, turned_away_runs: int, end: Ended) -> Streaks:
    """The streaks of a source after one more run."""
    if end.outcome != Outcome.FAIL:
        return Streaks(0, 0)
    is_turned_away = bool(_TURNED_AWAY.match(end.message))
    return Streaks(failed_runs + (_refusal(end) is None), turned_away_runs + 1 if is_turned_away else 0)


def is_newly_refused(end: Ended, before: Ended | None) -> bool:
    """Whether we may not ask by our own rules, and might before."""
    refusal = _refusal(end)
    return refusal is not None and (before is None or _refusal(before) != refusal)


def _refusal(end: Ended) -> str | None:
    if end.outcome != Outcome.FAIL:
        return None
    return next((refusal for refusal in _NOT_ASKED if end.message.startswith(refusal)), None)
