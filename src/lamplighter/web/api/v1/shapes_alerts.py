"""Alerts as the API shows them."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from lamplighter.model.alert import AlertState, Severity


class AlertOut(BaseModel):
    """Something that is or was wrong."""

    id: UUID
    rule: str
    state: AlertState
    severity: Severity
    #: `source:<id>`, `host:<name>` and the like; empty when it is about the whole installation
    subject: str
    subject_name: str
    title: str
    #: what was found
    detail: str
    #: why it matters, and what to do
    matters: str
    remedy: str
    #: how much it is, in the rule's own measure
    value: float | None
    since: datetime
    #: null while it has not held for long enough
    fired_at: datetime | None
    cleared_at: datetime | None


class AlertListOut(BaseModel):
    """A part of the alerts."""

    alerts: list[AlertOut]
    total: int
    limit: int
    offset: int


class RuleOut(BaseModel):
    """What is worth an alert, and how it stands."""

    name: str
    severity: Severity
    title: str
    condition: str
    matters: str
    remedy: str
    #: it must hold for so long before it fires, and not hold for so long before it clears
    hold_seconds: float
    quiet_seconds: float
    #: the condition in PromQL
    expression: str
    #: the figure that it is about, as last seen; null when there is none
    value: float | None
    #: for how many sources, hosts or things it holds now
    findings: int


class RuleListOut(BaseModel):
    """All rules, and when somebody last looked."""

    rules: list[RuleOut]
    looked_at: datetime | None
