"""Alerts: what a rule found, until it no longer holds. Problems: sources that need a person for the same cause."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from lamplighter.model.crawl import JobState, PauseReason, RunAdvice, RunOutcome
from lamplighter.model.run_figures import RunFigures


class Severity(StrEnum):
    """How urgent an alert is; the words are used in payloads and labels and never change."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class AlertState(StrEnum):
    """The state of an alert."""

    #: the rule holds, but not yet for long enough
    PENDING = "pending"
    FIRING = "firing"
    CLEARED = "cleared"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFinding:
    """A subject for which a rule holds now."""

    #: `source:<public id>`, `host:<key>` and the like; empty when it is about the whole installation
    subject: str
    #: the measured value, in the rule's own unit
    value: float
    #: the finding in a sentence that names the subject
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCheck:
    """The result of checking one rule."""

    findings: tuple[AlertFinding, ...] = ()
    #: the figure that the rule judges, whether or not the rule holds; None when there is none
    value: float | None = None
    #: False when more subjects may match than were found: a missing subject then says nothing
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A finding with its history."""

    id: int
    public_id: str
    rule: str
    subject: str
    severity: Severity
    #: since when it holds without interruption
    since: datetime
    #: when it had held for long enough; None before
    fired_at: datetime | None
    #: since when it no longer holds, while it waits to be cleared; None while it holds
    quiet_since: datetime | None
    cleared_at: datetime | None
    value: float | None
    detail: str

    @property
    def kind(self) -> str:
        """The kind of subject: source, host, machine and the like; empty for the whole installation."""
        return self.subject.partition(":")[0]

    @property
    def about(self) -> str:
        """The subject's id: the source's public id, the host's key; empty for the whole installation."""
        return self.subject.partition(":")[2]

    @property
    def state(self) -> AlertState:
        """The state it is in."""
        if self.cleared_at is not None:
            return AlertState.CLEARED
        return AlertState.PENDING if self.fired_at is None else AlertState.FIRING


class ProblemKind(StrEnum):
    """What is wrong."""

    #: the host fails, whatever the page
    HOST = "host"
    #: the runs of a source fail
    SOURCE = "source"
    #: the pages show far less than usual
    DRIFT = "drift"
    #: robots.txt disallows the URLs
    ROBOTS = "robots"
    TAKEDOWN = "takedown"
    #: the start pages redirect for good
    MOVED = "moved"
    #: the page budget cuts the runs short
    CUT = "cut"


class TroubledSource(NamedTuple):
    """A source that needs a person, and what its latest run says."""

    id: int
    public_id: str
    name: str
    url: str
    #: of its start page; None where it was not met yet
    host: str | None
    state: JobState
    pause_reason: PauseReason | None
    failure_count: int
    last_drifted: bool
    last_advice: RunAdvice | None
    #: when its content was last seen; None before
    visited_at: datetime | None
    #: of the latest run; None before the first
    outcome: RunOutcome | None
    message: str | None
    #: records that its pages showed at the run's end
    records_shown: int | None
    page_budget: int | None
    #: where its start page redirects to for good; None if it does not
    moved_to: str | None = None


class RunMark(NamedTuple):
    """A run at which something turned."""

    public_id: str
    number: int
    started_at: datetime
    finished_at: datetime
    outcome: RunOutcome
    message: str | None
    bytes_fetched: int
    #: records that the source's pages showed when it ended
    records_shown: int | None
    #: None before its first response, and for runs of older versions
    figures: RunFigures | None


class RunTurn(NamedTuple):
    """Between which runs a source went from good to bad."""

    #: None when no run that is kept was good
    last_good: RunMark | None
    #: the first one after it; None when none was bad
    first_bad: RunMark | None


class PageTurn(NamedTuple):
    """The versions of a source's start page before and after that."""

    page_id: int
    before: int
    after: int
    #: when the version after was first fetched
    changed_at: datetime


class Snooze(NamedTuple):
    """A problem that somebody hid for a while."""

    key: str
    #: the problem in words, as it was then
    title: str
    snoozed_by: str
    snoozed_at: datetime
    until: datetime
