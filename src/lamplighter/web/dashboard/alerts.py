"""What is wrong: since when, why it matters, what to do; what was; and the rules by which that is judged."""

from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Query, Response

from lamplighter.model.alert import Alert, AlertState, Severity
from lamplighter.operations import alerts
from lamplighter.operations.alerts import RuleStanding
from lamplighter.rules.alerts import BY_NAME, RULES
from lamplighter.store.alerts import Wanted
from lamplighter.web.api.paging import DEEPEST
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import percent

ROUTES = Routes("", tag="dashboard")
_LIMIT = 50
#: where one goes on from an alert, by what it is about
_PLACES = {
    "source": "/sources/{}",
    "host": "/hosts/{}",
    "machine": "/instances",
    "duty": "/instances",
    "letters:events": "/events/dead-letters",
    "letters:queue": "/crawl",
    "letters:index": "/settings",
    "letters:notifications": "/settings/notifications",
}
#: rules about the whole installation, or about many at once
_PLACES_OF_RULES = {
    "HighConsumerLag": "/events",
    "HighEventProcessingErrors": "/events?result=error",
    "JobFailureSpike": "/?status=failed",
    "LowCrawlSuccessRate": "/?status=failed",
    "SourceSilent": "/?status=attention",
    "SourceDrifting": "/?status=attention",
    "BreakerOpen": "/?status=attention",
    "DomainShortOfProxies": "/proxies",
    "DomainProxyFailures": "/proxies",
    "RobotsUnreachable": "/hosts",
    "CrawlingPaused": "/crawl",
}

Word = Annotated[str, Query(max_length=100)]
Offset = Annotated[int, Query(ge=0, le=DEEPEST)]


@ROUTES.get("/alerts", include_in_schema=False)
async def show(visit: Visiting, rule: Word = "", severity: Word = "", offset: Offset = 0) -> Response:
    """All of it; or the part of it that a script renews."""
    if visit.target == "alerts-now":
        return visit.part("alerts/now.html", **await _now(visit))
    given = {"rule": rule, "severity": severity}
    history = await _history(visit, given, offset)
    if visit.target == "alert-history":
        return visit.part("alerts/history.html", **history)
    shown = history | await _now(visit)
    return visit.page("alerts/index.html", rules=alerts.rules(visit.view.watched()), **shown)


async def _now(visit: Visit) -> dict[str, Any]:
    firing, pending = await visit.view.db.look(alerts.open_ones)
    return {"firing_now": firing, "pending": pending, "watched": visit.view.watched(), **_WORDS}


async def _history(visit: Visit, given: dict[str, str], offset: int) -> dict[str, Any]:
    wanted = Wanted(
        state=AlertState.CLEARED,
        rule=given["rule"] if given["rule"] in BY_NAME else None,
        severity=Severity(given["severity"]) if given["severity"] in set(Severity) else None,
    )
    async with visit.view.db.read() as db:
        page = await alerts.listed(db, wanted, limit=_LIMIT, offset=offset)
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
    """Where one sees more of what an alert is about; None when there is no such place."""
    place = _PLACES.get(alert.subject) or _PLACES.get(alert.kind) or _PLACES_OF_RULES.get(alert.rule)
    return place.format(quote(alert.about, safe="")) if place is not None else None


def _value_of(standing: RuleStanding) -> str:
    """The figure of a rule, as people read it."""
    if standing.value is None:
        return "-"
    if standing.rule.name == "LowCrawlSuccessRate":
        return percent(standing.value)
    return f"{standing.value:,.3g}" if standing.value < 1000 else f"{standing.value:,.0f}"


#: what the templates ask
_WORDS: dict[str, Any] = {"place_of": _place_of, "value_of": _value_of}
