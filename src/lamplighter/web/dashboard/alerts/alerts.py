"""The page Attention: problems by cause, firing alerts, and their history and rules."""

from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Query, Response

from lamplighter.model.alert import Alert, AlertState, Severity
from lamplighter.operations.alerts import alerts
from lamplighter.operations.alerts.alerts import AlertRuleStatus
from lamplighter.rules.alerts.alerts import BY_NAME, RULES
from lamplighter.store.alerts.alerts import AlertFilter
from lamplighter.web.dashboard.alerts import problems
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.routes import Pages
from lamplighter.web.values import Offset
from lamplighter.web.words import percent

ROUTES = Pages()
_LIMIT = 50
#: subject type of an alert -> path of the page about it
_PLACES = {
    "source": "/sources/{}",
    "host": "/hosts/{}",
    "machine": "/instances",
    "duty": "/instances",
    "server": "/instances",
    "letters:events": "/events/dead-letters",
    "letters:queue": "/crawl",
    "letters:index": "/settings",
    "letters:notifications": "/settings/notifications",
}
#: the same for rules about the whole installation, or about many subjects at once
_PLACES_OF_RULES = {
    "HighConsumerLag": "/events",
    "HighEventProcessingErrors": "/events?result=error",
    "JobFailureSpike": "/?status=failing",
    "LowCrawlSuccessRate": "/?status=failing",
    "SourceSilent": "/?status=attention",
    "SourceDrifting": "/?status=attention",
    "BreakerOpen": "/?status=attention",
    "DomainShortOfProxies": "/proxies",
    "DomainProxyFailures": "/proxies",
    "RobotsUnreachable": "/hosts",
    "CrawlingPaused": "/crawl",
}

Word = Annotated[str, Query(max_length=100)]


@ROUTES.get("/alerts")
async def show(
    request: ThisRequest, rule: Word = "", severity: Word = "", offset: Offset = 0, skipped: Offset = 0
) -> Response:
    """The whole page, or the part that a script refreshes."""
    if request.target == "problems":
        return request.part("alerts/problems.html", **await problems.inbox(request, skipped))
    if request.target == "alerts-now":
        return request.part("alerts/now.html", **await _now(request))
    given = {"rule": rule, "severity": severity}
    history = await _history(request, given, offset)
    if request.target == "alert-history":
        return request.part("alerts/history.html", **history)
    shown = history | await _now(request) | await problems.inbox(request, skipped)
    return request.page("alerts/index.html", rules=alerts.rules(request.view.crawl.watched()), **shown)


async def _now(request: PageRequest) -> dict[str, Any]:
    firing, pending = await request.view.db.look(alerts.open_ones)
    return {"firing_now": firing, "pending": pending, "watched": request.view.crawl.watched(), **_WORDS}


async def _history(request: PageRequest, given: dict[str, str], offset: int) -> dict[str, Any]:
    wanted = AlertFilter(
        state=AlertState.CLEARED,
        rule=given["rule"] if given["rule"] in BY_NAME else None,
        severity=Severity(given["severity"]) if given["severity"] in set(Severity) else None,
    )
    page = await request.read(lambda db: alerts.listed(db, wanted, limit=_LIMIT, offset=offset))
    return {
        "history": page,
        "given": given,
        "rule_names": [each.name for each in RULES],
        "severities": list(Severity),
        "path": f"/alerts?{urlencode(given)}&",
        "offset": offset,
        "limit": _LIMIT,
        **_WORDS,
    }


def _place_of(alert: Alert) -> str | None:
    """The page about an alert's subject, None if there is none."""
    place = _PLACES.get(alert.subject) or _PLACES.get(alert.kind) or _PLACES_OF_RULES.get(alert.rule)
    return place.format(quote(alert.about, safe="")) if place is not None else None


def _value_of(status: AlertRuleStatus) -> str:
    """The current value of a rule as text."""
    if status.value is None:
        return "-"
    if status.rule.name == "LowCrawlSuccessRate":
        return percent(status.value)
    return f"{status.value:,.3g}" if status.value < 1000 else f"{status.value:,.0f}"


#: functions for the templates
_WORDS: dict[str, Any] = {"place_of": _place_of, "value_of": _value_of}
