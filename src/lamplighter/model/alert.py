"""What is wrong, as a rule found it: from the first time that it held until it holds no more."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Severity(StrEnum):
    """How soon somebody should look; the words stand in payloads and labels and stay as they are."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class AlertState(StrEnum):
    """Where an alert stands."""

    #: it holds, but not yet for long enough
    PENDING = "pending"
    FIRING = "firing"
    CLEARED = "cleared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something for which a rule holds now."""

    #: `source:<public id>`, `host:<key>` and the like; empty when it is about the whole installation
    subject: str
    #: how much it is, in the rule's own measure
    value: float
    #: what was found, in a sentence that names the subject
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a look at one rule's condition came to."""

    findings: tuple[Finding, ...] = ()
    #: the figure that the rule is about, whether or not the rule holds; None when there is none
    value: float | None = None
    #: False when more may hold than was found: then what is missing among the findings says nothing
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A finding with its life."""

    id: int
    public_id: str
    rule: str
    subject: str
    severity: Severity
    #: since when it holds without a break
    since: datetime
    #: when it had held for long enough; None before
    fired_at: datetime | None
    #: since when it has not held, while it waits to be cleared; None while it holds
    quiet_since: datetime | None
    cleared_at: datetime | None
    value: float | None
    detail: str

    @property
    def kind(self) -> str:
        """What it is about: source, host, machine and the like; empty when about the whole installation."""
        return self.subject.partition(":")[0]

    @property
    def about(self) -> str:
        """Which of them: the source's public id, the host's key; empty when there is nothing to tell apart."""
        return self.subject.partition(":")[2]

    @property
    def state(self) -> AlertState:
        """Where it stands."""
        if self.cleared_at is not None:
            return AlertState.CLEARED
        return AlertState.PENDING if self.fired_at is None else AlertState.FIRING
