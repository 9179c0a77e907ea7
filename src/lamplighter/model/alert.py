"""Alerts: what a rule found, from when it first held until it no longer holds."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
