"""Alerts: what is wrong, what was, and by which rules that is judged."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from lamplighter.model.alert import AlertState, Severity
from lamplighter.operations import alerts
from lamplighter.operations.alerts import RuleStanding
from lamplighter.store.alerts import Wanted
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1.shapes_alerts import AlertListOut, RuleListOut
from lamplighter.web.api.values import Line
from lamplighter.web.view import View

ROUTES = Routes("/api/v1/alerts", tag="alerts")
_ALERT = {
    "id": "5b0c8f0e-1c53-4f0a-9b52-6a1f2f5a9d10",
    "rule": "SourceSilent",
    "state": "firing",
    "severity": "warning",
    "subject": "source:0f8e1c3a-6d2b-4a77-8a39-2f7f5b1f9c20",
    "subject_name": "Quay Jobs",
    "title": "A source is silent",
    "detail": "Quay Jobs has had no successful run since 2026-03-14 03:10 UTC, and should have one every 3 h",
    "matters": "Nothing new comes in from there, and nobody would notice.",
    "remedy": "Open the source: its latest runs say why they fail.",
    "value": 1.0,
    "since": "2026-03-14T12:10:00Z",
    "fired_at": "2026-03-14T12:25:00Z",
    "cleared_at": None,
}
_RULE = {
    "name": "HighConsumerLag",
    "severity": "warning",
    "title": "Events pile up",
    "condition": "more than 100 events wait to be settled",
    "matters": "Sources that were added or changed are not crawled as they should be until their events are settled.",
    "remedy": "Look at Events for the oldest that waits.",
    "hold_seconds": 300.0,
    "quiet_seconds": 300.0,
    "expression": "max(crawler_consumer_lag_messages) > 100",
    "value": 3.0,
    "findings": 0,
}

Word = Annotated[Line, Field(max_length=400)]


@ROUTES.get("", response_model=AlertListOut, example={"alerts": [_ALERT], "total": 1, "limit": 50, "offset": 0})
async def list_alerts(
    view: View,
    state: AlertState | None = None,
    rule: Word | None = None,
    severity: Severity | None = None,
    subject: Annotated[Word | None, Query(description="As it stands in an alert, such as `host:example.org`.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """Alerts, the latest first: pending, firing, and those that were cleared within the last 90 days."""
    wanted = Wanted(state=state, rule=rule, severity=severity, subject=subject)
    async with view.db.read() as db:
        page = await alerts.listed(db, wanted, limit=limit, offset=offset)
    return listed("alerts", alerts.form(page.alerts), total=page.total, limit=limit, offset=offset)


@ROUTES.get("/rules", response_model=RuleListOut, example={"rules": [_RULE], "looked_at": "2026-03-14T12:25:00Z"})
async def list_rules(view: View) -> Any:
    """What is worth an alert, and how each rule stands as this process last saw it."""
    watched = view.watched()
    looked_at = watched.at if watched is not None else None
    return {"rules": [_rule_out(each) for each in alerts.rules(watched)], "looked_at": looked_at}


def _rule_out(standing: RuleStanding) -> dict[str, Any]:
    rule = standing.rule
    said = {name: getattr(rule, name) for name in ("name", "severity", "title", "condition", "matters", "remedy")}
    return said | {
        "hold_seconds": rule.hold.total_seconds(),
        "quiet_seconds": rule.quiet.total_seconds(),
        "expression": rule.promql,
        "value": standing.value,
        "findings": standing.findings,
    }
