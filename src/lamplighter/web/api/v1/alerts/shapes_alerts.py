"""Response models of alerts."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from lamplighter.model.alert import AlertState, Severity
from lamplighter.web.api.answer_fields import Seconds, taken_from


class AlertOut(BaseModel):
    """A present or past alert."""

    id: UUID
    rule: str
    state: AlertState
    severity: Severity
    #: `source:<id>`, `host:<name>` and the like; empty for the whole installation
    subject: str = Field(examples=["host:quay.example"])
    subject_name: str
    title: str
    #: the finding
    detail: str = Field(examples=["Quay Jobs has had no successful run since 2026-03-14 03:10 UTC"])
    #: why it matters, and what to do
    matters: str
    remedy: str
    #: the measured value, in the rule's own unit
    value: float | None
    since: datetime
    #: null while it has not held for long enough to fire
    fired_at: datetime | None
    cleared_at: datetime | None


class AlertRuleOut(BaseModel):
    """An alert rule and its state."""

    name: str = taken_from("rule", "name")
    severity: Severity = taken_from("rule", "severity")
    title: str = taken_from("rule", "title")
    condition: str = taken_from("rule", "condition", examples=["more than 100 events wait to be settled"])
    matters: str = taken_from("rule", "matters")
    remedy: str = taken_from("rule", "remedy")
    #: how long the condition must hold before the alert fires, and not hold before it clears
    hold_seconds: Seconds = taken_from("rule", "hold")
    quiet_seconds: Seconds = taken_from("rule", "quiet")
    #: the condition in PromQL
    expression: str = taken_from("rule", "promql", examples=["max(crawler_consumer_lag_messages) > 100"])
    #: the measured value at the last evaluation; null when there is none
    value: float | None
    #: the number of subjects for which the condition holds now
    findings: int


class RuleListOut(BaseModel):
    """All rules, and the last evaluation time."""

    rules: list[AlertRuleOut]
    looked_at: datetime | None
