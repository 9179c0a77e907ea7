"""Alerts and the rules that raise them."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, Field

from lamplighter.model.alert import AlertState, Severity
from lamplighter.operations.alerts import alerts
from lamplighter.store.alerts.alerts import AlertFilter
from lamplighter.web.api.envelope import Seconds, listed, part_of, taken_from
from lamplighter.web.routes import Routes
from lamplighter.web.values import Limit, Line, Offset
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/alerts", tag="alerts")


Word = Annotated[Line, Field(max_length=400)]


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


@ROUTES.get("", response_model=part_of("alerts", AlertOut))
async def list_alerts(
    view: View,
    state: AlertState | None = None,
    rule: Word | None = None,
    severity: Severity | None = None,
    subject: Annotated[Word | None, Query(description="As it stands in an alert, such as `host:example.org`.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """Alerts, the latest first: pending, firing, and cleared within the last 90 days."""
    wanted = AlertFilter(state=state, rule=rule, severity=severity, subject=subject)
    page = await view.read(lambda db: alerts.listed(db, wanted, limit=limit, offset=offset))
    return listed("alerts", alerts.form(page.rows), total=page.total, limit=limit, offset=offset)


@ROUTES.get("/rules", response_model=RuleListOut)
async def list_rules(view: View) -> Any:
    """The alert rules, and the state of each as this process last evaluated it."""
    watched = view.crawl.watched()
    return {"rules": alerts.rules(watched), "looked_at": watched.at if watched is not None else None}
