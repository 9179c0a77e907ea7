"""Alerts and the rules that raise them."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from lamplighter.model.alert import AlertState, Severity
from lamplighter.operations.alerts import alerts
from lamplighter.store.alerts.alerts import AlertFilter
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.api.v1.alerts.shapes_alerts import AlertOut, RuleListOut
from lamplighter.web.paging import Limit, Offset
from lamplighter.web.routes import Routes
from lamplighter.web.values import Line
from lamplighter.web.view import Crawl, View

ROUTES = Routes("/api/v1/alerts", tag="alerts")


Word = Annotated[Line, Field(max_length=400)]


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
    return listed("alerts", alerts.form(page.alerts), total=page.total, limit=limit, offset=offset)


@ROUTES.get("/rules", response_model=RuleListOut)
async def list_rules(crawl: Crawl) -> Any:
    """The alert rules, and the state of each as this process last evaluated it."""
    watched = crawl.watched()
    looked_at = watched.at if watched is not None else None
    return {"rules": alerts.rules(watched), "looked_at": looked_at}
