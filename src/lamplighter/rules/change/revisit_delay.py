"""The revisit delay of a linked page: the more often it changes compared with its siblings, the shorter.

Listings and start pages have none: they are fetched in every run.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from lamplighter.model.page import RevisitState
from lamplighter.model.schedule import Belief
from lamplighter.rules.change import belief, priors
from lamplighter.rules.change.priors import PRIOR_SHAPE, GroupEvidence

HOUR = timedelta(hours=1)
#: of a page about which no visit has taught anything, and of a page that changes like its siblings
USUAL = timedelta(hours=24)
LEAST = timedelta(hours=1)
MOST = timedelta(days=30)
#: of pages that are hardly worth another visit: closed postings, and pages that are gone
MOST_FADED = timedelta(days=90)
#: the linked pages of a source that was not observed yet change about once in three days
BASELINE = Belief(a=PRIOR_SHAPE, b=PRIOR_SHAPE * 72)
#: visits in a row that must not find the page, the later at least an hour after the first, before it counts as gone
GONE_AFTER = 2
CONFIRMED_AFTER = timedelta(hours=1)
#: a deadline is a day in an unknown time zone; the last zones are this far behind UTC
LAST_CLOCKS = timedelta(hours=12)
#: two visits of one run count as one
_ONE_LOOK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisit:
    """A visit to a page that was fetched before and could be compared."""

    at: datetime
    #: when it was fetched before
    since: datetime
    is_changed: bool

    @property
    def gap(self) -> timedelta:
        """Time between the two visits."""
        return self.at - self.since

    @property
    def is_a_lesson(self) -> bool:
        """Whether enough time has passed for the visit to teach something; none has if a clock went backwards."""
        return self.gap >= _ONE_LOOK


def prior(siblings: GroupEvidence) -> Belief:
    """The belief about a page before its second visit: how its source's linked pages were seen to change."""
    return priors.prior(baseline=BASELINE, cohort=None, host=siblings)


def after_lesson(revisit: RevisitState, visit: Revisit, *, siblings: GroupEvidence, is_closed: bool) -> RevisitState:
    """The revisit delay after a visit that was compared with our copy.

    The price of a visit is set so that a page like its siblings waits a day. On the whole nothing is fetched more
    often: visits move from pages that change rarely to those that change often.
    """
    usual = prior(siblings)
    hours = visit.gap / HOUR
    learnt = belief.sound(revisit.belief.a, revisit.belief.b, otherwise=usual) if revisit.belief is not None else usual
    learnt = (belief.changed if visit.is_changed else belief.unchanged)(learnt, hours)
    learnt = belief.capped(learnt, shape=PRIOR_SHAPE)
    price = belief.stale_hours(usual, USUAL / HOUR)
    wait = HOUR * belief.wait_hours(learnt, price=price, least=LEAST / HOUR, most=MOST / HOUR)
    if is_closed:
        wait = min(max(wait, USUAL, 2 * visit.gap), MOST_FADED)
    return RevisitState(belief=learnt, until=visit.at + wait)


def after_first_look(revisit: RevisitState, *, at: datetime) -> RevisitState:
    """The revisit delay after a first visit, which there was nothing to compare with."""
    return RevisitState(belief=revisit.belief, until=at + USUAL)


def after_nothing_said(revisit: RevisitState, *, at: datetime) -> RevisitState:
    """The revisit delay after a visit that returned something else, or was refused: it says nothing about changes."""
    return replace(revisit, until=at + USUAL)


def after_missing(revisit: RevisitState, *, at: datetime) -> RevisitState:
    """The revisit delay of a missing page: fetched once more when it is next linked, then hardly ever again."""
    if revisit.missing_count == 0 or revisit.until is None:
        return replace(revisit, missing_count=1, until=at)
    if revisit.missing_count == 1 and at - revisit.until < CONFIRMED_AFTER:
        return revisit
    count = revisit.missing_count + 1
    return replace(revisit, missing_count=count, until=at + _gone_for(count))


def is_gone(revisit: RevisitState) -> bool:
    """Whether the page was missing twice in a row."""
    return revisit.missing_count >= GONE_AFTER


def ends_at(revisit: RevisitState, *, fetched_at: datetime | None) -> datetime | None:
    """When a page may be fetched again because it is linked; None for at once."""
    is_doubtful = fetched_at is None and 0 < revisit.missing_count < GONE_AFTER
    if revisit.until is not None and not is_doubtful:
        return revisit.until
    return fetched_at + USUAL if fetched_at is not None else None


def lead_again_at(due_at: datetime | None, *, now: datetime) -> datetime:
    """When an unchanged page is parsed again for the sake of the pages it links to.

    `due_at` is when the first of the known ones may be due. New ones wait a day after their first visit, and so the
    page is parsed again within a day, whatever is known.
    """
    return max(now + LEAST, min(due_at or now + USUAL, now + USUAL))


def began_at(revisit: RevisitState, *, fetched_at: datetime | None) -> datetime | None:
    """When a page was last visited; None for never."""
    if is_gone(revisit) and revisit.until is not None:
        return revisit.until - _gone_for(revisit.missing_count)
    return fetched_at


def closed_before(now: datetime) -> date:
    """A deadline before this day has passed in every time zone."""
    return (now - LAST_CLOCKS).date()


def _gone_for(missing_count: int) -> timedelta:
    doublings = min(missing_count - GONE_AFTER, 8)
    return min(MOST * (1 << doublings), MOST_FADED)
