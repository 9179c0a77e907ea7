"""Streaks over the latest runs of a source: how many failed in a row, and does the site keep us out?"""

import re
from typing import NamedTuple

from lamplighter.model.crawl import RunOutcome
from lamplighter.model.visit import SOFT_NOT_FOUND, Fault, Refusal

#: runs in a row that a site must turn away before it counts as keeping us out
BLOCKED_AT = 3
#: a source whose runs are never complete, as its page budget is small, has its baseline after so many
BASELINE_AT = 3
#: refusals by our own rules are neither a failure of the source nor a recovery
_NOT_ASKED = tuple(f"{refusal}:" for refusal in (Refusal.ROBOTS, Refusal.TAKEDOWN))
_TURNED_AWAY = re.compile(
    rf"{Fault.OBSTRUCTED}: (?!{SOFT_NOT_FOUND})|{Fault.BUSY}:|{Fault.CLIENT_ERROR}: HTTP (?:401|403|451)\b"
)


class EndedRun(NamedTuple):
    """How a run ended."""

    outcome: str
    #: begins with the reason when the run failed
    message: str


class RunStreaks(NamedTuple):
    """How many runs in a row failed and were turned away, by the columns of a job."""

    failed_runs: int
    turned_away_runs: int


def after(failed_runs: int, turned_away_runs: int, end: EndedRun) -> RunStreaks:
    """The streaks of a source after one more run."""
    if end.outcome != RunOutcome.FAIL:
        return RunStreaks(0, 0)
    is_turned_away = bool(_TURNED_AWAY.match(end.message))
    return RunStreaks(failed_runs + (_refusal(end) is None), turned_away_runs + 1 if is_turned_away else 0)


def is_newly_refused(end: EndedRun, before: EndedRun | None) -> bool:
    """Whether our own rules forbid fetching the source now, and did not before."""
    refusal = _refusal(end)
    return refusal is not None and (before is None or _refusal(before) != refusal)


def _refusal(end: EndedRun) -> str | None:
    if end.outcome != RunOutcome.FAIL:
        return None
    return next((refusal for refusal in _NOT_ASKED if end.message.startswith(refusal)), None)


def ends_baseline(outcome: RunOutcome, *, saw_everything: bool, number: int) -> bool:
    """Whether a source has its baseline after this run: its first complete one, or its third if none is complete."""
    return outcome is not RunOutcome.FAIL and (saw_everything or number >= BASELINE_AT)
